// Programs that come to wait for ever, and some that only take long.

#include <time.h>

#include <chrono>
#include <future>
#include <mutex>

#include "common/rma/rma.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

const std::string kPatient = kTwoRanks + kPatience;
const std::string kLocked =
    "^magpie: nothing goes on: for 0.4 s \\(--patience\\) no rank has "
    "computed, nor spawned, ended or stolen a task:\\n"
    "(.*\\n)*magpie:   rank 0 sleeps until another thread wakes it, as at a "
    "lock";
const std::string kResting =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d rests, in rest\\(\\)"
    "|livelock";

// A simulation is one process: one that waits for another thread is asleep for
// good, with all of its ranks.
bool is_told_on_a_machine() { return tells_hangs() && !rma::is_simulated(); }
bool is_on_a_machine() { return !rma::is_simulated(); }

// The child runs on the rank that has the lock: at once, or when it is joined.
void spawns_with_a_lock() {
  static std::mutex mutex;
  mutex.lock();
  spawn([] { const std::lock_guard lock(mutex); }).join();
  mutex.unlock();
}
LISTED(in_root<spawns_with_a_lock>, lock_held_across_a_spawn, kTold, kLocked,
       "--ranks=1 --patience=0.4", is_on_a_machine);
LISTED(in_root<spawns_with_a_lock>, lock_held_across_a_spawn_moving, kTold,
       kLocked, "--ranks=2 --forced_steal --patience=0.4 --region_bytes=1M",
       is_told_on_a_machine);
void rests() {
  for (volatile bool done = false; !done;) rma::rest(1'000'000);
}
LISTED(in_task<rests>, rests_for_ever, kTold, kResting, kPatient, tells_hangs);

// A thread other than the rank's may compute for long, too.
MISTAKE(in_task, another_thread_computes_for_long, kWell, "", kPatient) {
  std::async(std::launch::async, [] {
    // The thread is no rank.
    using Clock = std::chrono::steady_clock;
    const auto end = Clock::now() + std::chrono::seconds(1);
    while (Clock::now() < end) {
    }
  }).wait();
}
MISTAKE(in_task, sleeps_for_long, kWell, "", kPatient) {
  const timespec second = {.tv_sec = 1, .tv_nsec = 0};
  nanosleep(&second, nullptr);
}
MISTAKE(in_task, waits_at_most_a_second, kWell, "", kPatient) {
  std::promise<int> never;
  never.get_future().wait_for(std::chrono::seconds(1));
}
// One rank is in prepare(), others wait for it.
MISTAKE(in_prepare, prepares_for_long, kWell, "", kPatient) {
  if (rma::rank() == 0) rma::compute(1'000'000'000);
  rma::barrier();
}
MISTAKE(in_root, patience_below_none, kRefused,
        "--patience: -1 is not a number from ", "--ranks=1 --patience=-1") {}

}  // namespace
}  // namespace magpie::mistakes
