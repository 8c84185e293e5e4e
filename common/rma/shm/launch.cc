// The flags, the beginning and the end of a rank, and what it asks of its
// process; rests, asleep in the kernel, and wakes.

#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio_ext.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <iostream>

#include "common/flags/flags.h"
#include "common/rma/backends.h"
#include "common/rma/machine.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma {

namespace shm {

[[gnu::section("magpie_own")]] Job job;

namespace {

// Leaves standard input to rank 0: another rank would get a part of it, or what
// the program had read ahead. From now on reading fails.
void give_up_input() {
  const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  close(nothing);
  __fpurge(stdin);
  std::clearerr(stdin);
}
// Prints an error and ends the job where something was read all the same.
void require_input_unread() {
  if (std::ferror(stdin) != 0 || std::cin.bad()) {
    fatal(
        "a task has read standard input on this rank, but only rank 0 has it: "
        "read before the run");
  }
}

// Meaning of a fault near the segments.
const char* explain_fault(uintptr_t address) {
  return address - (kPeers - job.stride) < job.stride + internal::kPeersReach
             ? "an operation on a rank or at an offset that does not exist: "
               "debug builds (-c dbg) name both"
             : nullptr;
}

// Makes the process a rank of the run that has been ordered.
void become_rank(int rank) {
  if (rank != 0) give_up_input();
  static_cast<Options&>(job) = job.control->order.options;
  job.short_of_cores = job.ranks > internal::available_cores();
  const SegmentLayout& layout = job.control->order.layout;
  lay_out(layout);
  [[gnu::section("magpie_own")]] static Self the_self;
  the_self = {.rank = rank,
              .size = job.ranks,
              .region = reinterpret_cast<std::byte*>(kOwnSegment),
              .region_bytes = layout.region_bytes,
              .heap_origin = reinterpret_cast<std::byte*>(kOwnSegment),
              .counters = {},
              .task_stacks = {},
              .heap = internal::SymmetricHeap(layout.heap_bytes)};
  backend::current = &the_self;
  internal::enter_run(layout, &job.control->spoken, explain_fault);
  map_segments();
  internal::begin_status(job.control->statuses[static_cast<size_t>(rank)]);
}

void flush_all_streams() {
  std::cout.flush();
  std::clog.flush();
  std::fflush(nullptr);
}

// Ends the rank. Returns on rank 0 only, when the others' processes have ended.
int leave_as_rank(int result) {
  if (rank() != 0) require_input_unread();
  flush_all_streams();
  unmap_segments();
  internal::end_status();
  const bool is_first = rank() == 0;
  internal::leave_run();
  if (!is_first) std::exit(result);
  wait_for_supervisor();
  free_segments();
  return result;
}

// Number of threads before main(): an emulator has some of its own.
const int threads_at_start = internal::count_threads();

// Warns of threads: ranks are forked, and only the thread that calls fork()
// exists in the new process.
void warn_of_threads() {
  const int others = internal::count_threads() - threads_at_start;
  if (others <= 0) return;
  std::fprintf(stderr,
               "magpie: warning: the program has started %d other thread%s, "
               "which no rank has: start threads in ranks, or after the run\n",
               others, others == 1 ? "" : "s");
}

Bell& bell_of(int rank) {
  return job.control->bells[static_cast<size_t>(rank)];
}

// Calls futex(), not with a private word, since processes share it. Returns 0,
// or -1 with errno.
long futex(std::atomic<uint32_t>* word, int what, uint32_t value,
           const timespec* until) {
  return syscall(SYS_futex, word, what, value, until, nullptr,
                 FUTEX_BITSET_MATCH_ANY);
}

// Time of rma::now()'s clock after so many nanoseconds, or the latest there is.
timespec later_by(uint64_t nanoseconds) {
  constexpr uint64_t kSecond = 1'000'000'000, kLatest = INT64_MAX;
  const uint64_t time = now();
  const uint64_t end = time + std::min(nanoseconds, kLatest - time);
  return {.tv_sec = static_cast<time_t>(end / kSecond),
          .tv_nsec = static_cast<long>(end % kSecond)};
}

void idle_once() {
  // Other programs may want the core too, so now and then it is offered to them
  // in any case.
  constexpr uint32_t kIdlesPerYield = 256;
  if (job.short_of_cores || ++job.idles % kIdlesPerYield == 0) {
    sched_yield();
    return;
  }
  for (int i = 0; i < 4; ++i) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
  }
}

}  // namespace
}  // namespace shm

void add_options(CLI::App& app) {
  static_cast<shm::Options&>(shm::job) = {internal::available_cores(), {}};
  flags::add_integer(app, "--ranks", shm::job.ranks,
                     "number of ranks: processes on this machine, by default "
                     "one for each core",
                     1, shm::kMaxRanks);
  internal::add_options(app, shm::job.liveness);
}

int ranks_to_launch() {
  return shm::job.ranks == 0 ? internal::available_cores() : shm::job.ranks;
}

int launch(const SegmentLayout& layout, int (*rank_main)(void* arg), void* arg,
           size_t arg_bytes) {
  internal::refuse_nested_run();
  internal::refuse_launcher();
  shm::Job& job = shm::job;
  job.ranks = ranks_to_launch();
  const bool is_first = job.control == nullptr;
  if (!is_first && job.control->statuses[0].process.load() != getpid()) {
    fatal(
        "a run was started in a process that the program has forked after its "
        "first run: later runs are for the process in which that returned");
  }
  if (is_first) shm::warn_of_threads();
  if (!is_first) internal::require_bytes(arg, arg_bytes, job.ranks);
  shm::create_shared_memory({rank_main, arg, arg_bytes, is_first,
                             internal::with_aligned_heap(layout), job});
  shm::flush_all_streams();  // or every rank prints what is still buffered
  shm::become_rank(shm::start_ranks());
  // Ranks of later runs come here out of the first run's launch().
  const shm::Order& order = job.control->order;
  const bool has_arg = order.is_first || rank() == 0;
  void* const own_arg = has_arg ? order.arg : shm::copy_of_argument();
  return shm::leave_as_rank(internal::as_status(order.rank_main(own_arg)));
}

void fatal(std::string_view message, int status) {
  internal::speak_last(message);
  _exit(status);
}

int node_of(int) { return 0; }

void idle(int times) {
  internal::require_run("rma::idle");
  RankStatus::add(self().status->polls, times);
  for (; times > 0; --times) shm::idle_once();
}

// The kernel compares once more when it lets the rank sleep, so a wake in
// between is seen. It may also return without a wake, hence the loop.
void rest(uint64_t nanoseconds) {
  internal::require_run("rma::rest");
  const ActivityScope scope(*self().status, Activity::kRest);
  shm::Bell& bell = shm::bell_of(rank());
  const timespec until = shm::later_by(nanoseconds);
  bell.rests.store(true);
  bool is_over = false;
  while (!is_over && bell.wakes.load() == bell.seen) {
    is_over =
        shm::futex(&bell.wakes, FUTEX_WAIT_BITSET, bell.seen, &until) != 0 &&
        errno == ETIMEDOUT;
  }
  bell.rests.store(false);
  bell.seen = bell.wakes.load();
}

void backend::wake(int rank) {
  internal::require_run("rma::wake");
  if (rank < 0 || rank >= size())
    internal::refuse_access("wake", rank, self().region_bytes, 0);
  shm::Bell& bell = shm::bell_of(rank);
  bell.wakes.fetch_add(1);
  if (bell.rests.load()) shm::futex(&bell.wakes, FUTEX_WAKE, 1, nullptr);
}

void poll() {}  // nothing here needs the target's help

}  // namespace magpie::rma
