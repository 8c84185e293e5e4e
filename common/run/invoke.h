// Call of a task, the places of its closure and its result meanwhile, and the
// fate of an exception. For runtimes.

#ifndef MAGPIE_COMMON_RUN_INVOKE_H_
#define MAGPIE_COMMON_RUN_INVOKE_H_

#include <alloca.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <typeinfo>

#include "common/run/type_info.h"

namespace magpie {

// The name of a type as in the source: "Visit", "main::{lambda()#1}".
std::string name_of(const std::type_info& type);

// Ends the job with the what() of the exception that is being handled, which
// has left `what`: "a task".
[[noreturn]] void an_exception_left(const char* what);

// Runs the closure. An exception that leaves it prints an error and ends the
// job: it has nowhere to go, since the frames above may be those of another
// thread by now.
[[gnu::always_inline]] inline void invoke(const TypeInfo& type,
                                          const void* closure, void* result) {
  try {
    type.invoke(closure, result);
  } catch (...) {
    an_exception_left("a task");
  }
}

// Places for a closure and a result in the caller's frame, which live as long
// as that does. Most are small: then the places are fixed, and there is little
// to compute on the way to the task.
class SmallFrame {
 public:
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
  if (type.is_small) [[likely]] {
    SmallFrame frame;
    use(frame);
  } else {
    with_any_frame(type, use);
  }
}

namespace internal {

// Print an error and end the process, with status 1: `function`, which starts a
// run, was given a null pointer for the result; a shared future has no such
// consumer.
[[noreturn, gnu::cold]] void no_place_for_the_result(const char* function);
[[noreturn]] void no_such_consumer(uint32_t consumer, uint32_t consumers);

}  // namespace internal
}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_INVOKE_H_
