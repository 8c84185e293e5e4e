#include <cstdint>
#include <stdexcept>
#include <string>

#include "absl/strings/match.h"
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

constexpr char kPolling[] =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d polls, in idle\\(\\)"
    "|livelock";

// Whether the network is real: a simulation's patience counts virtual time.
constexpr auto kReal = [] { return !rma::is_simulated(); };

constexpr Mistake kMistakes[] = {
    {"reduction_throws", kTwoRanks, End::kTold,
     "rank \\d: an exception left the merging of results: no room for two$",
     throws_in_the_reduction},
    {"reduction_of_one", kOneRank, End::kWell, "", throws_in_the_reduction},
    {"merge_throws", kOneRank, End::kTold,
     "rank 0: an exception left a task, .*: no room$", throws_in_a_merge},
    {"merge_throws_on_two", kTwoRanks, End::kTold,
     "rank \\d: an exception left a task, .*: no room$", throws_in_a_merge},
    {"polls_for_ever", "--ranks=2 --patience=0.4", End::kTold, kPolling,
     waits_for_a_task, kReal},
    {"polls_for_ever_simulated", "--ranks=2 --patience=0.002", End::kTold,
     kPolling, waits_for_a_task, rma::is_simulated},
    {"polls_for_ever_alone", "--ranks=1 --patience=0.4", End::kTold, kPolling,
     waits_for_a_task, kReal},
    {"polls_for_ever_alone_simulated", "--ranks=1 --patience=0.002", End::kTold,
     kPolling, waits_for_a_task, rma::is_simulated},
    {"computes_for_long", "--ranks=2 --patience=0.4", End::kWell, "",
     computes_for_long},
    {"computes_for_long_alone", "--ranks=1 --patience=0.4", End::kWell, "",
     computes_for_long},
};

}  // namespace

std::span<const Mistake> pool_hangs() { return kMistakes; }

}  // namespace magpie::mistakes
