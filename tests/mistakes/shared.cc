// Mistakes that are the same with fork and join and with pools, and uses that
// are no mistakes. BUILD compiles this for each facade.

#include <alloca.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <stdexcept>
#include <thread>
#include <vector>

#include "common/rma/rma.h"
#ifdef MAGPIE_OF_A_POOL
#include "tests/mistakes/pool.h"
namespace magpie::mistakes {
using namespace pool;
#else
#include "tests/mistakes/fork_join.h"
namespace magpie::mistakes {
using namespace fork_join;
#endif
namespace {

struct Root {
  int n = 0;
  void operator()() const {}
};

// -------------------------------------------------- how tasks and runs may end

MISTAKE(in_task, exception, kTold, kTask + ": no such file$") {
  throw std::runtime_error("no such file");
}
MISTAKE(in_task, exception_that_is_a_number, kTold,
        kTask + "; it is no std::exception$") {
  throw 5;
}
MISTAKE(in_root, exception_of_the_root, kTold,
        "rank 0: an exception left a task: no such file$") {
  throw std::runtime_error("no such file");
}
MISTAKE(in_prepare, prepare_throws, kTold,
        "rank \\d: an exception left prepare\\(\\): no such table$") {
  throw std::runtime_error("no such table");
}

[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return (n < 0 ? 0 : recurses(n + 1)) + here;
}
MISTAKE(in_task, plain_recursion, kDies, kTooDeep) { recurses(0); }
MISTAKE(in_root, recursion_of_the_root, kDies, kTooDeep, kOneRank) {
  recurses(0);
}
MISTAKE(in_prepare, prepare_recurses, kDies, kProcessStack) { recurses(0); }
MISTAKE(in_task, large_frame, kDies, kTooDeep, kOneAndTwo) {
  volatile char* const large = static_cast<char*>(alloca(32 << 20));
  large[0] = 1;
}

// ----------------------------------------------- outside of tasks, and of runs

const std::string kOutside = "outside (a run|run_pool)";
const std::string kByAThread = " was called by a thread of the program's own";

// Longer than the simulated clock runs.
void computes_for_long() {
  for (int i = 0; i < 2; ++i) rma::compute(10'000'000'000'000'000);
}
bool is_simulated() { return rma::is_simulated(); }
LISTED(in_root<computes_for_long>, time_beyond_the_clock, kTold,
       "rank 0: the run takes more than 2\\^64 ps$", kOneRank, is_simulated);
// On a simulated network others come to it while a rank initializes it.
MISTAKE(in_prepare, static_in_prepare) {
  static const uint64_t now = (rma::idle(), rma::now());
  seen(now);
}
MISTAKE(in_task, nested_run, kTold, "rank \\d: .*runs do not nest") {
  char name[] = "program";
  char* argv[] = {name, nullptr};
  start({1, argv}, Root{});
}
MISTAKE(after_run, task_after_run, kTold, kOutside) { makes_a_task(); }
MISTAKE(after_run, root_after_run, kTold, kOutside) {
  std::printf("%d\n", root<Root>().n);
}
MISTAKE(in_task, another_root, kTold,
        "rank \\d: the root task was asked for as a .*::Root, and is a "
        ".*in_task.*::\\{lambda") {
  std::printf("%d\n", root<Root>().n);
}
MISTAKE(in_root, thread_makes_a_task, kTold, kMakesTask + kByAThread,
        kOneRank) {
  std::thread(makes_a_task).join();
}
MISTAKE(in_prepare, prepare_makes_a_task, kTold, kTooEarly) { makes_a_task(); }

PROGRAM(no_place_for_the_result, kTold,
        "^magpie: " + kRuns + " was given a null pointer for the result") {
  return run_to(line, nullptr, [] {});
}
PROGRAM(no_report, kWell, "", kOneAndTwo) {
  uint64_t result = 0;
  const int status = run_to(line, &result, [] {});
  return status != 0 || result == 5 ? status : 4;
}

LISTED(in_root<[] {}>, no_such_flag, kRefused,
       "unknown: --no_such_flag; allowed: .* --address_scan",
       "--ranks=1 --no_such_flag");

MISTAKE(after_run, end_after_run, kTold, kOutside) { end(); }
MISTAKE(after_run, asks_for_end_after_run, kTold, kOutside) {
  if (is_ending()) end();
}
MISTAKE(in_prepare, prepare_ends, kTold, kTooEarly) { end(); }
MISTAKE(in_root, thread_ends, kTold, kEnds + kByAThread, kOneRank) {
  std::thread([] { end(); }).join();
}
MISTAKE(in_run_with_result, end_with_another_type, kTold,
        "rank \\d: " + kEnds + "\\(\\) of a value of type double, where " +
            kHasResult) {
  end(1.5);
}
MISTAKE(in_task, end_with_value_of_nothing, kTold,
        "rank \\d: " + kEnds + "\\(\\) of a value of type int, where " +
            kHasNone) {
  end(1);
}

MISTAKE(in_task, barrier_in_a_task, kTold,
        "rank \\d: rma::barrier was called by a task: all ranks call it "
        "together") {
  rma::barrier();
}

// ----------------------------------------------------- the end of a process

MISTAKE(in_task, crash, kDies, "rank \\d: Segmentation fault") {
  std::printf("printed before\n");
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}
MISTAKE(in_task, exit_0, kTold,
        "rank \\d: called exit in the middle of the run") {
  std::exit(0);
}

// ----------------------------------------------------------------------- hangs

MISTAKE(in_task, computes_for_long, kWell, "", kTwoRanks + kPatience) {
  rma::compute(1'000'000'000);
}
// Polls, as is right, for something that never happens.
void makes_a_task_that_polls() {
  make_task([] {
    for (volatile bool done = false; !done;) rma::idle();
  });
}
const std::string kPolling =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d polls, in idle\\(\\)"
    "|livelock";
LISTED(in_root<makes_a_task_that_polls>, polls_for_ever, kTold, kPolling,
       kOneRank + kPatience + "|" + kTwoRanks + kPatience, tells_hangs);

// ------------------------------------------------------------------- addresses

const std::string kRoot =
    "rank 0: .*the root task's closure holds at byte 0 an address of this "
    "process's stack, 0x[0-9a-f]+, which .* return results";
const std::string kProcess =
    "rank \\d: a task's closure holds at byte 0 an address of memory of this "
    "process, 0x";

int by_reference(CommandLine line) {
  long result = -1;
  return start(line, [&] { result = 5; });
}
LISTED(by_reference, root_by_reference, kTold, kRoot);
LISTED(by_reference, root_by_reference_not_looked_at, kWell, "",
       "--ranks=2 --address_scan=off");
PROGRAM(root_of_the_heap, kTold,
        "rank 0: the root task's closure holds at byte 0 an address of memory "
        "of this process, 0x.* --address_scan=off\\)$",
        kOneRank) {
  std::vector<long> numbers(1 << 19, 1);
  return start(line, [p = numbers.data()] { *p = 7; });
}

void captures_by_reference() {
  long sum = 0;
  make_task([&] { sum += 1; });
}
MISTAKE(in_task, by_reference, kTold, kStack) { captures_by_reference(); }
MISTAKE(in_root, by_reference_in_the_root, kTold, kStack, kOneAndTwo) {
  captures_by_reference();
}
MISTAKE(in_task, into_a_vector, kTold, kProcess) {
  std::vector<long> numbers(1 << 19);
  make_task([p = numbers.data() + 1000] { *p = 1; });
}
// A bad closure is of a type that was fine before.
MISTAKE(in_root, by_pointer_once_in_a_while, kDebug ? kTold : kWell, kStack,
        kOneRank) {
  long sum = 0;
  for (int i = 0; i < 10; ++i) {
    long* const p = i == 9 ? &sum : nullptr;
    make_task([p] { asm volatile("" ::"r"(p)); });
  }
}

// An object in whose padding an address may be left: that is no mistake.
struct Padded {
  char a;
  long b;
};
MISTAKE(in_task, padding) {
  for (int i = 0; i < 10; ++i) {
    leave_addresses();
    Padded padded;
    padded.a = 1;
    padded.b = i;
    make_task([padded] { asm volatile("" ::"m"(padded)); });
  }
}

// ----------------------------------------------------------- static variables

// Debug builds warn of writes, and tell a command that names the variables.
const End kWarnedInDebugBuilds = kDebug ? kWarned : kWell;
const std::string kWritten =
    "rank \\d: warning: tasks have written static variables, of which each "
    "rank has its own.* nm -nC '/.*' \\| awk '.*\\| sort -u$";

long written_by_all = 0;

// A constant table, made by the first caller.
const std::vector<long>& made_when_needed() {
  static const std::vector<long> table(10, 1);
  return table;
}
void counts() {
  ++written_by_all;
  seen(written_by_all);
}

MISTAKE(in_tasks, globals_counter, kWarnedInDebugBuilds, kWritten,
        "--ranks=1|--ranks=2 --explore --seed=3") {
  counts();
}
MISTAKE(in_tasks, globals_table, kWarnedInDebugBuilds, kWritten) {
  seen(made_when_needed()[3]);
}
// The C++ library's own variables are not the program's.
MISTAKE(in_tasks, globals_library) {
  try {
    throw std::runtime_error("caught");
  } catch (const std::exception&) {
  }
  std::ostringstream text;
  text << 1.5 << ' ' << 7;
  if (text.str() != "1.5 7") std::abort();
  std::thread([] {}).join();
}

struct Prepared {
  void prepare() {
    counts();
    made_when_needed();
  }
  void operator()() const {
    make_task([] { seen(made_when_needed()[written_by_all > 0 ? 3 : 0]); });
  }
};
LISTED(run_root<Prepared>, globals_prepared);
PROGRAM(globals_between) {
  for (int i = 0; i < 3; ++i) {
    counts();
    if (const int status = in_tasks<[] {}>(line); status != 0) return status;
  }
  return 0;
}
// Is told of once.
PROGRAM(globals_in_each_run, kWarnedInDebugBuilds, kWritten) {
  for (int i = 0; i < 3; ++i)
    if (const int status = in_tasks<counts>(line); status != 0) return status;
  return 0;
}

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv}, flags_help(), takes_one_rank());
}
