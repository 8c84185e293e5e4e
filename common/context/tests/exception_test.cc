// C++ exceptions on, between and below the stacks of this package.

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

#include "common/context/context.h"
#include "common/context/tests/stack.h"

namespace magpie::context {
namespace {

void throw_number(int what) { throw std::runtime_error(std::to_string(what)); }

// Throws and catches a few frames deep; true if the right one arrived.
bool throws_and_catches(int what) {
  try {
    throw_number(what);
  } catch (const std::runtime_error& e) {
    return e.what() == std::to_string(what);
  }
  return false;
}

TEST(ExceptionTest, CaughtInsideF) {
  bool caught = false;
  auto f = +[](Context*, bool* caught) { *caught = throws_and_catches(7); };
  save_and_call(f, &caught);
  EXPECT_TRUE(caught);
}

TEST(ExceptionTest, CaughtAfterResume) {
  save_and_call([](Context* ctx, void*) { resume(ctx); }, nullptr);
  EXPECT_TRUE(throws_and_catches(8));
}

TEST(ExceptionTest, CaughtOnOtherStack) {
  Stack stack;
  bool caught = false;
  auto f = [](void* arg) { *static_cast<bool*>(arg) = throws_and_catches(9); };
  call_on_stack(stack.top(), f, &caught);
  EXPECT_TRUE(caught);
}

TEST(ExceptionTest, CaughtInFiber) {
  Stack stack;
  struct Fiber {
    Context* creator = nullptr;
    bool caught = false;
  } fiber;
  auto body = +[](Fiber* fiber) {
    fiber->caught = throws_and_catches(10);
    resume(fiber->creator);
  };
  start(&stack, body, &fiber.creator, &fiber);
  EXPECT_TRUE(fiber.caught);
}

TEST(ExceptionTest, PassesThroughSaveAndCall) {
  EXPECT_THROW(
      save_and_call([](Context*, void*) { throw_number(11); }, nullptr),
      std::runtime_error);
}

TEST(ExceptionTest, PassesThroughCallOnStack) {
  Stack stack;
  auto f = [](void*) { throw_number(12); };
  EXPECT_THROW(call_on_stack(stack.top(), f, nullptr), std::runtime_error);
}

TEST(ExceptionDeathTest, EndsAtTheStackBottom) {
  Stack stack;
  auto body = [](void*) { throw_number(13); };
  EXPECT_DEATH(
      {
        try {
          start_on_stack(stack.top(), body, nullptr);
        } catch (...) {
          // Out of reach: the creator's stack is not part of the fiber.
        }
      },
      "terminate");
}

}  // namespace
}  // namespace magpie::context
