// Saving, leaving and continuing an execution: five short assembly routines
// (x86-64 and AArch64) that every runtime with migrating threads or fibers
// builds on. Nothing here knows of tasks, queues or networks.
//
//   // Runs directly below `parent`.
//   void started(Context* ctx, void* arg) {
//     publish(ctx);  // from now on `parent` may go on elsewhere, by resume
//     run_child(arg);
//     if (!unpublish(ctx)) leave_for_scheduler();
//   }  // an ordinary return
//
//   void parent() {
//     int x = 42;
//     save_and_call(&started, nullptr);
//     use(x);  // reached once: by the return of `started` or by resume
//   }
//
// Source: hpdc15 (uni-address threads), Appendix A and Figures 4 to 7; what
// differs from the appendix and why is in README.md, as is a picture of the
// saved frame.
//
// Registers that are switched: the stack pointer, the resume address and the
// callee-saved registers of the C ABI, which is all a call may expect to find
// unchanged. Not switched: the floating-point control words (MXCSR and the x87
// control word; FPCR on AArch64), the signal mask, thread-local storage and the
// C++ runtime's list of exceptions being handled. So all executions in a
// process share one rounding mode, and no context may be left from inside a
// `catch` and continued while another execution handles an exception.
//
// Thread safety: the routines touch nothing but registers, the current stack
// and the frames named by their arguments; there is no state elsewhere.
//
// Invariants:
//   1. A Context* is the lowest address of its saved frame. The frame fills
//      [ctx, ctx + kContextBytes), and ctx + kContextBytes is the stack pointer
//      with which the saved execution goes on.
//   2. A saved frame holds no address but the resume address and what the
//      registers held: copied to the same address in a process with the same
//      code addresses, together with the stack above it, it may be resumed
//      there.
//   3. The bytes below ctx are no part of the saved execution. Whoever resumes
//      it may have overwritten them.
//   4. A context goes on at most once per copy of its bytes: either f returns
//      or somebody calls resume or switch_to, never both.
//   5. All contexts have the same frame, whoever saved them: resume and
//      switch_to continue what save_and_call or switch_to saved.

#ifndef MAGPIE_COMMON_CONTEXT_CONTEXT_H_
#define MAGPIE_COMMON_CONTEXT_CONTEXT_H_

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace magpie::context {

// A saved execution. Opaque: only its address means anything (invariant 1).
struct Context;

// Size of a saved frame in bytes, a multiple of the stack's alignment (16).
#if defined(__x86_64__)
inline constexpr std::size_t kContextBytes = 64;
#elif defined(__aarch64__)
inline constexpr std::size_t kContextBytes = 160;
#else
#error "common/context has assembly for x86-64 and AArch64 only"
#endif

// For the functions below: takes after f the parameters of f after its context.
extern "C" void magpie_context_save_and_call(void (*f)(), ...);

// Saves the current execution on the current stack and calls f(ctx, args...)
// directly below it, on the same stack. Execution goes on after this call when
// f returns, which is an ordinary return that leaves the processor's return
// predictor right, or when somebody calls resume(ctx), maybe in another process
// (invariant 2).
//
// An exception that leaves f passes through to the caller.
//
// Cost: one store per saved register, one indirect call; the return reloads
// none of the registers, since f hands them back as it found them.
// Source: hpdc15 Appendix A, save_context_and_call (lines 11 to 30).
//
// Up to three arguments, each a pointer or an integer of at most 64 bits, stay
// in the registers in which the caller put them.
template <typename... Args>
inline void save_and_call(void (*f)(Context* ctx, Args... args),
                          std::type_identity_t<Args>... args) {
  static_assert(sizeof...(Args) <= 3, "at most three arguments after ctx");
  static_assert(((std::is_pointer_v<Args> ||
                  (std::is_integral_v<Args> && sizeof(Args) <= 8)) &&
                 ...),
                "only pointers and integers of at most 64 bits");
  using Routine = void (*)(void (*)(Context*, Args...), Args...);
  reinterpret_cast<Routine> (&magpie_context_save_and_call)(f, args...);
}

namespace internal {
// Called by save_and_call(f), with the words of f.
template <typename F, typename... Words>
void call_copy(Context* ctx, Words... words) {
  std::bit_cast<F>(std::array{words...})(ctx);
}
}  // namespace internal

// The same for a closure, f(ctx), that captures one to three words: they travel
// in registers, and a copy of f runs. What it has captured by reference may be
// gone as soon as the caller may have gone on.
template <typename F>
requires(std::is_class_v<F>)
    [[gnu::always_inline]] inline void save_and_call(F f) {
  using Word = std::uint64_t;
  constexpr std::size_t kWords = sizeof(F) / sizeof(Word);
  static_assert(sizeof(F) % sizeof(Word) == 0 && kWords <= 3,
                "captures of one to three words");
  const auto words = std::bit_cast<std::array<Word, kWords>>(f);
  if constexpr (kWords == 1)
    save_and_call(&internal::call_copy<F, Word>, words[0]);
  else if constexpr (kWords == 2)
    save_and_call(&internal::call_copy<F, Word, Word>, words[0], words[1]);
  else
    save_and_call(&internal::call_copy<F, Word, Word, Word>, words[0], words[1],
                  words[2]);
}

// Abandons the current execution, without running destructors, and goes on
// where ctx was saved.
//
// REQUIRES: ctx is resumable (invariant 4), and [ctx, top of its thread) holds
// the bytes that were there when it was saved, apart from what the program
// changed since. The current stack pointer may lie anywhere; but nobody can
// copy the frames of ctx over the stack on which the copying runs, so a thread
// is brought back by code that runs on another stack.
//
// Source: hpdc15 Appendix A, resume_context (lines 32 to 35).
[[noreturn]] void resume(Context* ctx) asm("magpie_context_resume");

// Makes the kContextBytes at `at` a frame at which every walk over the stack
// ends: its resume address and its frame pointer are zero. For frames that were
// brought to where their caller's are not: written where that was saved.
inline void end_of_stack(void* at) { std::memset(at, 0, kContextBytes); }

// Calls f(arg) with the stack pointer at stack_top and returns, on the old
// stack, when f returns. Debuggers and exceptions see through it into the
// caller.
//
// REQUIRES: stack_top is 16-byte aligned, with enough free bytes below it. The
// caller's frame stays where it is until f returns; an f that leaves for good
// and outlives the caller's frame is start_on_stack's case.
//
// Source: hpdc15 Figure 7, CALL_WITH_SAFE_SP (lines 9 to 14).
void call_on_stack(void* stack_top, void (*f)(void*),
                   void* arg) asm("magpie_context_call_on_stack");

// Calls f(arg) with the stack pointer at stack_top and forgets the current
// stack: the first frame of a fiber, and where unwinding ends. A debugger or an
// exception looks no further than f, however the creator's stack has changed
// meanwhile.
//
// REQUIRES: stack_top is 16-byte aligned, with enough free bytes below it. f
// does not return (the process would stop with SIGILL or SIGTRAP) and lets no
// exception out (std::terminate).
[[noreturn]] void start_on_stack(
    void* stack_top, void (*f)(void*),
    void* arg) asm("magpie_context_start_on_stack");

// Saves the current execution, stores its context to *save and goes on where
// `to` was saved; returns when somebody continues *save. *save is written
// before `to` runs.
//
// REQUIRES: as for resume(to).
//
// Cost: one store and one load per saved register, one indirect jump.
void switch_to(Context** save, Context* to) asm("magpie_context_switch");

}  // namespace magpie::context

#endif  // MAGPIE_COMMON_CONTEXT_CONTEXT_H_
