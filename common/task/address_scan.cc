#include "common/task/address_scan.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"

// Where the process's data ends and its heap begins (linker).
extern "C" char end;

namespace magpie {
namespace {

// -------------------------------------------------------- what the process has

bool is_mapped(uint64_t address) {
  const uint64_t page = rma::internal::page_bytes();
  unsigned char resident;
  return mincore(reinterpret_cast<void*>(address / page * page), 1,
                 &resident) == 0;
}

// Code and data of the program and its libraries.
bool is_of_a_loaded_object(uint64_t address) {
  const auto holds = [](dl_phdr_info* object, size_t, void* address) {
    for (int i = 0; i < object->dlpi_phnum; ++i) {
      const ElfW(Phdr)& segment = object->dlpi_phdr[i];
      const uint64_t begin = object->dlpi_addr + segment.p_vaddr;
      if (segment.p_type == PT_LOAD &&
          *static_cast<uint64_t*>(address) - begin < segment.p_memsz)
        return 1;
    }
    return 0;
  };
  return dl_iterate_phdr(holds, &address) != 0;
}

bool is_in_the_heap(uint64_t address) {
  return address >= reinterpret_cast<uint64_t>(&end) &&
         address < reinterpret_cast<uint64_t>(sbrk(0));
}

// Whether an address of the heap is that of an object, as far as can be seen: a
// size stands before it, with which one comes to the next object. (glibc; with
// another allocator some objects are missed.)
bool begins_an_object(uint64_t address) {
  if (address % 16 != 0) return false;
  const auto word_at = [](uint64_t at) {
    uint64_t word;
    std::memcpy(&word, reinterpret_cast<const void*>(at), sizeof(word));
    return word;
  };
  if (!is_mapped(address - 8)) return false;
  const uint64_t size = word_at(address - 8) & ~uint64_t{7};
  const uint64_t heap_end = reinterpret_cast<uint64_t>(sbrk(0));
  if (size < 32 || size % 16 != 0 || size > heap_end - address) return false;
  constexpr uint64_t kObjectBeforeIsInUse = 1;
  return (word_at(address - 8 + size) & kObjectBeforeIsInUse) != 0;
}

// ------------------------------------------------------------------- one value

struct Finding {
  // What lies at that address, in words; null where that is no memory that
  // matters.
  const char* place = nullptr;
  bool certain = true;
};

// What lies above `low` in the region is in use.
Finding find(uint64_t value, const std::byte* low) {
  constexpr uint64_t kLowest = 64 << 10;
  // Limit of AArch64; x86-64 has half of it.
  constexpr uint64_t kPastUserSpace = uint64_t{1} << 48;
  if (value < kLowest || value >= kPastUserSpace) return {};
  const rma::Self& self = rma::self();
  const auto region = reinterpret_cast<uint64_t>(self.region);
  if (value - region < self.region_bytes) {
    if (value < reinterpret_cast<uint64_t>(low)) return {};
    return {.place = "the stack of a task"};
  }
  if (!is_mapped(value) || is_of_a_loaded_object(value)) return {};
  // An address of the heap is small enough for a number.
  if (is_in_the_heap(value)) {
    if (!begins_an_object(value)) return {};
    return {.place = "this process's heap", .certain = false};
  }
  for (const rma::internal::Mapping& mapping : rma::internal::mappings()) {
    if (value < mapping.begin || value >= mapping.end) continue;
    if (!mapping.writable) return {};
    if (self.task_stacks.hold(reinterpret_cast<const void*>(value)))
      return {.place = "the stack of a task"};
    return {.place = mapping.path == "[stack]" ? "this process's stack"
                                               : "memory of this process"};
  }
  return {};
}

}  // namespace

void require_task_stack(const char* function) {
  if (rma::self().is_on_a_task_stack(__builtin_frame_address(0))) return;
  rma::fatal(absl::StrCat(function,
                          " was called by a thread of the program's own: it is "
                          "for tasks"));
}

void add_options(CLI::App& app, OnAddress& on_address) {
  static constexpr const char* kNames[] = {"stop", "warn", "off"};
  flags::add_choice(app, "--address_scan", on_address,
                    "what to do if a closure or a result holds an address: "
                    "stop ends the job, and warns where it may be a number; "
                    "warn only warns; off does not look",
                    kNames);
}

AddressScan::AddressScan(OnAddress on_address)
    : on_address_(on_address), warnings_(rma::allocate<rma::Word>().at(0)) {}

void AddressScan::look_at_root(const TypeInfo& type, const void* closure) {
  if (type.has_clean_bytes) {
    look({"the root task's closure", closure, type.closure_size,
          rma::self().region + rma::self().region_bytes});
  }
}

void AddressScan::look_at_closure(const TypeInfo& type, const void* closure) {
  last_[number_of(type)] = &type;
  const bool is_first = seen_.insert(&type).second;
  if ((is_first || kLooksAtAll) && type.has_clean_bytes) {
    look({"a task's closure", closure, type.closure_size,
          static_cast<const std::byte*>(__builtin_frame_address(0))});
  }
}

void AddressScan::look_at_result(const TypeInfo& type, const void* result) {
  if (type.has_clean_bytes)
    look({"a task's result", result, type.result_size, rma::self().region});
}

void AddressScan::look(const Object& object) {
  if (on_address_ == OnAddress::kOff) return;
  const auto* const first = static_cast<const std::byte*>(object.bytes);
  size_t i = -reinterpret_cast<uintptr_t>(first) % sizeof(uint64_t);
  for (; i + sizeof(uint64_t) <= object.size; i += sizeof(uint64_t)) {
    uint64_t value;
    std::memcpy(&value, first + i, sizeof(value));
    const Finding found = find(value, object.low);
    if (found.place != nullptr)
      tell(object, i, value, found.place, found.certain);
  }
}

void AddressScan::tell(const Object& object, size_t at, uint64_t value,
                       const char* place, bool certain) {
  const bool stops = certain && on_address_ == OnAddress::kStop;
  if (!stops && std::exchange(warned_, true)) return;
  const std::string words = absl::StrCat(
      object.what, " holds at byte ", at,
      certain ? " an address of " : " what may be an address of ", place,
      ", 0x", absl::Hex(value),
      ", which would mean nothing in another process: capture by value, and "
      "return results (if it is a number, or bytes that were never set: "
      "--address_scan=",
      stops ? "warn)" : "off)");
  if (stops) rma::fatal(words);
  if (rma::fetch_add(warnings_, 1) != 0) return;
  std::fprintf(stderr, "magpie: rank %d: warning: %s\n", rma::rank(),
               words.c_str());
}

}  // namespace magpie
