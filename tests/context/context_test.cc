// Calls, returns, resumes and switches within one process; and frames that
// leave their stack and go on in another process.

#include "common/context/context.h"

#include <gtest/gtest.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>

#include "tests/context/registers.h"
#include "tests/context/stack.h"

namespace magpie::context {
namespace {

using std::uintptr_t;

// The stack pointer just before the call of the function that asks.
[[gnu::always_inline]] inline uintptr_t sp_before_me() {
  return reinterpret_cast<uintptr_t>(__builtin_dwarf_cfa());
}

void resume_erased(void* ctx) { resume(static_cast<Context*>(ctx)); }

void expect_unchanged(const Planted& p) {
  EXPECT_EQ(p.in, p.out);
  EXPECT_EQ(p.sp_before, p.sp_after);
}

// ---------------------------------------------- registers, frame and alignment

TEST(SaveAndCallTest, FrameLiesBetweenCallerAndCallee) {
  struct Entry {
    uintptr_t sp = 0;
    Context* ctx = nullptr;
  } entry;
  auto f = +[](Context* ctx, Entry* entry) { *entry = {sp_before_me(), ctx}; };
  const Planted p = plant(code(&magpie_context_save_and_call), code(f), &entry);
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
  uintptr_t sp = 0;
  auto f = +[](void* sp) { *static_cast<uintptr_t*>(sp) = sp_before_me(); };
  expect_unchanged(plant(code(&call_on_stack), stack.top(), code(f), &sp));
  EXPECT_EQ(sp, reinterpret_cast<uintptr_t>(stack.top()));
}

TEST(CallOnStackTest, RegistersSurvive) {
  Stack stack;
  auto f = +[](void*) { magpie_test_clobber([](void*) {}, nullptr); };
  expect_unchanged(plant(code(&call_on_stack), stack.top(), code(f)));
}

// ------------------------------------------------ ordinary returns and resumes

// A closure's captures arrive in the call, by value and by reference.
TEST(SaveAndCallTest, CallsClosuresOfOneToThreeWords) {
  std::uint64_t sum = 0;
  std::uint64_t b = 0xFEDCBA9876543210u;
  std::int64_t c = -7;
  save_and_call([&sum](Context*) { sum += 1; });
  save_and_call([&sum, b](Context*) { sum += b; });
  save_and_call([&sum, b, c](Context* ctx) {
    sum += 2 * b + static_cast<std::uint64_t>(c);
    resume(ctx);
  });
  EXPECT_EQ(sum, 1 + b + 2 * b - 7);
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

// ------------------------- frames that go on in another process

// A thread's frames, copied out: the bytes of [ctx, top). It holds no address
// but ctx, and may lie in memory that processes share.
struct Evacuated {
  Context* ctx = nullptr;
  std::size_t size = 0;
  char bytes[64 * 1024];
};

void evacuate(Context* ctx, const char* top, Evacuated* to) {
  const char* const base = reinterpret_cast<const char*>(ctx);
  to->ctx = ctx;
  to->size = static_cast<std::size_t>(top - base);
  ASSERT_LE(to->size, sizeof(to->bytes));
  std::memcpy(to->bytes, base, to->size);
}

// Runs on a stack that the frames do not cover.
[[noreturn]] void bring_back(const Evacuated& e) {
  std::memcpy(static_cast<void*>(e.ctx), e.bytes, e.size);
  resume(e.ctx);
}

// A computation with state in frames and with pointers between them, which is
// interrupted by leave() several frames deep.
long climb(int depth, const long* above, void (*leave)(void*), void* arg) {
  long here[4] = {depth, *above, 0, 0};
  const long* self = &here[0];  // an address inside the stack
  if (depth == 0) {
    leave(arg);
  } else {
    here[2] = climb(depth - 1, self, leave, arg);
  }
  return self[0] + self[1] + here[2];
}

long climb_all(void (*leave)(void*), void* arg) {
  const long above = 1000;
  return climb(10, &above, leave, arg);
}

// `above`, the depths, and the depths seen from below.
constexpr long kSum = 1000 + 55 + 55;

// Maps memory at the same address in a process and its children.
void* map(std::size_t bytes, int sharing) {
  void* const p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       sharing | MAP_ANONYMOUS, -1, 0);
  EXPECT_NE(p, MAP_FAILED);
  return p;
}

// Memory that both processes see.
struct Shared {
  Evacuated frames;
  // Raised when the frames are there.
  sem_t sent;
  pid_t victim;
  pid_t thief;
  long sum_in_victim;
  long sum_in_thief;
  bool caught_in_thief;
};

struct Job {
  static constexpr std::size_t kRegionBytes = 256 * 1024;
  char* region_top() const { return region + kRegionBytes; }

  // A thread's stack, private to each process.
  char* region = static_cast<char*>(map(kRegionBytes, MAP_PRIVATE));
  Shared* shared = static_cast<Shared*>(map(sizeof(Shared), MAP_SHARED));
};

bool throws_and_catches() {
  try {
    throw std::runtime_error("far from home");
  } catch (const std::runtime_error& e) {
    return std::strcmp(e.what(), "far from home") == 0;
  }
}

void send_frames(Context* ctx, Job* job) {
  evacuate(ctx, job->region_top(), &job->shared->frames);
  sem_post(&job->shared->sent);
}

// The thread. Both processes arrive after save_and_call: the victim by an
// ordinary return, the thief by resume.
void thread(void* arg) {
  Shared* const shared = static_cast<Job*>(arg)->shared;
  auto leave = [](void* job) {
    save_and_call(&send_frames, static_cast<Job*>(job));
  };
  const long sum = climb_all(leave, arg);
  if (getpid() == shared->victim) {
    shared->sum_in_victim = sum;
    return;
  }
  shared->thief = getpid();
  shared->sum_in_thief = sum;
  shared->caught_in_thief = throws_and_catches();
  _exit(0);
}

// The thief: waits for frames on its ordinary stack and goes on with them.
[[noreturn]] void steal(Job* job) {
  while (sem_wait(&job->shared->sent) != 0) continue;
  bring_back(job->shared->frames);
}

TEST(MigrationTest, GoesOnInAnotherProcess) {
  Job job;
  job.shared->victim = getpid();
  ASSERT_EQ(sem_init(&job.shared->sent, 1, 0), 0);
  // The thief exists before the thread does: it shares only addresses with it.
  const pid_t thief = fork();
  ASSERT_GE(thief, 0);
  if (thief == 0) steal(&job);
  call_on_stack(job.region_top(), &thread, &job);
  int status = -1;
  ASSERT_EQ(waitpid(thief, &status, 0), thief);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(job.shared->sum_in_victim, kSum);
  EXPECT_EQ(job.shared->thief, thief);
  EXPECT_EQ(job.shared->sum_in_thief, kSum);
  EXPECT_TRUE(job.shared->caught_in_thief);
}

}  // namespace
}  // namespace magpie::context
