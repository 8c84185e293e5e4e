#include <fcntl.h>
#include <signal.h>
#include <stdio_ext.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>

#include "common/flags/launcher.h"
#include "common/rma/addresses.h"
#include "common/rma/backends.h"
#include "common/rma/supervision/supervision.h"

// Defined by the linker: where the program's code begins and ends.
extern "C" const char __executable_start, etext;

namespace magpie::rma::internal {
namespace {

// State of the process, to which signal handlers belong.
std::atomic<bool>* spoken = nullptr;
// Meaning of a fault directly below the region, and the function that tells the
// meaning of one elsewhere; either may be null.
const char* region_overflow = nullptr;
const char* (*explain_fault)(uintptr_t address) = nullptr;
// The process that is in a run, a child of which has another number.
pid_t running = 0;

// ----------------------------------------------------------------------- words

bool is_first_to_speak() {
  // Before they are ranks, a launcher's processes all make the same mistake;
  // the launcher ends the others when the first has spoken.
  if (is_outside_run() && !flags::speaks_for_all()) sleep(5);
  if (spoken == nullptr || !spoken->exchange(true)) return true;
  sleep(1);
  return false;
}

// Prints the words with which the process ends. Called by signal handlers, too.
void say(std::string_view words) {
  if (!is_first_to_speak()) return;
  signal(SIGPIPE, SIG_IGN);
  char begin[64];
  size_t n = 0;
  const auto add = [&](const char* format, auto argument) {
    n += static_cast<size_t>(
        std::snprintf(begin + n, sizeof(begin) - n, format, argument));
  };
  add("%smagpie: ", beginning_of_words());
  if (!is_outside_run()) add("rank %d: ", rank());
  char end[] = "\n";
  const iovec line[] = {
      {begin, n}, {const_cast<char*>(words.data()), words.size()}, {end, 1}};
  if (writev(STDERR_FILENO, line, 3) < 0) {
    // Nobody listens; the exit status still tells.
  }
}

// --------------------------------------------------------------------- crashes

// Whether code has met the memory of nobody, or other ranks' outside a run.
bool is_nobodys(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  return at - kNobodysAddress < kGuardReach ||
         (is_outside_run() && at - kPeersAddress < kPeersReach);
}

struct Crash {
  int signal;
  const char* words;
  // Action that a library had set for the signal.
  struct sigaction before;
};
Crash crashes[] = {{SIGSEGV, "Segmentation fault", {}},
                   {SIGBUS, "Bus error", {}},
                   {SIGILL, "Illegal instruction", {}},
                   {SIGFPE, "Floating point exception", {}},
                   {SIGABRT, "Aborted", {}}};

uintptr_t stack_pointer(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(registers.gregs[REG_RSP]);
#else
  return registers.sp;
#endif
}

// Returns what a fault of memory means; null: that is not known.
const char* explanation(const void* address, const void* context) {
  const TaskStacks& stacks = self().task_stacks;
  if (stacks.hold(address)) return stacks.overflow(stacks.whose);
  const auto at = reinterpret_cast<uintptr_t>(address);
  const auto region = reinterpret_cast<uintptr_t>(self().region);
  if (region_overflow != nullptr && region - at - 1 < kGuardReach)
    return region_overflow;
  const char* const words =
      explain_fault != nullptr ? explain_fault(at) : nullptr;
  if (words != nullptr) return words;
  // Frames are entered page by page (-fstack-clash-protection).
  constexpr uintptr_t kReach = 64 << 10;
  if (at - stack_pointer(context) + kReach >= 2 * kReach) return nullptr;
  return "the stack of the process is exhausted: functions nest too deeply, or "
         "have large frames; raise its limit (ulimit -s)";
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const Crash& crash = *std::ranges::find(crashes, signal, &Crash::signal);
  const char* what = crash.words;
  char words[64];
  if (info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS)) {
    if (is_nobodys(info->si_addr)) {
      say(self().mistaken_call);
      _exit(1);
    }
    what = explanation(info->si_addr, context);
    if (what == nullptr) {
      std::snprintf(words, sizeof(words), "%s at address %p", crash.words,
                    info->si_addr);
      what = words;
    }
  }
  // A process that a task has forked is no rank, and says nothing of one.
  if (!is_outside_run() && (running == 0 || running == getpid())) say(what);
  // The instruction faults again when this handler is left, or the signal comes
  // again; it kills, or the library's handler has it.
  sigaction(signal, &crash.before, nullptr);
  if (info->si_code <= 0) raise(signal);
}

// Sets the handlers, also in the place of those of libraries, from which nobody
// learns what rank crashed; but not of the program's own.
bool handle_crashes() {
  for (Crash& crash : crashes) {
    struct sigaction action;
    sigaction(crash.signal, nullptr, &action);
    const auto at = reinterpret_cast<uintptr_t>(action.sa_handler);
    const bool is_programs =
        at >= reinterpret_cast<uintptr_t>(&__executable_start) &&
        at < reinterpret_cast<uintptr_t>(&etext);
    if (is_programs || action.sa_sigaction == on_crash) continue;
    crash.before = action;
    action = {};
    action.sa_sigaction = on_crash;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigaction(crash.signal, &action, nullptr);
  }
  return true;
}

[[maybe_unused]] const bool handles_from_the_start = handle_crashes();

// Gives handlers a stack, if the program has not.
void have_signal_stack() {
  constexpr size_t kBytes = 64 << 10;
  stack_t stack;
  if (sigaltstack(nullptr, &stack) != 0 || (stack.ss_flags & SS_DISABLE) == 0)
    return;
  // No static memory, in which tasks would seem to have written (globals.h).
  static void* const memory = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE,
                                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return;
  stack = {.ss_sp = memory, .ss_flags = 0, .ss_size = kBytes};
  sigaltstack(&stack, nullptr);
}

// ----------------------------------------------------------------------- exits

void refuse_exit_in_run(int status) {
  if (running == getpid())
    fatal("called exit in the middle of the run", status == 0 ? 1 : status);
}

void refuse_exits() {
  running = getpid();
  static const bool registered =
      on_exit([](int status, void*) { refuse_exit_in_run(status); }, nullptr) ==
          0 &&
      at_quick_exit([] { refuse_exit_in_run(0); }) == 0;
  if (!registered) abort();
}

// Ends a process that would end well, but whose results are lost.
void tell_of_lost_output(int status, void*) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && !std::cout.bad())
    return;
  std::fputs(
      "magpie: standard output could not be written: what was printed is lost, "
      "or a part of it\n",
      stderr);
  if (status == 0) _exit(1);
}

