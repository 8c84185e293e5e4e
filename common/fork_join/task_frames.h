// Where a task lies in the frame of the function that runs it: a copy of its
// closure, and its result. For runtimes.

#ifndef MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_
#define MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_

#include <alloca.h>

#include <cstddef>
#include <cstdint>

#include "common/rma/copies.h"
#include "common/run/type_info.h"

namespace magpie {

// Places for a closure and a result in the caller's frame, which live as long
// as that does. Most are small: then the places are fixed, and there is little
// to compute on the way to the task.
class SmallFrame {
 public:
  static constexpr bool kIsFixed = true;
  static bool fits(const TypeInfo& type) { return type.is_small; }
  // Tells the compiler that the type fits, so that it leaves out what asks for
  // sizes.
  [[gnu::always_inline]] static void assume_fits(const TypeInfo& type) {
    if (!type.is_small) __builtin_unreachable();
  }
  void* closure() { return closure_; }
  void* result() { return result_; }

 private:
  static constexpr uint32_t kBytes = TypeInfo::kSmallBytes;
  static constexpr uint32_t kAlign = TypeInfo::kSmallAlign;
  alignas(kAlign) std::byte closure_[kBytes];
  alignas(kAlign) std::byte result_[kBytes];
};

// Places of any size and alignment, in bytes(type) of memory that the caller
// has taken from the stack.
class AnyFrame {
 public:
  static constexpr bool kIsFixed = false;
  static size_t bytes(const TypeInfo& type) {
    return size_t{type.closure_size} + type.closure_align + type.result_size +
           type.result_align;
  }

  AnyFrame(const TypeInfo& type, void* memory)
      : closure_(align(memory, type.closure_align)),
        result_(align(static_cast<std::byte*>(closure_) + type.closure_size,
                      type.result_align)) {}
  void* closure() { return closure_; }
  void* result() { return result_; }

 private:
  static void* align(void* memory, uint32_t to) {
    return reinterpret_cast<void*>(
        (reinterpret_cast<uintptr_t>(memory) + to - 1) & ~uintptr_t{to - 1});
  }
  void* closure_;
  void* result_;
};

// Calls use(frame) with a frame for a task of the type: where any will do, in a
// function of its own.
template <typename Use>
[[gnu::noinline]] void with_any_frame(const TypeInfo& type, Use use) {
  AnyFrame frame(type, alloca(AnyFrame::bytes(type)));
  use(frame);
}
template <typename Use>
[[gnu::always_inline]] inline void with_frame(const TypeInfo& type, Use use) {
  if (SmallFrame::fits(type)) [[likely]] {
    SmallFrame::assume_fits(type);
    SmallFrame frame;
    use(frame);
  } else {
    with_any_frame(type, use);
  }
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_TASK_FRAMES_H_
