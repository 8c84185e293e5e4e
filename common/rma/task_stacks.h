// The memory where tasks run that have stacks of their own. Included by rma.h.

#ifndef MAGPIE_COMMON_RMA_TASK_STACKS_H_
#define MAGPIE_COMMON_RMA_TASK_STACKS_H_

#include <cstddef>

namespace magpie::rma {

// Memory of the calling rank alone in which its tasks run, besides the region
// and the stack on which rank_main was called: it stays where it is, and no
// operation touches it.
struct TaskStacks {
  const std::byte* begin = nullptr;
  size_t bytes = 0;
  // overflow(whose) says what a fault in there means: what is exhausted, and
  // which flag raises the limit. Called in a signal handler.
  const char* (*overflow)(void* whose) = nullptr;
  void* whose = nullptr;

  bool hold(const void* address) const {
    const auto* const p = static_cast<const std::byte*>(address);
    return p >= begin && p < begin + bytes;
  }
};

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_TASK_STACKS_H_
