// Call chains through this package's frames, as a debugger, a profiler or an
// exception sees them.

#include <gtest/gtest.h>
#include <signal.h>
#include <ucontext.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "common/context/context.h"
#include "tests/context/registers.h"
#include "tests/context/stack.h"

namespace magpie::context {
namespace {

// A call chain as libgcc's unwinder sees it, from the unwinding notes alone.
struct Frame {
  // The function's first instruction; null if unknown.
  const void* function = nullptr;
  // Callee-saved registers as the function has them, in kCalleeSaved's order.
  std::array<std::uint64_t, kCalleeSaved.size()> registers = {};
};

struct Backtrace {
  static constexpr std::size_t kMaxFrames = 200;

  // Innermost first.
  std::vector<Frame> frames = {};
  _Unwind_Reason_Code end = _URC_NO_REASON;

  const Frame* find(const void* function) const {
    const auto i =
        std::find_if(frames.begin(), frames.end(),
                     [=](const Frame& f) { return f.function == function; });
    return i == frames.end() ? nullptr : &*i;
  }

  // Whether these functions follow one another somewhere in the chain.
  bool has_run(const std::vector<const void*>& run) const {
    return std::search(frames.begin(), frames.end(), run.begin(), run.end(),
                       [](const Frame& f, const void* function) {
                         return f.function == function;
                       }) != frames.end();
  }
};

[[gnu::noinline]] inline Backtrace take_backtrace() {
  Backtrace trace;
  auto visit = [](_Unwind_Context* context, void* arg) {
    Backtrace* trace = static_cast<Backtrace*>(arg);
    if (trace->frames.size() == Backtrace::kMaxFrames) return _URC_END_OF_STACK;
    Frame frame;
    frame.function =
        reinterpret_cast<const void*>(_Unwind_GetRegionStart(context));
    for (std::size_t i = 0; i < kCalleeSaved.size(); ++i) {
      frame.registers[i] = _Unwind_GetGR(context, kCalleeSaved[i]);
    }
    trace->frames.push_back(frame);
    return _URC_NO_REASON;
  };
  trace.end = _Unwind_Backtrace(visit, &trace);
  return trace;
}

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
    save_and_call(
        +[](Context* ctx, void*) { resume(ctx); }, nullptr);
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
  EXPECT_THROW(save_and_call(
                   +[](Context*, void*) { throw_number(11); }, nullptr),
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

// ------------------------------------------------------- every instruction
//
// A profiler's signal may arrive at any instruction. The processor's trap flag
// raises SIGTRAP after each; the handler unwinds from there. x86-64 only
// (qemu-user does not offer AArch64's single step to the program itself).
#if defined(__x86_64__)

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

#endif  // __x86_64__

}  // namespace
}  // namespace magpie::context
