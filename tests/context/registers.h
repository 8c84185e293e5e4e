// Test helpers in assembly: they see what C++ can't, the callee-saved registers
// and the exact stack pointer.

#ifndef MAGPIE_TESTS_CONTEXT_REGISTERS_H_
#define MAGPIE_TESTS_CONTEXT_REGISTERS_H_

#include <array>
#include <cstdint>

#include "common/context/context.h"

namespace magpie::context {

// DWARF numbers of the callee-saved registers, in the order of Planted's
// arrays, for looking them up in an unwound frame.
#if defined(__x86_64__)
inline constexpr std::array kCalleeSaved = {3, 6, 12, 13, 14, 15};
#else
inline constexpr std::array kCalleeSaved = {19, 20, 21, 22, 23, 24, 25, 26,
                                            27, 28, 29,  // x19 to x29
                                            72, 73, 74, 75, 76, 77, 78, 79};
#endif

// Values that magpie_test_plant puts into the callee-saved registers and finds
// there after the call. The assembly knows this layout.
struct Planted {
  std::array<std::uint64_t, kCalleeSaved.size()> in = {};
  std::array<std::uint64_t, kCalleeSaved.size()> out = {};
  // The stack pointer when the call is made, and when it is over.
  std::uint64_t sp_before = 0;
  std::uint64_t sp_after = 0;
};

// The address of a function, as the unwinder and the assembly have it.
const void* code(auto* function) {
  return reinterpret_cast<const void*>(function);
}

// A different value in every register and every byte of it.
inline Planted planted_values() {
  Planted p;
  for (std::size_t i = 0; i < p.in.size(); ++i) {
    p.in[i] = 0x1122334455667700u + 0x0101010101010101u * (i + 1);
  }
  return p;
}

extern "C" {
// Fills the callee-saved registers from p->in, calls target(a, b, c), and
// writes to p->out what they hold when execution goes on after the call.
void magpie_test_plant(Planted* p, const void* target, const void* a,
                       const void* b, const void* c);
// Destroys all callee-saved registers, calls f(arg), and restores them if f
// returns.
void magpie_test_clobber(void (*f)(void*), void* arg);
// For save_and_call: destroys all callee-saved registers and calls f(ctx) with
// nothing saved and nothing noted for the unwinder, as a compiler may do in a
// function that never returns.
// REQUIRES: f does not return.
void magpie_test_destroy(Context* ctx, void* f);
}  // extern "C"

inline Planted plant(const void* target, const void* a = nullptr,
                     const void* b = nullptr, const void* c = nullptr) {
  Planted p = planted_values();
  magpie_test_plant(&p, target, a, b, c);
  return p;
}

}  // namespace magpie::context

#endif  // MAGPIE_TESTS_CONTEXT_REGISTERS_H_
