#include "common/run/address_scan.h"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

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

// Kind of memory at that address, as text; null where that is none that
// matters. Memory above `low` in the region is in use.
const char* find(uint64_t value, const void* low) {
  // Limit of AArch64; x86-64 has half of it.
  constexpr uint64_t kPastUserSpace = uint64_t{1} << 48;
  const auto* const address = reinterpret_cast<const std::byte*>(value);
  const rma::Self& self = rma::self();
  if (value - reinterpret_cast<uint64_t>(self.region) < self.region_bytes)
    return address < low ? nullptr : "the stack of a task";
  if (value < reinterpret_cast<uint64_t>(sbrk(0)) || value >= kPastUserSpace ||
      !is_mapped(value) || is_of_a_loaded_object(value))
    return nullptr;
  for (const rma::internal::Mapping& mapping : rma::internal::mappings()) {
    if (value < mapping.begin || value >= mapping.end) continue;
    if (!mapping.writable) return nullptr;
    if (self.task_stacks.hold(address)) return "the stack of a task";
    return mapping.path == "[stack]" ? "this process's stack"
                                     : "memory of this process";
  }
  return nullptr;
}

}  // namespace

void require_task_stack(const char* function) {
  if (rma::self().is_on_a_task_stack(__builtin_frame_address(0))) return;
  rma::fatal(absl::StrCat(function,
                          " was called by a thread of the program's own: it is "
                          "for tasks"));
}

void add_options(CLI::App& app, OnAddress& on_address) {
  static constexpr const char* kNames[] = {"stop", "off"};
  flags::add_choice(app, "--address_scan", on_address,
                    "what to do if a closure or a result holds an address: "
                    "stop ends the job; off does not look",
                    kNames);
}

void AddressScan::look(const char* what, const void* object, size_t bytes,
                       const void* low) const {
  if (on_address_ == OnAddress::kOff) return;
  const auto* const first = static_cast<const std::byte*>(object);
  size_t i = -reinterpret_cast<uintptr_t>(first) % sizeof(uint64_t);
  for (; i + sizeof(uint64_t) <= bytes; i += sizeof(uint64_t)) {
    uint64_t value;
    std::memcpy(&value, first + i, sizeof(value));
    const char* const place = find(value, low);
    if (place == nullptr) continue;
    rma::fatal(absl::StrCat(
        what, " holds at byte ", i, " an address of ", place, ", 0x",
        absl::Hex(value),
        ", which would mean nothing in another process: capture by value, and "
        "return results (if it is a number, or bytes that were never set: "
        "--address_scan=off)"));
  }
}

}  // namespace magpie
