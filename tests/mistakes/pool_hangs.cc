#include <stdexcept>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

// Throws where two partial results meet, the one of another rank among them.
struct NoRoom {
  void merge(const NoRoom&) { throw std::runtime_error("no room for two"); }
};
int throws_in_the_reduction(CommandLine line) {
  NoRoom result;
  return run_pool(
      line.argc, line.argv, [] { add([] {}); }, &result);
}
struct ThrowsOnMerge {
  void merge(const ThrowsOnMerge&) { throw std::runtime_error("no room"); }
};
int throws_in_a_merge(CommandLine line) {
  ThrowsOnMerge result;
  return run_pool(
      line.argc, line.argv, [] { add([] { merge(ThrowsOnMerge{}); }); },
      &result);
}

void polls_for_ever() {
  add([] {
    for (volatile bool done = false; !done;) rma::idle();
  });
}
int waits_for_a_task(CommandLine line) {
  return run_pool(line.argc, line.argv, [] { polls_for_ever(); });
}
int computes_for_long(CommandLine line) {
  return run_pool(line.argc, line.argv,
                  [] { add([] { rma::compute(1'000'000'000); }); });
}

constexpr char kPatient[] = "--ranks=2 --patience=0.4";
constexpr char kPolling[] =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d polls, in idle\\(\\)"
    "|livelock";

// Whether the network is real: a simulation's patience counts virtual time.
constexpr auto kReal = [] { return !rma::is_simulated(); };

constexpr Mistake kMistakes[] = {
    {"reduction_throws", throws_in_the_reduction, kTold,
     "rank \\d: an exception left the merging of results: no room for two$"},
    {"reduction_of_one", throws_in_the_reduction, kWell, "", kOneRank},
    {"merge_throws", throws_in_a_merge, kTold,
     "rank 0: an exception left a task, .*: no room$", kOneRank},
    {"merge_throws_on_two", throws_in_a_merge, kTold,
     "rank \\d: an exception left a task, .*: no room$"},
    {"polls_for_ever", waits_for_a_task, kTold, kPolling, kPatient, kReal},
    {"polls_for_ever_simulated", waits_for_a_task, kTold, kPolling,
     "--ranks=2 --patience=0.002", rma::is_simulated},
    {"polls_for_ever_alone", waits_for_a_task, kTold, kPolling,
     "--ranks=1 --patience=0.4", kReal},
    {"polls_for_ever_alone_simulated", waits_for_a_task, kTold, kPolling,
     "--ranks=1 --patience=0.002", rma::is_simulated},
    {"computes_for_long", computes_for_long, kWell, "", kPatient},
    {"computes_for_long_alone", computes_for_long, kWell, "",
     "--ranks=1 --patience=0.4"},
};

}  // namespace

std::span<const Mistake> pool_hangs() { return kMistakes; }

}  // namespace magpie::mistakes
