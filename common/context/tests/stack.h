// A piece of memory to run on, and how a fiber begins there.

#ifndef MAGPIE_COMMON_CONTEXT_TESTS_STACK_H_
#define MAGPIE_COMMON_CONTEXT_TESTS_STACK_H_

#include <cstddef>
#include <memory>

#include "common/context/context.h"

namespace magpie::context {

class Stack {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;

  char* bottom() { return memory_->bytes; }
  char* top() { return memory_->bytes + kBytes; }
  bool holds(const void* p) {
    return bottom() <= static_cast<const char*>(p) &&
           static_cast<const char*>(p) < top();
  }

 private:
  struct Memory {
    alignas(16) char bytes[kBytes];
  };
  std::unique_ptr<Memory> memory_ = std::make_unique_for_overwrite<Memory>();
};

// Runs body(arg) as a new fiber on the stack; returns when somebody continues
// *creator, which is written before the body runs.
inline void start(Stack* stack, void (*body)(void*), Context** creator,
                  void* arg) {
  struct Args {
    Stack* stack;
    void (*body)(void*);
    Context** creator;
    void* arg;
  } args = {stack, body, creator, arg};
  save_and_call(
      [](Context* ctx, void* arg) {
        Args* a = static_cast<Args*>(arg);
        *a->creator = ctx;
        start_on_stack(a->stack->top(), a->body, a->arg);
      },
      &args);
}

}  // namespace magpie::context

#endif  // MAGPIE_COMMON_CONTEXT_TESTS_STACK_H_
