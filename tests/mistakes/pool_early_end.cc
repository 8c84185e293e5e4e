// Runs of pools that are ended early where they may not be, or with values that
// they may not have.

#include <cstdint>
#include <thread>

#include "common/rma/rma.h"
#include "common/run/shared_max.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

// Makes a mistake in a task of a run whose result is a uint64_t; of a run
// without a result.
template <auto kDeed>
int in_task(CommandLine line) {
  uint64_t result = 0;
  return run_pool(
      line.argc, line.argv, [] { add_at(rma::size() - 1, [] { kDeed(); }); },
      &result);
}
template <auto kDeed>
int without_result(CommandLine line) {
  return run_pool(line.argc, line.argv, [] { add([] { kDeed(); }); });
}

void ends() { end_pool(); }
void asks() {
  if (pool_is_ending()) end_pool();
}
void ends_with_a_number() { end_pool(uint64_t{1}); }
void ends_twice() {
  ends_with_a_number();
  ends();
}

struct EndsInPrepare {
  void prepare() { end_pool(); }
  void operator()() const {}
};

constexpr char kOutside[] = "outside a run";

constexpr Mistake kMistakes[] = {
    {"end_before_run", before_run<ends>, kTold, kOutside},
    {"end_after_run", after_run<ends_with_a_number>, kTold, kOutside},
    {"asks_for_end_before_run", before_run<asks>, kTold, kOutside},
    {"prepare_ends", run_root<EndsInPrepare>, kTold,
     "rank \\d: .*prepare\\(\\) runs before them"},
    {"thread_ends", in_task<[] { std::thread(ends).join(); }>, kTold,
     "end_pool was called by a thread of the program's own", kOneRank},
    {"end_with_another_type", in_task<[] { end_pool(1.5); }>, kTold,
     "rank \\d: end_pool\\(\\) of a value of type double, where run_pool has a "
     "result of type unsigned long$"},
    {"end_with_value_of_nothing", without_result<ends_with_a_number>, kTold,
     "rank \\d: end_pool\\(\\) of a value of type unsigned long, where "
     "run_pool was given no result$"},
    {"end_twice", in_task<ends_twice>},
    {"end_without_result", without_result<ends>},
    {"bound_of_none", in_task<[] { SharedMax<long>().raise(1); }>, kTold,
     "rank \\d: a SharedMax is used that was not allocated"},
};

}  // namespace

std::span<const Mistake> pool_early_end() { return kMistakes; }

}  // namespace magpie::mistakes
