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
#include "common/context/tests/backtrace.h"
#include "common/context/tests/registers.h"
#include "common/context/tests/stack.h"

namespace magpie::context {
namespace {

const void* Code(auto* function) {
  return reinterpret_cast<const void*>(function);
}

struct Walk {
  Planted planted = PlantedValues();
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

bool IsOurs(const void* function) {
  return function == Code(&magpie_context_save_and_call) ||
         function == Code(&magpie_context_resume) ||
         function == Code(&magpie_context_switch) ||
         function == Code(&magpie_context_call_on_stack) ||
         function == Code(&magpie_context_start_on_stack);
}

// From every instruction the unwinder finds either the function that planted
// values into the registers, with these very values, or the fiber's body; or it
// stands at the bottom of a fresh stack and knows it.
bool IsSound(const Backtrace& trace, const void* function) {
  if (trace.end != _URC_END_OF_STACK) return false;
  if (trace.frames.size() == Backtrace::kMaxFrames) return false;
  const Frame* planter = trace.Find(Code(&magpie_test_plant));
  if (planter != nullptr) return planter->registers == walk->planted.in;
  if (trace.Find(walk->fiber_body) != nullptr) {
    return trace.frames.back().function == Code(&magpie_context_start_on_stack);
  }
  return trace.frames.back().function == function &&
         function == Code(&magpie_context_start_on_stack);
}

void OnStep(int, siginfo_t*, void* ucontext) {
  const std::uintptr_t pc =
      static_cast<ucontext_t*>(ucontext)->uc_mcontext.gregs[REG_RIP];
  const void* function =
      _Unwind_FindEnclosingFunction(reinterpret_cast<void*>(pc + 1));
  if (!IsOurs(function)) return;
  const std::uintptr_t offset = pc - reinterpret_cast<std::uintptr_t>(function);
  walk->seen[function].insert(offset);
  if (IsSound(TakeBacktrace(), function)) return;
  char where[64];
  std::snprintf(where, sizeof where, "%p + 0x%zx", function, offset);
  walk->wrong.insert(where);
}

// The stack pointer steps over the red zone before anything is pushed.
void StartStepping() {
  asm volatile(
      "lea -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq;"
      "lea 128(%%rsp), %%rsp" ::
          : "cc", "memory");
}
void StopStepping() {
  asm volatile(
      "lea -128(%%rsp), %%rsp; pushfq; andq $~0x100, (%%rsp); popfq;"
      "lea 128(%%rsp), %%rsp" ::
          : "cc", "memory");
}

void Nothing(void*) {}

void ResumeErased(void* ctx) { resume(static_cast<Context*>(ctx)); }

void ClobberAndReturn(Context*, void*) {
  magpie_test_clobber(&Nothing, nullptr);
}

void ClobberAndResume(Context* ctx, void*) {
  magpie_test_clobber(&ResumeErased, ctx);
}

void SwitchToMain(void*) { switch_to(&walk->fiber, walk->main); }

[[gnu::noinline]] void FiberBody(void*) {
  while (true) magpie_test_clobber(&SwitchToMain, nullptr);
}

void StartFiber(Context* ctx, void*) {
  walk->main = ctx;
  start_on_stack(walk->fiber_stack.top(), &FiberBody, nullptr);
}

// Everything this package does, always from below magpie_test_plant.
void Exercise() {
  Planted* p = &walk->planted;
  const void* save_and_call = Code(&magpie_context_save_and_call);
  magpie_test_plant(p, save_and_call, Code(&ClobberAndReturn), nullptr,
                    nullptr);
  magpie_test_plant(p, save_and_call, Code(&ClobberAndResume), nullptr,
                    nullptr);
  magpie_test_plant(p, save_and_call, Code(&StartFiber), nullptr, nullptr);
  magpie_test_plant(p, Code(&magpie_context_switch), &walk->main, walk->fiber,
                    nullptr);
  magpie_test_plant(p, Code(&magpie_context_call_on_stack), walk->stack.top(),
                    Code(&Nothing), nullptr);
}

TEST(StepTest, EveryInstructionUnwinds) {
  Walk this_walk;
  walk = &this_walk;
  walk->fiber_body = Code(&FiberBody);
  struct sigaction action = {}, before;
  action.sa_sigaction = &OnStep;
  action.sa_flags = SA_SIGINFO;
  ASSERT_EQ(sigaction(SIGTRAP, &action, &before), 0);
  StartStepping();
  Exercise();
  StopStepping();
  sigaction(SIGTRAP, &before, nullptr);

  EXPECT_EQ(walk->wrong, std::set<std::string>());
  // The number of instructions in each function; what stops a fiber whose body
  // returns is never reached.
  EXPECT_EQ(walk->seen[Code(&magpie_context_save_and_call)].size(), 12u);
  EXPECT_EQ(walk->seen[Code(&magpie_context_resume)].size(), 10u);
  EXPECT_EQ(walk->seen[Code(&magpie_context_switch)].size(), 18u);
  EXPECT_EQ(walk->seen[Code(&magpie_context_call_on_stack)].size(), 8u);
  EXPECT_EQ(walk->seen[Code(&magpie_context_start_on_stack)].size(), 4u);
}

}  // namespace
}  // namespace magpie::context

#endif  // __x86_64__