// Called after all that the program has asked for at its exit.
[[maybe_unused]] const int looks_at_output =
    on_exit(tell_of_lost_output, nullptr);

// Opens /dev/null where a standard stream is closed: else a file of the job's
// own would get its number, and what the program prints. Reads and writes still
// fail there.
[[maybe_unused]] const bool has_streams = [] {
  for (const int fd : {0, 1, 2})
    if (fcntl(fd, F_GETFD) < 0)
      open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
  return true;
}();

}  // namespace

void enter_run(const SegmentLayout& layout, std::atomic<bool>* shared,
               const char* (*explain)(uintptr_t address)) {
  spoken = shared;
  region_overflow = layout.region_bytes > 0 ? layout.region_overflow : nullptr;
  explain_fault = explain;
  have_signal_stack();
  handle_crashes();
  refuse_exits();
  // A buffer of one byte is that of a stream that the user wants unbuffered.
  if (__fbufsize(stdout) != 1) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

void leave_run() {
  backend::current = &nobody;
  running = 0;
  region_overflow = nullptr;
  explain_fault = nullptr;
}

const char* beginning_of_words() {
  return isatty(STDERR_FILENO) != 0 ? "\x1b[K" : "";
}

void take_signal(void (*handler)(int signal)) {
  struct sigaction action;
  sigaction(SIGUSR1, nullptr, &action);
  if (action.sa_handler != SIG_DFL) return;
  action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

void speak_last(std::string_view message) {
  std::fflush(stdout);
  say(message);
}

}  // namespace magpie::rma::internal

// Replace the C library's functions, which call no handler before they exit.
extern "C" void _exit(int status) {
  if (status == 0) magpie::rma::internal::refuse_exit_in_run(status);
  for (;;) syscall(SYS_exit_group, status);
}
extern "C" void _Exit(int status) { _exit(status); }
