// Runs in runs, tasks outside of runs, and threads that are no tasks; the
// root's members.

#include <cstdio>
#include <stdexcept>
#include <thread>

#include "common/rma/rma.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

int nested(CommandLine line) {
  // Not captured by the closure, which must not hold addresses.
  static CommandLine the_line;
  the_line = line;
  return run(line.argc, line.argv,
             [] { return run(the_line.argc, the_line.argv, [] {}); });
}

int spawns_before(CommandLine line) {
  spawn([] { return 5; }).join();
  return run(line.argc, line.argv, [] {});
}
int spawns_after(CommandLine line) {
  if (const int status = run(line.argc, line.argv, [] {}); status != 0)
    return status;
  spawn([] { return 5; }).join();
  return 0;
}
int joins_after(CommandLine line) {
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
struct Root {
  int n;
  void operator()() const {}
};
int asks_for_the_root_after(CommandLine line) {
  const int status = run(line.argc, line.argv, Root{7});
  return status != 0 ? status : root_task<Root>().n;
}

struct OtherRoot {
  double x;
  void operator()() const {}
};
void asks_for_another_root() {
  spawn([] { std::printf("%g\n", root_task<OtherRoot>().x); }).join();
}

void a_thread_spawns() {
  std::thread([] { spawn([] { return 5; }).join(); }).join();
}

// -------------------------------------------------------------------- repeated

int three_runs(CommandLine line) {
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
int without_a_place_for_the_result(CommandLine line) {
  RunReport report;
  return run_with_result(
      {line.argv + 1, line.argv + line.argc}, [] { return 5; },
      static_cast<int*>(nullptr), &report);
}
int without_a_report(CommandLine line) {
  int result = 0;
  const int status = run_with_result(
      {line.argv + 1, line.argv + line.argc},
      [] { return spawn([] { return 5; }).join(); }, &result, nullptr);
  return status != 0 || result == 5 ? status : 4;
}
int status_of_the_second(CommandLine line) {
  const int first = run(line.argc, line.argv, [] { return 3; });
  const int second = run(line.argc, line.argv, [] { return 5; });
  std::fprintf(stderr, "%d and %d\n", first, second);
  return second;
}

// ---------------------------------------------------------------- the prepared

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
int prepared(CommandLine line) { return run(line.argc, line.argv, Prepared{}); }
int prepared_twice(CommandLine line) {
  const int status = prepared(line);
  return status != 0 ? status : prepared(line);
}

struct SaysTooLittle {
  size_t heap_bytes() const { return 8; }
  void prepare() { rma::allocate<long>(1'000'000); }
  void operator()() const {}
};
struct SaysNothing {
  void prepare() { rma::allocate<long>(1'000'000); }
  void operator()() const {}
};
// A root with a size of objects that would wrap around, which does not fit.
template <long kObjects, size_t kSaid>
struct TakesNegative {
  size_t heap_bytes() const { return kSaid; }
  void prepare() { rma::allocate<long>(static_cast<size_t>(kObjects)); }
  void operator()() const {}
};
struct SaysNegative {
  long heap_bytes() const { return -1; }
  void prepare() {}
  void operator()() const {}
};
struct SaysNegativeObjects {
  long n = -1;
  size_t heap_bytes() const {
    return rma::allocated_bytes<long>(static_cast<size_t>(n)) +
           rma::allocated_bytes<rma::Word>(4);
  }
  void prepare() {}
  void operator()() const {}
};
struct Throws {
  void prepare() { throw std::runtime_error("no such table"); }
  void operator()() const {}
};
struct AsksForTheRoot {
  int n = 0;
  void prepare() { n = root_task<AsksForTheRoot>().n + 1; }
  void operator()() const {}
};
// A root that recurses; its stack is the process's, or the simulated network's.
struct Recurses {
  [[gnu::noinline]] static long down(long n) {
    volatile long here = n;
    return (n < 0 ? 0 : down(n + 1)) + here;
  }
  void prepare() { down(0); }
  void operator()() const {}
};
struct Spawns {
  void prepare() {
    spawn([] { return 5; }).join();
  }
  void operator()() const {}
};
template <typename F>
int run_root(CommandLine line) {
  return run(line.argc, line.argv, F{});
}

constexpr char kOutside[] = "outside a run";
constexpr char kTooEarly[] =
    "rank \\d: this is a run of run\\(\\): .*, and prepare\\(\\) runs before "
    "them; ";
constexpr char kFull[] =
    "rank \\d: prepare\\(\\) of the root task, .*::SaysTooLittle, takes more "
    "of the symmetric heap "
    "than its heap_bytes\\(\\) says: 8000000 bytes asked for, 8 left$";
constexpr char kUnsaid[] =
    "rank \\d: prepare\\(\\) of the root task, .*::SaysNothing, takes memory "
    "of the symmetric heap, "
    "and the root task has no heap_bytes\\(\\), .*: 8000000 bytes asked for";

constexpr char kNegative[] =
    "rank \\d: prepare\\(\\) of .*: 1152921504606846976 bytes asked for";
constexpr char kTooMany[] =
    "^magpie: heap_bytes\\(\\) of the root task says \\d{19,20}: no machine "
    "has so many$";

constexpr Mistake kMistakes[] = {
    {"nested_run", kTwoRanks, End::kTold, "rank \\d: .*runs do not nest",
     nested},
    {"spawn_before_run", kTwoRanks, End::kTold, kOutside, spawns_before},
    {"spawn_after_run", kTwoRanks, End::kTold, kOutside, spawns_after},
    {"join_after_run", kTwoRanks, End::kTold, kOutside, joins_after},
    {"root_after_run", kTwoRanks, End::kTold, kOutside,
     asks_for_the_root_after},
    {"another_root", kTwoRanks, End::kTold,
     "rank \\d: the root task was asked for as a .*::OtherRoot, and is a "
     ".*in_run.*::\\{lambda",
     in_run<asks_for_another_root>},
    {"thread_spawns", kOneRank, End::kTold,
     "spawn was called by a thread of the program's own",
     in_run<a_thread_spawns>},
    {"three_runs", kTwoRanks, End::kWell, "", three_runs},
    {"three_runs_alone", kOneRank, End::kWell, "", three_runs},
    {"no_place_for_the_result", kTwoRanks, End::kTold,
     "^magpie: run_with_result was given a null pointer for the result",
     without_a_place_for_the_result},
    {"no_report", kTwoRanks, End::kWell, "", without_a_report},
    {"status_of_the_second", kTwoRanks, End::kDies, "^3 and 5$",
     status_of_the_second},
    {"prepared", kTwoRanks, End::kWell, "", prepared},
    {"prepared_moving", kMoving, End::kWell, "", prepared},
    {"prepared_twice", kTwoRanks, End::kWell, "", prepared_twice},
    {"prepare_takes_more", kTwoRanks, End::kTold, kFull,
     run_root<SaysTooLittle>},
    {"prepare_takes_unsaid", kOneRank, End::kTold, kUnsaid,
     run_root<SaysNothing>},
    {"prepare_takes_negative", kTwoRanks, End::kTold, kNegative,
     run_root<TakesNegative<-1, 1024>>},
    {"prepare_takes_wrapping", kTwoRanks, End::kTold, kNegative,
     run_root<TakesNegative<(1l << 61) + 1, 1024>>},
    {"says_negative", kTwoRanks, End::kRefused, kTooMany,
     run_root<SaysNegative>},
    {"says_negative_objects", kTwoRanks, End::kRefused, kTooMany,
     run_root<SaysNegativeObjects>},
    {"prepare_throws", kTwoRanks, End::kTold,
     "rank \\d: an exception left prepare\\(\\): no such table$",
     run_root<Throws>},
    {"prepare_asks_for_the_root", kTwoRanks, End::kTold, kTooEarly,
     run_root<AsksForTheRoot>},
    {"prepare_recurses", kTwoRanks, End::kDies,
     "rank \\d: (the stack of the process is exhausted: .* \\(ulimit -s\\)|its "
     "stack outside the region is exhausted; raise --rank_stack_bytes)$",
     run_root<Recurses>},
    {"prepare_spawns", kTwoRanks, End::kTold, kTooEarly, run_root<Spawns>},
};

}  // namespace

std::span<const Mistake> runs() { return kMistakes; }

}  // namespace magpie::mistakes
