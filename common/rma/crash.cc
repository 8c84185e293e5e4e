#include "common/rma/crash.h"

#include <signal.h>
#include <stdio_ext.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "common/flags/launcher.h"
#include "common/rma/addresses.h"
#include "common/rma/outside.h"

// Defined by the linker: where the program's code begins and ends.
extern "C" const char __executable_start, etext;

namespace magpie::rma::internal {
namespace {

struct Range {
  const std::byte* begin = nullptr;
  size_t bytes = 0;
  const char* what = nullptr;

  bool holds(const void* address) const {
    const auto* p = static_cast<const std::byte*>(address);
    return p >= begin && p < begin + bytes;
  }
};

// Words for calls outside a run of their facade, by the object that they need.
constexpr char kNoRuntime[] =
    "called outside run(): spawn, join and root_task are for tasks";
constexpr char kNoPool[] =
    "called outside run_pool(): add, merge and pool_root are for the root and "
    "for tasks";
constexpr char kNoMemory[] =
    "called outside run() or run_pool(): functions that need ranks, or their "
    "memory, are for tasks";
constexpr char kRunIsAPool[] =
    "spawn, join and root_task are for tasks of run(); this is a run of "
    "run_pool(), whose tasks call add, merge and pool_root";
constexpr char kRunIsNoPool[] =
    "add, merge and pool_root are for tasks of run_pool(); this is a run of "
    "run(), whose tasks call spawn, join and root_task";
constexpr char kTooEarly[] =
    "spawn, join and root_task are for tasks; prepare() runs before any task";
constexpr char kTooEarlyInAPool[] =
    "add, merge and pool_root are for the root and for tasks; prepare() runs "
    "before them";

// State of the process, to which signal handlers belong; written before any
// handler can run.
std::array<Range, 4> known_ranges;
size_t known_range_count = 0;
// Bytes of each of the segments that lie side by side; 0: they do not.
size_t peer_bytes = 0;
std::atomic<bool>* spoken = nullptr;
bool wrote_blocks = false;
const char* words_begin = "";
std::atomic<bool>* line_is_shown = nullptr;

bool is_within(uintptr_t at, uintptr_t begin, uintptr_t end) {
  return at >= begin && at < end;
}
bool is_nobodys(uintptr_t at) {
  return is_within(at, kNobodysRuntime, kNobodysEnd);
}

// Words for a call that met the object or memory of nobody at this address.
const char* mistaken_call(uintptr_t at) {
  const bool wants_pool = is_within(at, kNobodysPool, kNobodysMemory);
  if (is_outside_run()) {
    if (at >= kNobodysMemory) return kNoMemory;
    return wants_pool ? kNoPool : kNoRuntime;
  }
  if (is_within(at, kPoolInARuntime, kNobodysMemory)) return kRunIsNoPool;
  if (is_within(at, kRuntimeInAPool, kNobodysPool)) return kRunIsAPool;
  return wants_pool ? kTooEarlyInAPool : kTooEarly;
}

// The words for a fault that a wrong call caused; null: the fault is another.
const char* mistake(const void* address) {
  const auto at = reinterpret_cast<uintptr_t>(address);
  if (is_nobodys(at)) return mistaken_call(at);
  if (is_outside_run() &&
      is_within(at, kPeersAddress, kPeersAddress + kPeersReach))
    return kNoMemory;
  return nullptr;
}

constexpr char kStackExhausted[] =
    "the stack of the process is exhausted: functions nest too deeply, or have "
    "large frames; raise its limit (ulimit -s)";

uintptr_t stack_pointer(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<uintptr_t>(registers.gregs[REG_RSP]);
#else
  return registers.sp;
#endif
}

// Whether a fault is the stack's end: frames are entered page by page
// (-fstack-clash-protection).
bool is_next_to_the_stack(uintptr_t at, const void* context) {
  constexpr uintptr_t kReach = 64 << 10;
  return at - stack_pointer(context) + kReach < 2 * kReach;
}

const char* explanation(const void* address, const void* context) {
  const TaskStacks& stacks = self().task_stacks;
  if (stacks.hold(address)) return stacks.overflow(stacks.whose);
  for (size_t i = 0; i < known_range_count; ++i) {
    if (known_ranges[i].holds(address)) return known_ranges[i].what;
  }
  const auto at = reinterpret_cast<uintptr_t>(address);
  return is_next_to_the_stack(at, context) ? kStackExhausted : nullptr;
}

struct Signal {
  int number;
  const char* words;
};
constexpr std::array kSignals = {
    Signal{SIGSEGV, "Segmentation fault"}, Signal{SIGBUS, "Bus error"},
    Signal{SIGILL, "Illegal instruction"},
    Signal{SIGFPE, "Floating point exception"}, Signal{SIGABRT, "Aborted"}};
const char* words_of(int signal) {
  for (const Signal& known : kSignals)
    if (known.number == signal) return known.words;
  return "a signal";
}

// Writes where a fault was, as far as can be told, to `words`.
void describe(uintptr_t at, int signal, char* words, size_t size) {
  if (peer_bytes == 0 || at < kPeersAddress - peer_bytes ||
      at >= kNobodysRuntime) {
    std::snprintf(words, size, "%s at address %p", words_of(signal),
                  reinterpret_cast<void*>(at));
    return;
  }
  const size_t from_before = at - (kPeersAddress - peer_bytes);
  std::snprintf(words, size,
                "an operation at offset 0x%zx of rank %ld's segment: there are "
                "ranks 0 to %d, with segments of 0x%zx bytes",
                from_before % peer_bytes,
                static_cast<long>(from_before / peer_bytes) - 1,
                rma::size() - 1, peer_bytes);
}

bool is_first_to_speak() {
  // Before they are ranks, a launcher's processes all make the same mistake;
  // the launcher ends the others when the first has spoken.
  if (is_outside_run() && flags::launched().index > 0) sleep(5);
  if (spoken == nullptr || !spoken->exchange(true)) return true;
  sleep(1);
  return false;
}

// The program's own handlers, or a library's.
std::array<struct sigaction, kSignals.size()> before;
// The stack that the program had for them.
stack_t stack_before;

// Prints the words with which the process dies.
void say(const char* words) {
  char line[512];
  const int n =
      is_outside_run()
          ? std::snprintf(line, sizeof(line), "%smagpie: %s\n",
                          beginning_of_words(), words)
          : std::snprintf(line, sizeof(line), "%smagpie: rank %d: %s\n",
                          beginning_of_words(), rank(), words);
  if (is_first_to_speak() &&
      write(STDERR_FILENO, line, static_cast<size_t>(n)) < 0) {
    // Nobody listens; the exit status still tells.
  }
}

// Writes the words for a signal of a crash to `words`, or returns others.
const char* words_on(int signal, const siginfo_t* info, const void* context,
                     char* words, size_t size) {
  const bool memory_fault = signal == SIGSEGV || signal == SIGBUS;
  if (info->si_code <= 0 && info->si_pid != getpid()) {
    std::snprintf(words, size, "%s, sent by process %d", words_of(signal),
                  info->si_pid);
    return words;
  }
  if (info->si_code <= 0 || !memory_fault) return words_of(signal);
  if (const char* what = explanation(info->si_addr, context)) return what;
  describe(reinterpret_cast<uintptr_t>(info->si_addr), signal, words, size);
  return words;
}

// Whether the handler is to be called: in a run only the program's own, since
// libraries of MPI set some, too, from which nobody learns what rank crashed.
bool is_wanted(const struct sigaction& action) {
  if (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
    return false;
  if (is_outside_run()) return true;
  const auto at = reinterpret_cast<uintptr_t>(action.sa_handler);
  return at >= reinterpret_cast<uintptr_t>(&__executable_start) &&
         at < reinterpret_cast<uintptr_t>(&etext);
}

// Calls the handler that was there before; false: there is none.
bool is_handled_otherwise(int signal, siginfo_t* info, void* context) {
  const auto known =
      std::find_if(kSignals.begin(), kSignals.end(),
                   [signal](const Signal& is) { return is.number == signal; });
  struct sigaction& its = before[static_cast<size_t>(known - kSignals.begin())];
  const struct sigaction action = its;
  if (!is_wanted(action)) return false;
  if ((action.sa_flags & SA_RESETHAND) != 0) its = {};
  if ((action.sa_flags & SA_SIGINFO) != 0)
    action.sa_sigaction(signal, info, context);
  else
    action.sa_handler(signal);
  return true;
}

void on_crash(int signal, siginfo_t* info, void* context) {
  const bool memory_fault =
      info->si_code > 0 && (signal == SIGSEGV || signal == SIGBUS);
  if (const char* what = memory_fault ? mistake(info->si_addr) : nullptr) {
    say(what);
    _exit(1);
  }
  const bool is_known = memory_fault && !is_outside_run() &&
                        explanation(info->si_addr, context) != nullptr;
  if (!is_known && is_handled_otherwise(signal, info, context)) return;
  if (!is_outside_run()) {
    char words[256];
    say(words_on(signal, info, context, words, sizeof(words)));
  }
  // The signal kills when this handler is left.
  std::signal(signal, SIG_DFL);
  raise(signal);
}

void handle(size_t i) {
  struct sigaction action = {}, old;
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(kSignals[i].number, &action, &old);
  if (old.sa_sigaction != on_crash) before[i] = old;
}

// Sets the handler of memory faults before main().
[[maybe_unused]] const bool handles_from_the_start = (handle(0), true);

void use_own_stack() {
  alignas(16) static std::byte memory[64 << 10];
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = sizeof(memory);
  sigaltstack(&stack, &stack_before);
}

// Whether the stream writes block by block. A stream that the user wants
// unbuffered has a buffer of one byte. One to which nothing was written has
// none yet, and will write lines on a terminal.
bool writes_blocks(std::FILE* stream) {
  const size_t buffer = __fbufsize(stream);
  if (buffer == 0 && isatty(fileno(stream)) != 0) return false;
  return __flbf(stream) == 0 && buffer != 1;
}

}  // namespace

void enter_run(const SegmentLayout& layout, std::atomic<bool>* shared) {
  known_range_count = 0;
  peer_bytes = 0;
  spoken = shared;
  if (layout.region_bytes > 0) {
    explain_faults(self().region - kGuardReach, kGuardReach,
                   layout.region_overflow);
  }
  use_own_stack();
  for (size_t i = 0; i < kSignals.size(); ++i) handle(i);
  wrote_blocks = writes_blocks(stdout);
  if (wrote_blocks) std::setvbuf(stdout, nullptr, _IOLBF, 0);
}

void leave_run() {
  backend::current = &nobody;
  known_range_count = 0;
  spoken = nullptr;
  begin_words_with("");
  if (wrote_blocks) std::setvbuf(stdout, nullptr, _IOFBF, 0);
  sigaltstack(&stack_before, nullptr);
  // Restores all handlers but that of memory faults, which stays for calls that
  // need a run.
  for (size_t i = 1; i < kSignals.size(); ++i)
    sigaction(kSignals[i].number, &before[i], nullptr);
}

void explain_faults(const void* begin, size_t bytes, const char* what) {
  if (known_range_count == known_ranges.size()) std::abort();
  known_ranges[known_range_count++] = {static_cast<const std::byte*>(begin),
                                       bytes, what};
}

void explain_peers(size_t bytes) { peer_bytes = bytes; }

void begin_words_with(const char* text) {
  if (line_is_shown != nullptr && (*text != 0 || *words_begin != 0))
    line_is_shown->store(*text != 0);
  words_begin = text;
}

void share_line(std::atomic<bool>* is_shown) { line_is_shown = is_shown; }

const char* beginning_of_words() {
  if (*words_begin != 0) return words_begin;
  return line_is_shown != nullptr && line_is_shown->load() ? kEraseLine : "";
}

void take_signal(void (*handler)(int signal)) {
  struct sigaction before;
  sigaction(SIGUSR1, nullptr, &before);
  if (before.sa_handler != SIG_DFL) return;
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

void speak_last(std::string_view message) {
  std::fflush(stdout);
  if (!is_first_to_speak()) return;
  const int length = static_cast<int>(message.size());
  if (is_outside_run()) {
    std::fprintf(stderr, "%smagpie: %.*s\n", beginning_of_words(), length,
                 message.data());
  } else {
    std::fprintf(stderr, "%smagpie: rank %d: %.*s\n", beginning_of_words(),
                 rank(), length, message.data());
  }
}

}  // namespace magpie::rma::internal
