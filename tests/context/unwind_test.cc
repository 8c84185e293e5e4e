// Call chains through this package's frames, as a debugger, a profiler or an
// exception sees them.

#include <gtest/gtest.h>
#include <unwind.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <stdexcept>
#include <string>

#include "common/context/context.h"
#include "tests/context/backtrace.h"
#include "tests/context/registers.h"
#include "tests/context/stack.h"

namespace magpie::context {
namespace {

void capture(void* trace) {
  *static_cast<Backtrace*>(trace) = take_backtrace();
}

// The functions that a backtrace must name. Each does something after its call,
// or the compiler would jump and leave no frame.
[[gnu::noinline]] void child(Context*, void* trace) {
  capture(trace);
  asm volatile("");
}

[[gnu::noinline]] void parent(Context*, void* trace) {
  save_and_call(&child, trace);
  asm volatile("");
}

[[gnu::noinline]] void grandparent(void* trace) {
  save_and_call(&parent, trace);
  asm volatile("");
}

struct OnStack {
  Stack stack;
  Backtrace* trace;
};

[[gnu::noinline]] void caller_of_stack(OnStack* on) {
  call_on_stack(on->stack.top(), &grandparent, on->trace);
  asm volatile("");
}

// The functions follow one another in the chain, and its end is known.
void expect_run(const Backtrace& trace, const std::vector<const void*>& run) {
  EXPECT_TRUE(trace.has_run(run));
  EXPECT_EQ(trace.end, _URC_END_OF_STACK);
}

TEST(UnwindTest, SeesTheLineageAndThroughCallOnStack) {
  Backtrace trace;
  OnStack on{.stack = {}, .trace = &trace};
  caller_of_stack(&on);
  expect_run(trace,
             {code(&child), code(&magpie_context_save_and_call), code(&parent),
              code(&magpie_context_save_and_call), code(&grandparent),
              code(&call_on_stack), code(&caller_of_stack)});
}

TEST(UnwindTest, SeesTheLineageAfterResume) {
  Backtrace trace;
  auto resumes = +[](Context*, void* trace) {
    save_and_call([](Context* ctx, void*) { resume(ctx); }, nullptr);
    capture(trace);
    asm volatile("");
  };
  save_and_call(resumes, &trace);
  expect_run(trace, {code(resumes), code(&magpie_context_save_and_call)});
}

TEST(UnwindTest, EndsAtTheStackBottom) {
  struct Fiber {
    Context* creator = nullptr;
    Backtrace trace;
  } fiber;
  Stack stack;
  auto body = +[](Fiber* fiber) {
    grandparent(&fiber->trace);
    resume(fiber->creator);
  };
  start(&stack, body, &fiber.creator, &fiber);
  expect_run(fiber.trace,
             {code(&grandparent), code(body), code(&start_on_stack)});
  ASSERT_FALSE(fiber.trace.frames.empty());
  EXPECT_EQ(fiber.trace.frames.back().function, code(&start_on_stack));
}

TEST(UnwindTest, EndsWhereTheParentIsGone) {
  Backtrace trace;
  auto orphan = +[](Context* parent, void* trace) {
    std::array<std::byte, kContextBytes> saved;
    std::memcpy(saved.data(), parent, saved.size());
    end_of_stack(parent);
    capture(trace);
    std::memcpy(parent, saved.data(), saved.size());
  };
  save_and_call(orphan, &trace);
  expect_run(trace, {code(orphan), code(&magpie_context_save_and_call)});
  // libgcc may count the address zero, which is in no function, as a frame.
  while (!trace.frames.empty() && trace.frames.back().function == nullptr)
    trace.frames.pop_back();
  ASSERT_FALSE(trace.frames.empty());
  EXPECT_EQ(trace.frames.back().function, code(&magpie_context_save_and_call));
}

// ------------------------------------------- the registers of the frames above
//
// Exceptions and debuggers restore them while they unwind.

void expect_planted(const Backtrace& trace, const Planted& p) {
  const Frame* frame = trace.find(code(&magpie_test_plant));
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->registers, p.in);
}

// The function's only argument is its context, hence a global for the result.
Backtrace destroyed_trace;

TEST(UnwindTest, RestoresRegistersThatSaveAndCallAloneSaved) {
  auto f = +[](Context* ctx) {
    destroyed_trace = take_backtrace();
    resume(ctx);
  };
  const Planted p = plant(code(&magpie_context_save_and_call),
                          code(&magpie_test_destroy), code(f));
  expect_planted(destroyed_trace, p);
  EXPECT_EQ(p.out, p.in);
}

TEST(UnwindTest, RestoresRegistersThroughCallOnStack) {
  Backtrace trace;
  Stack stack;
  auto f = +[](void* trace) { magpie_test_clobber(&capture, trace); };
  expect_planted(trace,
                 plant(code(&call_on_stack), stack.top(), code(f), &trace));
}

void throw_number(int what) { throw std::runtime_error(std::to_string(what)); }

TEST(ExceptionTest, PassesThroughSaveAndCallAndCallOnStack) {
  EXPECT_THROW(
      save_and_call([](Context*, void*) { throw_number(11); }, nullptr),
      std::runtime_error);
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
