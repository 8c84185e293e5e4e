#include "common/rma/crash.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>

namespace magpie::rma::internal {
namespace {

struct Range {
  const std::byte* begin = nullptr;
  size_t bytes = 0;
  const char* what = nullptr;
};

// Of the process, as signal handlers are; written before any handler can run.
std::array<Range, 4> known_ranges;
size_t known_range_count = 0;

const char* explanation(const void* address) {
  const auto* p = static_cast<const std::byte*>(address);
  for (size_t i = 0; i < known_range_count; ++i) {
    const Range& r = known_ranges[i];
    if (p >= r.begin && p < r.begin + r.bytes) return r.what;
  }
  return nullptr;
}

void on_crash(int signal, siginfo_t* info, void*) {
  const bool memory_fault = signal == SIGSEGV || signal == SIGBUS;
  const char* what = memory_fault ? explanation(info->si_addr) : nullptr;
  char line[512];
  int n;
  if (what != nullptr) {
    n = std::snprintf(line, sizeof(line), "magpie: rank %d: %s\n", rank(),
                      what);
  } else if (memory_fault) {
    n = std::snprintf(line, sizeof(line), "magpie: rank %d: %s at address %p\n",
                      rank(), sigdescr_np(signal), info->si_addr);
  } else {
    n = std::snprintf(line, sizeof(line), "magpie: rank %d: %s\n", rank(),
                      sigdescr_np(signal));
  }
  if (write(STDERR_FILENO, line, static_cast<size_t>(n)) < 0) {
    // Nobody listens; the exit status still tells.
  }
  // SA_RESETHAND has restored the default action: the signal kills when this
  // handler is left.
  raise(signal);
}

}  // namespace

void explain_faults(const void* begin, size_t bytes, const char* what) {
  size_t i = 0;
  while (i < known_range_count && known_ranges[i].what != what) ++i;
  if (i == known_ranges.size()) std::abort();
  if (i == known_range_count) ++known_range_count;
  known_ranges[i] = {static_cast<const std::byte*>(begin), bytes, what};
}

void install_crash_handlers(const SegmentLayout& layout) {
  if (layout.region_bytes > 0) {
    // More than the page below the region, since a large frame steps over it.
    // Backends place nothing there.
    constexpr size_t kReach = 64 << 20;
    explain_faults(self().region - kReach, kReach, layout.region_overflow);
  }
  constexpr size_t kStackBytes = 64 << 10;
  stack_t stack = {};
  stack.ss_sp = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack.ss_size = kStackBytes;
  sigaltstack(&stack, nullptr);
  struct sigaction action = {};
  action.sa_sigaction = on_crash;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESETHAND;
  for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT})
    sigaction(signal, &action, nullptr);
}

}  // namespace magpie::rma::internal
