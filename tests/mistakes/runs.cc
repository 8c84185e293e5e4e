// Tasks of fork and join that take too much, what runs return, ends of runs
// whose tasks go on, and the root's members.

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>

#include "common/rma/rma.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

// -------------------------------------------------------------------- the run

constexpr auto runs = in_root<[] {}>;

PROGRAM(join_after_run, kTold, "outside a run") {
  Future<int> kept;
  RunReport report;
  if (const int status = run_with_result(
          {line.argv + 1, line.argv + line.argc},
          [] {
            const auto task = spawn([] { return 5; });
            task.join();
            return task;
          },
          &kept, &report);
      status != 0)
    return status;
  return kept.join();
}
PROGRAM(three_runs, kWell, "", kOneAndTwo) {
  for (long i = 1; i <= 3; ++i) {
    long result = 0;
    RunReport report;
    if (const int status = run_with_result(
            {line.argv + 1, line.argv + line.argc},
            [i] { return spawn([i] { return 2 * i; }).join(); }, &result,
            &report);
        status != 0)
      return status;
    if (result != 2 * i || report.stats.spawns != 1) return 4;
  }
  return 0;
}
// The second run has no flags, and rests for longer than the first run's
// patience.
PROGRAM(flags_are_of_one_run, kWell, "", kTwoRanks + kPatience) {
  if (const int status = runs(line); status != 0) return status;
  return run(1, line.argv, [] {
    const uint64_t end =
        rma::now() + (rma::is_simulated() ? 10'000'000 : 1'000'000'000);
    while (rma::now() < end) rma::rest(1'000'000);
  });
}
bool forks_ranks() { return rma::kBackend.name == std::string_view("shm"); }
// A run in a process that was forked between two runs.
PROGRAM(run_in_a_fork, kTold, "^magpie: a run was started in a process that",
        kTwoRanks, forks_ranks) {
  if (const int status = runs(line); status != 0) return status;
  const pid_t child = fork();
  if (child == 0) _exit(runs(line));
  int status = 0;
  waitpid(child, &status, 0);
  return runs(line) == 0 ? WEXITSTATUS(status) : 4;
}
// Ends a run early: the value is the exit status.
PROGRAM(end_with_status) {
  const int status = run(line.argc, line.argv, [] {
    spawn([] { end_run(3); }).join();
    return 0;
  });
  return status == 3 ? 0 : 4;
}

// ----------------------------------------------------- the end of a process

const std::string kExits = "rank \\d: called exit in the middle of the run";
MISTAKE(in_task, abort, kDies, "rank \\d: Aborted") { std::abort(); }
MISTAKE(in_task, exit_3, kDies, kExits) { std::exit(3); }
MISTAKE(in_task, exit_at_once, kTold, kExits, kOneAndTwo) { _exit(0); }
MISTAKE(in_task, exit_quickly, kTold, kExits) { std::quick_exit(0); }

// --------------------------------------------------------------------- memory

const std::string kTooLittle =
    "the memory of task entries is exhausted: .* raise --entry_bytes$";

[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return spawn([n] { return recurses(n + 1); }).join() + here;
}
MISTAKE(in_root, recursion, kDies, kTooDeep, "--ranks=2 --region_bytes=1M") {
  recurses(0);
}
MISTAKE(in_root, recursion_of_entries, kTold, kTooLittle,
        "--ranks=2 --entry_bytes=4K") {
  recurses(0);
}
// Frames, and then closures, of more than a page, so that the guard page may be
// jumped over.
[[gnu::noinline]] uint64_t recurses_in_strides(uint64_t n) {
  std::array<uint64_t, 2000> frame;
  frame.fill(n);
  seen(frame);
  return spawn([n] { return recurses_in_strides(n + 1); }).join() + frame[7];
}
[[gnu::noinline]] uint64_t recurses_by_closures(uint64_t n) {
  std::array<uint64_t, 2000> closure;
  closure.fill(n);
  return spawn([=] {
           return recurses_by_closures(closure[n % 7] + 1);
         }).join() +
         closure[7];
}
const std::string kSmallStack =
    "--ranks=1 --region_bytes=64K|--ranks=1 --stack_bytes=8K";
MISTAKE(in_root, recursion_in_strides, kDies, kTooDeep, kSmallStack) {
  recurses_in_strides(0);
}
MISTAKE(in_root, recursion_by_closures, kDies, kTooDeep, kSmallStack) {
  recurses_by_closures(0);
}
// Recursion where tasks nest on one stack: those that are tied and not buried
// have stacks of their own.
bool have_one_stack() {
  const ForkJoinTraits traits = seam::traits();
  return traits.migrates || traits.buries || !traits.spreads;
}
MISTAKE(in_root, recursion_on_one_stack, kDies, kTooDeep,
        "--ranks=1 --stack_bytes=64K|--ranks=3 --stack_bytes=64K",
        have_one_stack) {
  recurses(0);
}
long descends(long n) {
  return n == 0 ? 0 : spawn([n] { return descends(n - 1); }).join() + 1;
}
// Frames of debug builds are larger.
bool has_small_frames() { return !kDebug; }
MISTAKE(in_root, deep_nesting, kWell, "", kOneRank, has_small_frames) {
  if (descends(20'000) != 20'000) rma::fatal("a level is missing");
}
// Sizes need not be round.
MISTAKE(in_root, odd_sizes, kWell, "",
        "--ranks=3 --forced_steal --region_bytes=65551 --entry_bytes=100003 "
        "--evacuation_bytes=1000003|"
        "--ranks=3 --forced_steal --stack_bytes=65551 --entry_bytes=100003 "
        "--queue_bytes=100001",
        has_small_frames) {
  if (descends(50) != 50) rma::fatal("a level is missing");
}

struct Huge {
  std::array<char, 1 << 20> bytes;
};
MISTAKE(in_root, large_closure, kDies, kTooDeep,
        "--ranks=2 --region_bytes=256K") {
  static Huge huge;
  spawn([h = huge] { return h.bytes[0]; }).join();
}

LISTED(runs, more_than_memory, kRefused,
       "--ranks=4096.*(memory|smaller segments)",
       "--ranks=4096 --entry_bytes=64G",
       [] { return rma::kBackend.name != std::string_view("mpi"); });

// Values of flags that are refused, and the words that say what is allowed.
const bool kRefusalsListed =
    list_refusals(runs, {{"--stack_bytes", "0", "a size from "},
                         {"--region_bytes", "0", "a size from "},
                         {"--entry_bytes", "0", "a size from "},
                         {"--queue_bytes", "1", "a size from "},
                         {"--evacuation_bytes", "999999999T", "a size from "},
                         {"--victim_seed", "x", "an integer from "}});

// ---------------------------------------------------------- the root's members

struct Prepared {
  rma::RemotePtr<rma::Word> words;
  const int n = 10;

  size_t heap_bytes() const { return rma::allocated_bytes<rma::Word>(10); }
  void prepare() {
    words = rma::allocate<rma::Word>(10);
    words.local()[3].store(static_cast<uint64_t>(rma::rank()) + 7);
  }
  // Checks that every rank's copy was prepared, and that each has its own.
  int operator()() const {
    if (words) return 10;
    for (int r = 0; r < rma::size(); ++r) {
      const auto word = root_task<Prepared>().words.at(r) + 3;
      if (rma::get_word(word) != static_cast<uint64_t>(r) + 7) return 11;
      const long seen = spawn([word] {
                          rma::fetch_add(word, 1);
                          const Prepared& here = root_task<Prepared>();
                          return here.words.rank == rma::rank() ? 1l : 0l;
                        }).join();
      if (seen != 1) return 12;
      if (rma::get_word(word) != static_cast<uint64_t>(r) + 8) return 13;
    }
    return root_task<Prepared>().n == 10 ? 0 : 14;
  }
};
PROGRAM(prepared_twice, kWell, "", kTwoAndMoving) {
  const int status = run_root<Prepared>(line);
  return status != 0 ? status : run_root<Prepared>(line);
}

// A root that allocates so many longs, and says that it takes so many bytes.
template <long kObjects, size_t kSaid>
struct Says {
  size_t heap_bytes() const { return kSaid; }
  void prepare() { rma::allocate<long>(static_cast<size_t>(kObjects)); }
  void operator()() const {}
};
struct SaysNothing {
  void prepare() { rma::allocate<long>(1'000'000); }
  void operator()() const {}
};
struct SaysNegative {
  long heap_bytes() const { return -1; }
  void prepare() {}
  void operator()() const {}
};

LISTED((run_root<Says<1'000'000, 8>>), prepare_takes_more, kTold,
       "rank \\d: prepare\\(\\) of the root task, .*::Says<.*, takes more of "
       "the symmetric heap than its heap_bytes\\(\\) says: 8000000 bytes asked "
       "for, 8 left$");
LISTED(run_root<SaysNothing>, prepare_takes_unsaid, kTold,
       "rank \\d: prepare\\(\\) of the root task, .*::SaysNothing, takes "
       "memory of the symmetric heap, and the root task has no "
       "heap_bytes\\(\\), .*: 8000000 bytes asked for",
       kOneRank);
// The size of the objects would wrap around.
LISTED((run_root<Says<(1l << 61) + 1, 1024>>), prepare_takes_wrapping, kTold,
       "rank \\d: prepare\\(\\) of .*: 1152921504606846976 bytes asked for");
LISTED(run_root<SaysNegative>, says_negative, kRefused,
       "^magpie: heap_bytes\\(\\) of the root task says \\d{19,20}: no machine "
       "has so many$");

struct AsksForTheRoot {
  int n = 0;
  void prepare() { n = root_task<AsksForTheRoot>().n + 1; }
  void operator()() const {}
};
LISTED(run_root<AsksForTheRoot>, prepare_asks_for_the_root, kTold, kTooEarly);

}  // namespace
}  // namespace magpie::mistakes
