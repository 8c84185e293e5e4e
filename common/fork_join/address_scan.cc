#include "common/fork_join/address_scan.h"

#include <unistd.h>

#include <cstdint>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"

// Where the process's data ends and its heap begins (linker); where its stack
// begins (C library).
extern "C" char end;
extern "C" void* __libc_stack_end;

namespace magpie::internal {
namespace {

bool between(uint64_t value, const void* first, const void* last) {
  return value >= reinterpret_cast<uint64_t>(first) &&
         value < reinterpret_cast<uint64_t>(last);
}

// What the value would be an address of; null when of nothing that matters.
const char* place_of_address(uint64_t value) {
  constexpr ptrdiff_t kStackBytes = 8 << 20;
  const std::byte* const region = rma::self().region;
  char* const stack_end = static_cast<char*>(__libc_stack_end);
  if (between(value, region, region + rma::self().region_bytes))
    return "the stack of a task";
  if (between(value, stack_end - kStackBytes, stack_end))
    return "this process's stack";
  if (value % 16 == 0 && between(value, &end, sbrk(0)))
    return "this process's heap";
  return nullptr;
}

}  // namespace

void refuse_addresses(const void* bytes, size_t size, const char* what) {
  const auto* const first = static_cast<const std::byte*>(bytes);
  size_t i = -reinterpret_cast<uintptr_t>(first) % sizeof(uint64_t);
  for (; i + sizeof(uint64_t) <= size; i += sizeof(uint64_t)) {
    uint64_t value;
    std::memcpy(&value, first + i, sizeof(value));
    if (const char* place = place_of_address(value)) {
      rma::fatal(absl::StrCat("a task's ", what, " holds at byte ", i,
                              " an address of ", place, ", 0x",
                              absl::Hex(value),
                              ": it would mean nothing in another process"));
    }
  }
}

}  // namespace magpie::internal
