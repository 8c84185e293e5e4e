// Mistakes that users of pools make; and uses that are no mistakes.

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/memory.h"
#include "tests/mistakes/mistake.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

// ----------------------------------------------------------- how tasks may end

struct Throws {
  void operator()() const { throw std::runtime_error("no such file"); }
};
struct ThrowsANumber {
  void operator()() const { throw 5; }
};
void adds_one_that_throws() { add(Throws{}); }
void throws() { Throws{}(); }
struct ThrowsInPrepare {
  void prepare() { throw std::runtime_error("no such table"); }
  void operator()() const {}
};

struct AddsInPrepare {
  void prepare() { add(Throws{}); }
  void operator()() const {}
};
struct MergesInPrepare {
  void prepare() { merge(uint64_t{1}); }
  void operator()() const {}
};

template <int kStatus>
void exits() {
  std::exit(kStatus);
}
void exits_at_once() { _exit(0); }

// ----------------------------------------------------------- what may be added

void adds_below() {
  add_at(-1, [] {});
}
void adds_beyond() {
  add_at(rma::size(), [] {});
}

struct Small {
  static constexpr uint32_t kTaskBytes = 8;
  void operator()() const {
    const std::array<uint64_t, 2> two = {1, 2};
    add([two] { merge(two[0]); });
  }
};

int merges_a_double(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add([] { merge(1.5); }); }, &result);
}

void merges_beyond_the_first() { merge_at(1, uint64_t{1}); }
int merges_beyond_the_only_one(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add([] { merges_beyond_the_first(); }); },
      &result);
}

// Asks for partial results in place: of another type, and beyond the last.
int asks_for_a_partial_double(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add([] { partial<double>() = 1; }); },
      &result);
}
int asks_for_a_partial_beyond(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add([] { partial<uint64_t>(1) = 1; }); },
      &result);
}

// A root that says that its result has so many values.
template <typename Count, Count kSaid>
struct Values {
  Count result_count() const { return kSaid; }
  void operator()() const {
    add([] { merge_at(7, uint64_t{1}); });
  }
};
template <typename Count, Count kSaid>
int says_values(CommandLine line) {
  std::array<uint64_t, 8> results = {};
  return run_pool(line.argc, line.argv, Values<Count, kSaid>{}, results.data());
}

// Tasks without end, each run on top of the one that adds it, since the bag is
// full.
struct Endless {
  void operator()() const { add(Endless{}); }
};
void fills_the_bag() {
  for (int i = 0; i < 100; ++i) add([] {});
  add(Endless{});
}

// ------------------------------------------------------------------- addresses

int root_by_reference(CommandLine line) {
  long result = -1;
  return run_pool(line.argc, line.argv, [&] { result = 5; });
}
void by_reference() {
  long sum = 0;
  add([&] { sum += 1; });
}
// Captures by reference. What the closure refers to is gone when it runs, so
// that is not written.
void by_reference_that_is_not_used() {
  long sum = 0;
  add([&] { asm volatile("" ::"r"(&sum)); });
}
void by_reference_elsewhere() {
  long sum = 0;
  add_at(1, [&] { sum += 1; });
}
void into_a_vector() {
  std::vector<long> numbers(1 << 19);
  add([p = numbers.data() + 1000] { *p = 1; });
}
// Adds a bad closure of a type that was fine before.
void by_pointer_once_in_a_while() {
  long sum = 0;
  for (int i = 0; i < 10; ++i) {
    long* const p = i == 9 ? &sum : nullptr;
    add([p] { merge(uint64_t{p == nullptr}); });
  }
}
int by_pointer_later(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { by_pointer_once_in_a_while(); }, &result);
}

void padding() {
  with_dirty_padding([](const Padded& padded) {
    add([padded] { asm volatile("" ::"m"(padded)); });
  });
}

// ----------------------------------------------- outside of tasks, and of runs

void a_thread_adds() {
  std::thread([] { add([] {}); }).join();
}
int a_thread_merges(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv,
      [] { add([] { std::thread([] { merge(uint64_t{1}); }).join(); }); },
      &result);
}
void runs_a_pool() {
  char name[] = "program";
  char* argv[] = {name, nullptr};
  run_pool(1, argv, [] {});
}
struct Root {
  int n;
  void operator()() const {}
};

int three_runs(CommandLine line) {
  for (uint64_t i = 1; i <= 3; ++i) {
    uint64_t result = 0;
    const int status = run_pool(
        line.argc, line.argv, [i] { add([i] { merge(i); }); }, &result);
    if (status != 0 || result != i) return 4;
  }
  return 0;
}

