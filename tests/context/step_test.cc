// The unwinding notes at every single instruction: a profiler's signal may
// arrive at any of them. The processor's trap flag raises SIGTRAP after each
// instruction; the handler unwinds from there. x86-64 only (qemu-user does not
// offer AArch64's single step to the program itself).
#if defined(__x86_64__)

#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>

#include "common/context/context.h"
#include "tests/context/backtrace.h"
#include "tests/context/registers.h"
#include "tests/context/stack.h"

namespace magpie::context {
namespace {

struct Walk {
  Planted planted = planted_values();
  const void* fiber_body = nullptr;
  // Per function of the package, the offsets of the instructions seen.
  std::map<const void*, std::set<std::uintptr_t>> seen;
  std::set<std::string> wrong;

  Stack stack;
  Stack fiber_stack;
  Context* main = nullptr;
  Context* fiber = nullptr;
};

// A signal handler has no argument of its own, hence a global.
Walk* walk = nullptr;

bool is_ours(const void* function) {
  return function == code(&magpie_context_save_and_call) ||
         function == code(&resume) || function == code(&switch_to) ||
         function == code(&call_on_stack) || function == code(&start_on_stack);
}

// From every instruction the unwinder finds either the function that planted
// values into the registers, with these very values, or the fiber's body; or it
// stands at the bottom of a fresh stack and knows it.
bool is_sound(const Backtrace& trace, const void* function) {
  if (trace.end != _URC_END_OF_STACK) return false;
  if (trace.frames.size() == Backtrace::kMaxFrames) return false;
  const Frame* planter = trace.find(code(&magpie_test_plant));
  if (planter != nullptr) return planter->registers == walk->planted.in;
  if (trace.find(walk->fiber_body) != nullptr) {
    return trace.frames.back().function == code(&start_on_stack);
  }
  return trace.frames.back().function == function &&
         function == code(&start_on_stack);
}

void on_step(int, siginfo_t*, void* ucontext) {
  const std::uintptr_t pc =
      static_cast<ucontext_t*>(ucontext)->uc_mcontext.gregs[REG_RIP];
  const void* function =
      _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(pc + 1));
  if (!is_ours(function)) return;
  const std::uintptr_t offset = pc - reinterpret_cast<std::uintptr_t>(function);
  walk->seen[function].insert(offset);
  if (is_sound(take_backtrace(), function)) return;
  char where[64];
  std::snprintf(where, sizeof where, "%p + 0x%zx", function, offset);
  walk->wrong.insert(where);
}

// The stack pointer steps over the red zone before anything is pushed.
#define CHANGE_FLAGS(instruction)                             \
  asm volatile("lea -128(%%rsp), %%rsp; pushfq; " instruction \
               ", (%%rsp); "                                  \
               "popfq; lea 128(%%rsp), %%rsp" ::              \
                   : "cc", "memory")
void start_stepping() { CHANGE_FLAGS("orq $0x100"); }
void stop_stepping() { CHANGE_FLAGS("andq $~0x100"); }

void nothing(void*) {}

void resume_erased(void* ctx) { resume(static_cast<Context*>(ctx)); }

void clobber_and_return(Context*) { magpie_test_clobber(&nothing, nullptr); }

void clobber_and_resume(Context* ctx) {
  magpie_test_clobber(&resume_erased, ctx);
}

void switch_to_main(void*) { switch_to(&walk->fiber, walk->main); }

[[gnu::noinline]] void fiber_body(void*) {
  while (true) magpie_test_clobber(&switch_to_main, nullptr);
}

void start_fiber(Context* ctx) {
  walk->main = ctx;
  start_on_stack(walk->fiber_stack.top(), &fiber_body, nullptr);
}

// Everything this package does, always from below magpie_test_plant.
void exercise() {
  const auto run = [](auto* routine, const void* a, const void* b = nullptr) {
    magpie_test_plant(&walk->planted, code(routine), a, b, nullptr);
  };
  run(&magpie_context_save_and_call, code(&clobber_and_return));
  run(&magpie_context_save_and_call, code(&clobber_and_resume));
  run(&magpie_context_save_and_call, code(&start_fiber));
  run(&switch_to, &walk->main, walk->fiber);
  run(&call_on_stack, walk->stack.top(), code(&nothing));
}

TEST(StepTest, EveryInstructionUnwinds) {
  Walk this_walk;
  walk = &this_walk;
  walk->fiber_body = code(&fiber_body);
  struct sigaction action = {}, before;
  action.sa_sigaction = &on_step;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  start_stepping();
  exercise();
  stop_stepping();
  sigaction(SIGTRAP, &before, nullptr);

  EXPECT_EQ(walk->wrong, std::set<std::string>());
  // The number of instructions in each function; the instruction that stops a
  // fiber whose body returns is never reached.
  EXPECT_EQ(walk->seen[code(&magpie_context_save_and_call)].size(), 12u);
  EXPECT_EQ(walk->seen[code(&resume)].size(), 10u);
  EXPECT_EQ(walk->seen[code(&switch_to)].size(), 18u);
  EXPECT_EQ(walk->seen[code(&call_on_stack)].size(), 8u);
  EXPECT_EQ(walk->seen[code(&start_on_stack)].size(), 4u);
}

}  // namespace
}  // namespace magpie::context

#endif  // __x86_64__
