// Runs in runs, tasks outside of runs, and threads that are no tasks; the
// root's members.

#include <cstdio>
#include <stdexcept>
#include <thread>

#include "common/rma/rma.h"
#include "tests/mistakes/deeds.h"
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

void spawns() {
  spawn([] { return 5; }).join();
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
struct OtherRoot {
  double x;
  void operator()() const {}
};
void asks_for_another_root() {
  spawn([] { std::printf("%g\n", root_task<OtherRoot>().x); }).join();
}

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
struct Counts {
  rma::RemotePtr<rma::Word> word;

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }
  void prepare() { word = rma::allocate<rma::Word>(); }
  uint64_t operator()() const {
    return rma::fetch_add(root_task<Counts>().word.at(rma::size() - 1), 1);
  }
};
int two_timed_runs(CommandLine line) {
  RunReport report;
  report.times_operations = true;
  for (int i = 0; i < 2; ++i) {
    uint64_t before = 1;
    if (const int status = run_with_result(
            {line.argv + 1, line.argv + line.argc}, Counts(), &before, &report);
        status != 0)
      return status;
    if (before != 0 || report.rma.own_ns == 0) return 4;
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
int prepared_twice(CommandLine line) {
  const int status = run_root<Prepared>(line);
  return status != 0 ? status : run_root<Prepared>(line);
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
  void prepare() { exhausts_the_stack(); }
  void operator()() const {}
};
struct Spawns {
  void prepare() { spawns(); }
  void operator()() const {}
};
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
    {"nested_run", nested, kTold, "rank \\d: .*runs do not nest"},
    {"spawn_before_run", before_run<spawns>, kTold, kOutside},
    {"spawn_after_run", after_run<spawns>, kTold, kOutside},
    {"join_after_run", joins_after, kTold, kOutside},
    {"root_after_run", after_run<[] { root_task<Root>(); }>, kTold, kOutside},
    {"another_root", in_run<asks_for_another_root>, kTold,
     "rank \\d: the root task was asked for as a .*::OtherRoot, and is a "
     ".*in_run.*::\\{lambda"},
    {"thread_spawns", in_run<[] { std::thread(spawns).join(); }>, kTold,
     "spawn was called by a thread of the program's own", kOneRank},
    {"three_runs", three_runs, kWell, "", kOneAndTwo},
    {"two_timed_runs", two_timed_runs},
    {"no_place_for_the_result", without_a_place_for_the_result, kTold,
     "^magpie: run_with_result was given a null pointer for the result"},
    {"no_report", without_a_report},
    {"status_of_the_second", status_of_the_second, kDies, "^3 and 5$"},
    {"prepared", run_root<Prepared>, kWell, "", kTwoAndMoving},
    {"prepared_twice", prepared_twice},
    {"prepare_takes_more", run_root<SaysTooLittle>, kTold, kFull},
    {"prepare_takes_unsaid", run_root<SaysNothing>, kTold, kUnsaid, kOneRank},
    {"prepare_takes_negative", run_root<TakesNegative<-1, 1024>>, kTold,
     kNegative},
    {"prepare_takes_wrapping", run_root<TakesNegative<(1l << 61) + 1, 1024>>,
     kTold, kNegative},
    {"says_negative", run_root<SaysNegative>, kRefused, kTooMany},
    {"says_negative_objects", run_root<SaysNegativeObjects>, kRefused,
     kTooMany},
    {"prepare_throws", run_root<Throws>, kTold,
     "rank \\d: an exception left prepare\\(\\): no such table$"},
    {"prepare_asks_for_the_root", run_root<AsksForTheRoot>, kTold, kTooEarly},
    {"prepare_recurses", run_root<Recurses>, kDies,
     "rank \\d: (the stack of the process is exhausted: .* \\(ulimit -s\\)|its "
     "stack outside the region is exhausted; raise --rank_stack_bytes)$"},
    {"prepare_spawns", run_root<Spawns>, kTold, kTooEarly},
};

}  // namespace

std::span<const Mistake> runs() { return kMistakes; }

}  // namespace magpie::mistakes