int without_a_place_for_the_result(CommandLine line) {
  return run_pool(
      line.argc, line.argv, [] {}, static_cast<uint64_t*>(nullptr));
}
int without_a_report(CommandLine line) {
  uint64_t result = 0;
  const int status = run_pool(
      {line.argv + 1, line.argv + line.argc},
      [] { add([] { merge(uint64_t{5}); }); }, &result, nullptr);
  return status != 0 || result == 5 ? status : 4;
}

constexpr char kThrown[] =
    "rank \\d: an exception left a task, "
    "magpie::mistakes::\\(anonymous namespace\\)::Throws: no such file$";
// On the simulated network a rank's stack is one of several of the process.
constexpr char kStack[] =
    "rank \\d: .*a task's closure holds at byte 0 an address of "
    "(this process's stack|memory of this process), 0x[0-9a-f]+, which .* "
    "capture by value";
constexpr char kExits[] = "rank \\d: called exit in the middle of the run";
constexpr char kTooDeep[] =
    "rank \\d: (the stack of the process is exhausted: .* \\(ulimit -s\\)|its "
    "stack outside the region is exhausted; raise --rank_stack_bytes)$";
constexpr char kOutside[] = "outside (a run|run_pool)";
constexpr char kTooEarly[] =
    "rank \\d: this is a run of run_pool\\(\\): .*, and prepare\\(\\) runs "
    "before them; ";

