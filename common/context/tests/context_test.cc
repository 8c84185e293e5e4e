// Calls, returns, resumes and switches within one process.

#include "common/context/context.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdint>
#include <vector>

#include "common/context/tests/registers.h"
#include "common/context/tests/stack.h"

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
  Planted p = planted_values();
  Entry entry;
  magpie_test_plant(&p, code(&magpie_context_save_and_call),
                    code(&magpie_test_enter), &entry, nullptr);
  expect_unchanged(p);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(entry.ctx), entry.sp);
  EXPECT_EQ(entry.sp + kContextBytes, p.sp_before);
  EXPECT_EQ(entry.sp % 16, 0u);
}

TEST(SaveAndCallTest, RegistersSurviveOrdinaryReturn) {
  Planted p = planted_values();
  // f itself restores what it destroys, as any function does.
  auto f = +[](Context*, void*) { magpie_test_clobber([](void*) {}, nullptr); };
  magpie_test_plant(&p, code(&magpie_context_save_and_call), code(f), nullptr,
                    nullptr);
  expect_unchanged(p);
}

TEST(SaveAndCallTest, RegistersSurviveResume) {
  Planted p = planted_values();
  auto f =
      +[](Context* ctx, void*) { magpie_test_clobber(&resume_erased, ctx); };
  magpie_test_plant(&p, code(&magpie_context_save_and_call), code(f), nullptr,
                    nullptr);
  expect_unchanged(p);
}

TEST(CallOnStackTest, EntersAtTop) {
  Stack stack;
  Entry entry;
  Planted p = planted_values();
  magpie_test_plant(&p, code(&magpie_context_call_on_stack), stack.top(),
                    code(&magpie_test_enter_stack), &entry);
  expect_unchanged(p);
  EXPECT_EQ(entry.sp, reinterpret_cast<uintptr_t>(stack.top()));
}

TEST(CallOnStackTest, RegistersSurvive) {
  Stack stack;
  auto f = +[](void*) { magpie_test_clobber([](void*) {}, nullptr); };
  Planted p = planted_values();
  magpie_test_plant(&p, code(&magpie_context_call_on_stack), stack.top(),
                    code(f), nullptr);
  expect_unchanged(p);
}

// ------------------------------------------------ ordinary returns and resumes

TEST(SaveAndCallTest, ReturnsAndPassesArgument) {
  int x = 1;
  save_and_call([](Context*, void* arg) { *static_cast<int*>(arg) += 41; }, &x);
  EXPECT_EQ(x, 42);
}

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

TEST(SaveAndCallTest, ResumeSkipsTheRestOfF) {
  int reached = 0;
  save_and_call(
      [](Context* ctx, void* arg) {
        int* reached = static_cast<int*>(arg);
        *reached = 1;
        resume(ctx);
        *reached = 2;
      },
      &reached);
  EXPECT_EQ(reached, 1);
}

struct Lineage {
  int depth;
  int resume_at;  // -1: everybody returns
  std::vector<Context*> saved = {};
  std::vector<int> went_on = {};
};

struct Level {
  Lineage* lineage;
  int depth;
};

void descend(Level level);

void below(Context* ctx, void* arg) {
  const Level level = *static_cast<Level*>(arg);
  Lineage* lineage = level.lineage;
  lineage->saved.push_back(ctx);
  if (level.depth < lineage->depth) {
    descend({lineage, level.depth + 1});
  } else if (lineage->resume_at >= 0) {
    resume(lineage->saved[lineage->resume_at]);
  }
}

void descend(Level level) {
  volatile int local[8];
  for (int i = 0; i < 8; ++i) local[i] = level.depth + i;
  save_and_call(&below, &level);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(local[i], level.depth + i);
  level.lineage->went_on.push_back(level.depth);
}

