// Calls, returns, resumes and switches within one process.

#include "common/context/context.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>

#include "tests/context/registers.h"
#include "tests/context/stack.h"

namespace magpie::context {
namespace {

using std::uintptr_t;

void resume_erased(void* ctx) { resume(static_cast<Context*>(ctx)); }

void expect_unchanged(const Planted& p) {
  EXPECT_EQ(p.in, p.out);
  EXPECT_EQ(p.sp_before, p.sp_after);
}

// ---------------------------------------------- registers, frame and alignment

TEST(SaveAndCallTest, FrameLiesBetweenCallerAndCallee) {
  Entry entry;
  const Planted p = plant(code(&magpie_context_save_and_call),
                          code(&magpie_test_enter), &entry);
  expect_unchanged(p);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(entry.ctx), entry.sp);
  EXPECT_EQ(entry.sp + kContextBytes, p.sp_before);
  EXPECT_EQ(entry.sp % 16, 0u);
}

TEST(SaveAndCallTest, RegistersSurviveReturnAndResume) {
  // f itself restores what it destroys, as any function does.
  auto returns = +[](Context*) { magpie_test_clobber([](void*) {}, nullptr); };
  auto resumes =
      +[](Context* ctx) { magpie_test_clobber(&resume_erased, ctx); };
  for (auto* f : {returns, resumes}) {
    expect_unchanged(plant(code(&magpie_context_save_and_call), code(f)));
  }
}

TEST(CallOnStackTest, EntersAtTop) {
  Stack stack;
  Entry entry;
  expect_unchanged(plant(code(&call_on_stack), stack.top(),
                         code(&magpie_test_enter_stack), &entry));
  EXPECT_EQ(entry.sp, reinterpret_cast<uintptr_t>(stack.top()));
}

TEST(CallOnStackTest, RegistersSurvive) {
  Stack stack;
  auto f = +[](void*) { magpie_test_clobber([](void*) {}, nullptr); };
  expect_unchanged(plant(code(&call_on_stack), stack.top(), code(f)));
}

// ------------------------------------------------ ordinary returns and resumes

TEST(SaveAndCallTest, PassesThreeArguments) {
  struct Seen {
    std::uint64_t b = 0;
    int c = 0;
  } seen;
  auto f = +[](Context*, Seen* seen, std::uint64_t b, int c) {
    seen->b = b;
    seen->c = c;
  };
  save_and_call(f, &seen, 0xFEDCBA9876543210u, -7);
  EXPECT_EQ(seen.b, 0xFEDCBA9876543210u);
  EXPECT_EQ(seen.c, -7);
}

// A closure's captures arrive in the call, by value and by reference.
TEST(SaveAndCallTest, CallsClosuresOfOneToThreeWords) {
  std::uint64_t sum = 0;
  std::uint64_t b = 0xFEDCBA9876543210u;
  std::int64_t c = -7;
  save_and_call([&sum](Context*) { sum += 1; });
  save_and_call([&sum, b](Context*) { sum += b; });
  save_and_call([&sum, b, c](Context* ctx) {
    sum += b + static_cast<std::uint64_t>(c);
    resume(ctx);
  });
  EXPECT_EQ(sum, 1 + b + b - 7);
}

// ---------------------------------------------------------------- other stacks

struct PingPong {
  Stack stack;
  Context* main = nullptr;
  Context* fiber = nullptr;
  std::uint64_t in_fiber = 0;
};

void switch_back(void* arg) {
  PingPong* p = static_cast<PingPong*>(arg);
  switch_to(&p->fiber, p->main);
}

TEST(SwitchTest, RegistersSurvive) {
  PingPong p;
  auto body = +[](PingPong* p) {
    while (true) magpie_test_clobber(&switch_back, p);
  };
  start(&p.stack, body, &p.main, &p);
  for (int i = 0; i < 3; ++i) {
    const Planted planted = plant(code(&switch_to), &p.main, p.fiber);
    expect_unchanged(planted);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p.main) + kContextBytes,
              planted.sp_before);
  }
}

TEST(SwitchTest, ResumeContinuesWhatSwitchSaved) {
  PingPong p;
  auto body = +[](PingPong* p) {
    switch_to(&p->fiber, p->main);
    ++p->in_fiber;
    resume(p->main);
  };
  start(&p.stack, body, &p.main, &p);
  EXPECT_EQ(p.in_fiber, 0u);
  auto go_on = +[](Context* ctx, PingPong* p) {
    p->main = ctx;
    resume(p->fiber);
  };
  save_and_call(go_on, &p);
  EXPECT_EQ(p.in_fiber, 1u);
}

TEST(StartOnStackDeathTest, ReturningStopsTheProcess) {
#if defined(__x86_64__)
  constexpr int kSignal = SIGILL;
#else
  constexpr int kSignal = SIGTRAP;
#endif
  Stack stack;
  EXPECT_EXIT(start_on_stack(
                  stack.top(), [](void*) {}, nullptr),
              testing::KilledBySignal(kSignal), "");
}

}  // namespace
}  // namespace magpie::context
