// What a debugger or profiler sees: call chains through this package's frames.
#include <gtest/gtest.h>
#include <unwind.h>

#include <algorithm>
#include <cstdint>

#include "common/context/context.h"
#include "common/context/tests/backtrace.h"
#include "common/context/tests/registers.h"
#include "common/context/tests/stack.h"

namespace magpie::context {
namespace {

void Capture(void* trace) { *static_cast<Backtrace*>(trace) = TakeBacktrace(); }

// The functions that a backtrace must name. Each does something behind its
// call, or the compiler would jump and leave no frame.
[[gnu::noinline]] void Child(Context*, void* trace) {
  Capture(trace);
  asm volatile("");
}

[[gnu::noinline]] void Parent(Context*, void* trace) {
  save_and_call(&Child, trace);
  asm volatile("");
}

[[gnu::noinline]] void Grandparent(void* trace) {
  save_and_call(&Parent, trace);
  asm volatile("");
}

struct OnStack {
  Stack stack;
  Backtrace* trace;
};

[[gnu::noinline]] void CallerOfStack(OnStack* on) {
  call_on_stack(on->stack.top(), &Grandparent, on->trace);
  asm volatile("");
}

const void* Code(auto* function) {
  return reinterpret_cast<const void*>(function);
}

TEST(UnwindTest, SeesTheLineage) {
  Backtrace trace;
  Grandparent(&trace);
  const std::vector<const void*> expected = {
      Code(&Child),       Code(&magpie_context_save_and_call),
      Code(&Parent),      Code(&magpie_context_save_and_call),
      Code(&Grandparent),
  };
  EXPECT_TRUE(trace.HasRun(expected));
  EXPECT_EQ(trace.end, _URC_END_OF_STACK);
}

TEST(UnwindTest, SeesThroughCallOnStack) {
  Backtrace trace;
  OnStack on{.stack = {}, .trace = &trace};
  CallerOfStack(&on);
  const std::vector<const void*> expected = {
      Code(&Grandparent),
      Code(&magpie_context_call_on_stack),
      Code(&CallerOfStack),
  };
  EXPECT_TRUE(trace.HasRun(expected));
  EXPECT_EQ(trace.end, _URC_END_OF_STACK);
}

TEST(UnwindTest, SeesTheLineageAfterResume) {
  Backtrace trace;
  auto resumes = +[](Context*, void* trace) {
    save_and_call([](Context* ctx, void*) { resume(ctx); }, nullptr);
    Capture(trace);
    asm volatile("");
  };
  save_and_call(resumes, &trace);
  EXPECT_TRUE(
      trace.HasRun({Code(resumes), Code(&magpie_context_save_and_call)}));
  EXPECT_EQ(trace.end, _URC_END_OF_STACK);
}

TEST(UnwindTest, EndsAtTheStackBottom) {
  struct Fiber {
    Context* creator = nullptr;
    Backtrace trace;
  } fiber;
  Stack stack;
  auto body = +[](void* arg) {
    Fiber* fiber = static_cast<Fiber*>(arg);
    Grandparent(&fiber->trace);
    resume(fiber->creator);
  };
  Start(&stack, body, &fiber.creator, &fiber);
  EXPECT_TRUE(fiber.trace.HasRun(
      {Code(&Grandparent), Code(body), Code(&magpie_context_start_on_stack)}));
  ASSERT_FALSE(fiber.trace.frames.empty());
  EXPECT_EQ(fiber.trace.frames.back().function,
            Code(&magpie_context_start_on_stack));
  EXPECT_EQ(fiber.trace.end, _URC_END_OF_STACK);
}

// ---- The registers of the frames above, which exceptions and debuggers
// restore while they unwind.

TEST(UnwindTest, RestoresRegistersThroughSaveAndCall) {
  Planted p = PlantedValues();
  Backtrace trace;
  auto f = +[](Context*, void* trace) { magpie_test_clobber(&Capture, trace); };
  magpie_test_plant(&p, Code(&magpie_context_save_and_call), Code(f), &trace,
                    nullptr);
  const Frame* frame = trace.Find(Code(&magpie_test_plant));
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->registers, p.in);
}

// Its only argument is its context, hence a global for the result.
Backtrace destroyed_trace;

TEST(UnwindTest, RestoresRegistersThatNobodyElseSaved) {
  Planted p = PlantedValues();
  auto f = +[](Context* ctx) {
    destroyed_trace = TakeBacktrace();
    resume(ctx);
  };
  magpie_test_plant(&p, Code(&magpie_context_save_and_call),
                    Code(&magpie_test_destroy), Code(f), nullptr);
  const Frame* frame = destroyed_trace.Find(Code(&magpie_test_plant));
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->registers, p.in);
  EXPECT_EQ(p.out, p.in);
}

TEST(UnwindTest, RestoresRegistersThroughCallOnStack) {
  Planted p = PlantedValues();
  Backtrace trace;
  Stack stack;
  auto f = +[](void* trace) { magpie_test_clobber(&Capture, trace); };
  magpie_test_plant(&p, Code(&magpie_context_call_on_stack), stack.top(),
                    Code(f), &trace);
  const Frame* frame = trace.Find(Code(&magpie_test_plant));
  ASSERT_NE(frame, nullptr);
  EXPECT_EQ(frame->registers, p.in);
}

}  // namespace
}  // namespace magpie::context