TEST(LineageTest, EverybodyReturns) {
  Lineage lineage{.depth = 100, .resume_at = -1};
  descend({&lineage, 0});
  ASSERT_EQ(lineage.went_on.size(), 101u);
  for (int i = 0; i <= 100; ++i) EXPECT_EQ(lineage.went_on[i], 100 - i);
  for (int i = 0; i < 100; ++i) {
    EXPECT_GE(reinterpret_cast<uintptr_t>(lineage.saved[i]),
              reinterpret_cast<uintptr_t>(lineage.saved[i + 1]) + kContextBytes)
        << "children lie below their parents";
  }
}

TEST(LineageTest, ResumesEachAncestor) {
  for (int resume_at = 0; resume_at <= 30; ++resume_at) {
    Lineage lineage{.depth = 30, .resume_at = resume_at};
    descend({&lineage, 0});
    std::vector<int> expected;
    for (int depth = resume_at; depth >= 0; --depth) expected.push_back(depth);
    EXPECT_EQ(lineage.went_on, expected);
  }
}

// ---------------------------------------------------------------- other stacks

struct Onion {
  std::vector<Stack> stacks;
  std::size_t depth = 0;
  std::vector<bool> in_place = {};
};

void peel(void* arg) {
  Onion* onion = static_cast<Onion*>(arg);
  char local = 'x';
  const std::size_t depth = onion->depth;
  onion->in_place.push_back(onion->stacks[depth].holds(&local));
  if (++onion->depth < onion->stacks.size()) {
    call_on_stack(onion->stacks[onion->depth].top(), &peel, onion);
  }
  // Back here, on this stack: the local is still ours.
  onion->in_place.push_back(onion->stacks[depth].holds(&local) && local == 'x');
}

TEST(CallOnStackTest, Nests) {
  Onion onion{.stacks = std::vector<Stack>(8)};
  call_on_stack(onion.stacks[0].top(), &peel, &onion);
  EXPECT_EQ(onion.in_place, std::vector<bool>(16, true));
}

// A fiber that switches back at once, forever.
struct PingPong {
  Context* main = nullptr;
  Context* fiber = nullptr;
  std::uint64_t in_fiber = 0;
};

TEST(SwitchTest, PingPongOneMillionTimes) {
  Stack stack;
  PingPong p;
  start(
      &stack,
      [](void* arg) {
        PingPong* p = static_cast<PingPong*>(arg);
        while (true) {
          ++p->in_fiber;
          switch_to(&p->fiber, p->main);
        }
      },
      &p.main, &p);
  for (std::uint64_t i = 1; i <= 1'000'000; ++i) {
    ASSERT_EQ(p.in_fiber, i);
    switch_to(&p.main, p.fiber);
  }
  EXPECT_TRUE(stack.holds(p.fiber));
  EXPECT_FALSE(stack.holds(p.main));
}

TEST(SwitchTest, RegistersSurvive) {
  Stack stack;
  PingPong p;
  start(
      &stack,
      [](void* arg) {
        while (true) {
          magpie_test_clobber(
              [](void* arg) {
                PingPong* p = static_cast<PingPong*>(arg);
                switch_to(&p->fiber, p->main);
              },
              arg);
        }
      },
      &p.main, &p);
  for (int i = 0; i < 3; ++i) {
    Planted planted = planted_values();
    magpie_test_plant(&planted, code(&magpie_context_switch), &p.main, p.fiber,
                      nullptr);
    expect_unchanged(planted);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(p.main) + kContextBytes,
              planted.sp_before);
  }
}

TEST(SwitchTest, ResumeContinuesWhatSwitchSaved) {
  Stack stack;
  PingPong p;
  start(
      &stack,
      [](void* arg) {
        PingPong* p = static_cast<PingPong*>(arg);
        switch_to(&p->fiber, p->main);
        ++p->in_fiber;
        resume(p->main);
      },
      &p.main, &p);
  EXPECT_EQ(p.in_fiber, 0u);
  save_and_call(
      [](Context* ctx, void* arg) {
        PingPong* p = static_cast<PingPong*>(arg);
        p->main = ctx;
        resume(p->fiber);
      },
      &p);
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
