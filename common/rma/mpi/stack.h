// The stack on which MPI runs, whoever calls it.
//
// A task's stack may be as small as the program likes, and nobody says how much
// of it MPI needs: MPICH 4.0 over UCX handles a message 136 KiB further down,
// by frames larger than any gap between two stacks.

#ifndef MAGPIE_COMMON_RMA_MPI_STACK_H_
#define MAGPIE_COMMON_RMA_MPI_STACK_H_

#include <cstddef>

#include "common/context/context.h"

namespace magpie::rma::mpi {

// Bytes of a process's stack by default; only touched pages take memory.
inline constexpr size_t kStackBytes = 8 << 20;
// Lowest byte of the stack; null until make_stack().
extern std::byte* stack;

// Makes the stack, before a task calls MPI. Prints an error and ends the
// process where it cannot.
void make_stack();

// Calls f() on that stack; directly where the caller is on it already, or where
// there is none yet. Only for the rank's own thread.
template <typename F>
void on_mpi_stack(F f) {
  const auto* const here =
      static_cast<const std::byte*>(__builtin_frame_address(0));
  const bool is_there = here >= stack && here < stack + kStackBytes;
  if (is_there || stack == nullptr) return f();
  context::call_on_stack(
      stack + kStackBytes, [](void* call) { (*static_cast<F*>(call))(); }, &f);
}

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_STACK_H_