constexpr Mistake kMistakes[] = {
    {"exception", in_task<adds_one_that_throws>, kTold, kThrown},
    {"exception_alone", in_root<adds_one_that_throws>, kTold, kThrown,
     kOneRank},
    {"exception_that_is_a_number", in_task<[] { add(ThrowsANumber{}); }>, kTold,
     "rank \\d: an exception left a task, "
     ".*::ThrowsANumber; it is no std::exception$"},
    {"exception_of_a_lambda", in_task<throws>, kTold,
     "rank \\d: an exception left a task, "
     ".*in_task.*::\\{lambda\\(\\)#.*: no such file$"},
    {"exception_of_the_root", in_root<throws>, kTold,
     "rank 0: an exception left a task: no such file$"},
    {"prepare_throws", run_pool_root<ThrowsInPrepare>, kTold,
     "rank \\d: an exception left prepare\\(\\): no such table$"},
    {"prepare_adds", run_pool_root<AddsInPrepare>, kTold, kTooEarly},
    {"prepare_merges", run_pool_root<MergesInPrepare>, kTold, kTooEarly},
    {"crash", in_task<crashes>, kDies, "rank \\d: Segmentation fault"},
    {"abort", in_task<[] { std::abort(); }>, kDies, "rank \\d: Aborted"},
    {"exit_0", in_task<exits<0>>, kTold, kExits},
    {"exit_3", in_task<exits<3>>, kDies, kExits},
    {"exit_at_once", in_task<exits_at_once>, kTold, kExits, kOneAndTwo},
    {"exit_of_the_root", in_root<exits_at_once>, kTold, kExits, kOneRank},
    {"exit_quickly", in_task<[] { std::quick_exit(0); }>, kTold, kExits},
    {"recursion", in_task<exhausts_the_stack>, kDies, kTooDeep},
    {"recursion_alone", in_root<exhausts_the_stack>, kDies, kTooDeep, kOneRank},
    {"large_frame", in_task<large_frame>, kDies, kTooDeep},

    {"rank_below", in_task<adds_below>, kTold,
     "rank \\d: add_at\\(-1\\): there are ranks 0 to 1$"},
    {"rank_beyond", in_task<adds_beyond>, kTold,
     "rank \\d: add_at\\(2\\): there are ranks 0 to 1$"},
    {"rank_beyond_alone", in_root<adds_beyond>, kTold,
     "rank 0: add_at\\(1\\): there are ranks 0 to 0$", kOneRank},
    {"too_large", run_pool_root<Small>, kTold,
     "rank 0: a task, .*Small.*, has 16 bytes, and the root's kTaskBytes is "
     "8$"},
    {"another_type", merges_a_double, kTold,
     "rank \\d: merge\\(\\) of a value of type double, where run_pool has a "
     "result of type unsigned long$"},
    {"no_type", in_task<[] { merge(1.5); }>, kTold,
     "rank \\d: merge\\(\\) of a value of type double, where run_pool was "
     "given no result$"},
    {"merge_beyond_the_only_one", merges_beyond_the_only_one, kTold,
     "rank \\d: merge\\(\\) of value 1: the result has one value, at 0$"},
    {"merge_beyond", says_values<int, 7>, kTold,
     "rank \\d: merge\\(\\) of value 7: the result has values at 0 to 6$"},
    {"partial_of_another_type", asks_for_a_partial_double, kTold,
     "rank \\d: partial\\(\\) of a value of type double, where run_pool has a "
     "result of type unsigned long$"},
    {"partial_beyond_the_only_one", asks_for_a_partial_beyond, kTold,
     "rank \\d: partial\\(\\) of value 1: the result has one value, at 0$"},
    {"merge_at_the_last", says_values<int, 8>},
    {"no_values", says_values<int, 0>, kRefused,
     "result_count\\(\\) of the root task says 0: a result has a value at "
     "least",
     kOneRank},
    {"values_below_none", says_values<int, -1>, kRefused,
     "result_count\\(\\) of the root task says 18446744073709551615: no "
     "machine has room for these",
     kOneRank},
    {"values_beyond_memory", says_values<uint64_t, (uint64_t{1} << 50)>,
     kRefused, "memory|smaller segments", kOneRank},
    {"full_bag", in_root<fills_the_bag>, kTold,
     "rank 0: a bag is full, .*: raise --queue_bytes$",
     "--ranks=1 --queue_bytes=1K"},

    {"root_by_reference", root_by_reference, kTold,
     "rank 0: .*the root task's closure holds at byte 0 an address of this "
     "process's stack"},
    {"by_reference", in_task<by_reference>, kTold, kStack},
    {"by_reference_in_the_root", in_root<by_reference>, kTold, kStack,
     kOneRank},
    {"by_reference_elsewhere", in_task<by_reference_elsewhere>, kTold, kStack},
    {"by_reference_not_looked_at", in_root<by_reference_that_is_not_used>,
     kWell, "", "--ranks=2 --address_scan=off"},
    {"into_a_vector", in_task<into_a_vector>, kTold,
     "rank \\d: a task's closure holds at byte 0 an address of memory of this "
     "process, 0x"},
    {"by_pointer_once_in_a_while", by_pointer_later, kDebug ? kTold : kWell,
     kStack, kOneRank},
    {"padding", in_task<padding>},

    {"thread_adds", in_root<a_thread_adds>, kTold,
     "add was called by a thread of the program's own", kOneRank},
    {"thread_merges", a_thread_merges, kTold,
     "merge was called by a thread of the program's own: it is for the root "
     "and for tasks$",
     kOneRank},
    {"another_root", in_task<[] { std::printf("%d\n", pool_root<Root>().n); }>,
     kTold,
     "rank \\d: the root task was asked for as a .*::Root, and is a "
     ".*in_task.*::\\{lambda"},
    {"nested_run", in_task<runs_a_pool>, kTold, "rank \\d: .*runs do not nest"},
    {"add_before_run", before_pool<[] { add([] {}); }>, kTold, kOutside},
    {"add_after_run", after_pool<[] { add([] {}); }>, kTold, kOutside},
    {"partial_after_run", after_pool<[] { partial<uint64_t>() = 1; }>, kTold,
     kOutside},
    {"merge_after_run", after_pool<[] { merge(uint64_t{1}); }>, kTold,
     kOutside},
    {"root_after_run",
     after_pool<[] { std::printf("%d\n", pool_root<Root>().n); }>, kTold,
     kOutside},
    {"no_place_for_the_result", without_a_place_for_the_result, kTold,
     "^magpie: run_pool was given a null pointer for the result", kOneRank},
    {"no_report", without_a_report, kWell, "", kOneRank},
    {"three_runs", three_runs, kWell, "", kOneAndTwo},
};

template <auto kDeed>
struct InTask : HasMemory {
  void operator()() const {
    const HasMemory memory = *this;
    add_at(rma::size() - 1, [memory] { kDeed(memory); });
  }
};
template <typename Root>
struct Run {
  static constexpr auto make = run_pool_root<Root>;
};

// Whether the pool has the flags, and does not allow what must be refused.
bool can_be_made(const Mistake& m, const std::string& flags) {
  if (!meets_flags(m, flags)) return false;
  const std::string pool = kPool.name;
  if (absl::StrContains(m.name, "stealval"))
    return absl::StrContains(pool, "sws") || pool == "pool_glb_hybrid";
  return !pool_seam::traits().takes_one_rank ||
         !absl::StrContains(flags, "--ranks=2");
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list(
      {argc, argv},
      {kMistakes, pool_flags(), kMemoryMistakes<InTask, Run>, pool_runs()},
      can_be_made);
}
