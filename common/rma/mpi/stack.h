// Where MPI runs, whoever calls it.
//
// A task has a stack as small as the program likes, and nobody says how much
// MPI takes of it: MPICH 4.0 over UCX handles a message 136 KiB further down,
// by frames larger than any gap between two stacks.

#ifndef MAGPIE_COMMON_RMA_MPI_STACK_H_
#define MAGPIE_COMMON_RMA_MPI_STACK_H_

#include <cstddef>

#include "common/context/context.h"

namespace magpie::rma::mpi {

// As large as a process's is by default; only what is touched takes memory.
inline constexpr size_t kStackBytes = 8 << 20;
// Its lowest byte. Null until make_stack().
extern std::byte* stack;

// Before MPI is called by a task. Ends the process in words.
void make_stack();

// Calls f() there; on that stack, and before there is one, where it is called.
// By the rank's own thread alone.
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
