// A stack for tests, and how a fiber begins on it.

#ifndef MAGPIE_TESTS_CONTEXT_STACK_H_
#define MAGPIE_TESTS_CONTEXT_STACK_H_

#include <cstddef>
#include <memory>

#include "common/context/context.h"

namespace magpie::context {

class Stack {
 public:
  static constexpr std::size_t kBytes = 256 * 1024;

  char* top() { return memory_->bytes + kBytes; }

 private:
  struct Memory {
    alignas(16) char bytes[kBytes];
  };
  std::unique_ptr<Memory> memory_ = std::make_unique_for_overwrite<Memory>();
};

// Runs body(arg) as a new fiber on the stack; returns when somebody continues
// *creator, which is written before the body runs.
template <typename T>
void start(Stack* stack, void (*body)(T*), Context** creator, T* arg) {
  struct Fiber {
    void* stack_top;
    void (*body)(T*);
    T* arg;
  } fiber = {stack->top(), body, arg};
  auto leave = +[](Context* ctx, Context** creator, Fiber* fiber) {
    *creator = ctx;
    start_on_stack(fiber->stack_top,
                   reinterpret_cast<void (*)(void*)>(fiber->body), fiber->arg);
  };
  save_and_call(leave, creator, &fiber);
}

}  // namespace magpie::context

#endif  // MAGPIE_TESTS_CONTEXT_STACK_H_
