// Programs that come to wait for ever, and some that only take long.

#include <time.h>

#include <chrono>
#include <future>
#include <mutex>

#include "common/rma/rma.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

void locks(std::mutex& mutex) { const std::lock_guard lock(mutex); }

// The child runs on the rank that has the lock: at once, or when it is joined.
void spawns_with_a_lock() {
  static std::mutex mutex;
  mutex.lock();
  spawn([] { locks(mutex); }).join();
  mutex.unlock();
}
void waits_for_nobodys_promise() {
  spawn([] { std::promise<int>().get_future().wait(); }).join();
  static std::promise<int> never;
  never.get_future().wait();
}
// Polls, as is right, for something that never happens.
void polls_for_ever() {
  spawn([] {
    for (volatile bool done = false; !done;) rma::idle();
  }).join();
}
void rests_for_ever() {
  spawn([] {
    for (volatile bool done = false; !done;) rma::rest(1'000'000);
  }).join();
}

void computes_for_long() {
  spawn([] { rma::compute(1'000'000'000); }).join();
}
// A thread other than the rank's may compute for long, too.
void another_thread_computes_for_long() {
  spawn([] {
    std::async(std::launch::async, [] {
      // The thread is no rank.
      using Clock = std::chrono::steady_clock;
      const auto end = Clock::now() + std::chrono::seconds(1);
      while (Clock::now() < end) {
      }
    }).wait();
  }).join();
}
void sleeps_for_long() {
  spawn([] {
    const timespec second = {.tv_sec = 1, .tv_nsec = 0};
    nanosleep(&second, nullptr);
  }).join();
}
void waits_at_most_a_second() {
  spawn([] {
    std::promise<int> never;
    never.get_future().wait_for(std::chrono::seconds(1));
  }).join();
}
// One rank is in prepare(), others wait for it.
struct PreparesForLong {
  void prepare() {
    if (rma::rank() == 0) rma::compute(1'000'000'000);
    rma::barrier();
  }
  void operator()() const {}
};

constexpr char kPatient[] = "--ranks=2 --patience=0.4";
constexpr char kLocked[] =
    "^magpie: nothing goes on: for 0.4 s \\(--patience\\) no rank has "
    "computed, nor spawned, ended or stolen a task:\\n"
    "(.*\\n)*magpie:   rank 0 sleeps until another thread wakes it, as at a "
    "lock";
constexpr char kPolling[] =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d polls, in idle\\(\\)"
    "(.*\\n)*magpie:   rank \\d|livelock";
constexpr char kResting[] =
    "nothing goes on: .*:\\n(.*\\n)*magpie:   rank \\d rests, in rest\\(\\)"
    "|livelock";

// Whether the hang is told. A simulation's patience counts virtual time.
bool is_told() { return !seam::traits().waits_in_turns; }
bool is_told_on_a_machine() { return is_told() && !rma::is_simulated(); }
bool is_told_of_a_simulation() { return is_told() && rma::is_simulated(); }

// The mistakes. A simulation is one process: one that waits for another thread
// is asleep for good, with all of its ranks.
constexpr Mistake kMistakes[] = {
    {"lock_held_across_a_spawn", in_run<spawns_with_a_lock>, kTold, kLocked,
     "--ranks=1 --patience=0.4"},
    {"lock_held_across_a_spawn_moving", in_run<spawns_with_a_lock>, kTold,
     kLocked, "--ranks=2 --forced_steal --patience=0.4 --region_bytes=1M",
     is_told},
    {"promise_of_nobody", in_run<waits_for_nobodys_promise>, kTold,
     "magpie:   rank \\d sleeps until another thread wakes it, ", kPatient,
     is_told},
    {"polls_for_ever", in_run<polls_for_ever>, kTold, kPolling, kPatient,
     is_told_on_a_machine},
    {"polls_for_ever_simulated", in_run<polls_for_ever>, kTold, kPolling,
     "--ranks=2 --patience=0.002", is_told_of_a_simulation},
    {"rests_for_ever", in_run<rests_for_ever>, kTold, kResting, kPatient,
     is_told_on_a_machine},
    {"rests_for_ever_simulated", in_run<rests_for_ever>, kTold, kResting,
     "--ranks=2 --patience=0.002", is_told_of_a_simulation},
    {"computes_for_long", in_run<computes_for_long>, kWell, "", kPatient},
    {"another_thread_computes_for_long",
     in_run<another_thread_computes_for_long>, kWell, "", kPatient},
    {"sleeps_for_long", in_run<sleeps_for_long>, kWell, "", kPatient},
    {"waits_at_most_a_second", in_run<waits_at_most_a_second>, kWell, "",
     kPatient},
    {"prepares_for_long", run_root<PreparesForLong>, kWell, "", kPatient},
    {"patience_below_none", in_run<computes_for_long>, kRefused,
     "--patience: -1 is not a number from ", "--ranks=1 --patience=-1"},
};

}  // namespace

std::span<const Mistake> hangs() { return kMistakes; }

bool hangs_its_process(const Mistake& mistake) {
  return mistake.make == in_run<spawns_with_a_lock> ||
         mistake.make == in_run<waits_for_nobodys_promise>;
}

}  // namespace magpie::mistakes
