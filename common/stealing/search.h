// What a rank without work does: it asks one victim after the other.
//
//   Search<RandomVictim> search(options);
//   if (search.until([&] { return end.poll(); },
//                    [&](int victim) { return queue.steal(...); })) ...
//
// Source: hpdc15 Fig. 6, lines 8 to 10, and its caller; the back-off is ours.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. Nothing of the caller's stays unflushed while it waits for others.
//   2. With --forced_steal, `searching_` on rank 0 counts the ranks that
//      search, each until it has found something: whoever waits in after_push()
//      is found, or the searchers find other work.

#ifndef MAGPIE_COMMON_STEALING_SEARCH_H_
#define MAGPIE_COMMON_STEALING_SEARCH_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/victim_selection.h"

namespace magpie {

struct SearchOptions {
  uint64_t victim_seed = 1;
  int backoff = 16;
  bool forced_steal = false;
};

inline void add_options(CLI::App& app, SearchOptions& options) {
  flags::add_integer(app, "--victim_seed", options.victim_seed,
                     "what the random choice of victims begins with");
  flags::add_integer(app, "--backoff", options.backoff,
                     "longest pause between two attempts to steal, in polls of "
                     "the network; pauses grow by one with each failure",
                     1, 1 << 20);
  flags::add_switch(app, "--forced_steal", options.forced_steal,
                    "let what a spawn offers, parent or child, be stolen "
                    "wherever a thief can be had (for tests)");
}

template <VictimSelection Victims>
class Search {
 public:
  // Collective.
  explicit Search(const SearchOptions& options)
      : backoff_(options.backoff),
        forced_steal_(options.forced_steal && rma::size() > 1),
        searching_(rma::allocate<rma::Word>().at(0)),
        is_counted_(rma::rank() != 0),
        victims_(rma::rank(), rma::size(), options.victim_seed) {
    // Where the root runs before others have come: who will search is counted.
    if (rma::rank() == 0)
      *searching_.local() = rma::Word(static_cast<uint64_t>(rma::size()) - 1);
  }

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Calls attempt(victim), which returns an Outcome, until one takes something
  // (true) or over() says so (false). Where in_a_hurry(), there is no back-off.
  // REQUIRES: two ranks or more; with --forced_steal, all but rank 0 begin with
  // a search. Cost: attempt's own, and 2 fetch_adds with --forced_steal.
  template <typename Over, typename Attempt, typename InAHurry>
  bool until(Over over, Attempt attempt, InAHurry in_a_hurry) {
    check(rma::size() > 1, "a search for work without other ranks");
    if (forced_steal_ && !std::exchange(is_counted_, false))
      rma::fetch_add(searching_, 1);
    rma::flush_all();  // invariant 1
    const uint64_t begin = rma::now();
    uint64_t last = begin;  // when the last attempt began
    bool found = false;
    for (int failures = 0; !found && !over(); ++failures) {
      if (failures > 0)
        rma::idle(in_a_hurry() ? 1 : std::min(failures, backoff_));
      last = rma::now();
      found = attempt(next_victim()) == Outcome::kTaken;
      if (!found) ++stats_.steals_failed;
    }
    const uint64_t end = rma::now();
    if (forced_steal_) rma::fetch_add(searching_, ~uint64_t{0});
    stats_.search_ns += (found ? last : end) - begin;
    if (found) {
      ++stats_.steals_ok;
      stats_.steal_ns += end - last;
    }
    return found;
  }

  template <typename Over, typename Attempt>
  bool until(Over over, Attempt attempt) {
    return until(over, attempt, [] { return false; });
  }

  // Whether after_push is to be called after each push of a spawn.
  bool hooks_spawns() const {
    return forced_steal_ || rma::self().poll_at_spawn;
  }
  // Drives the network where that is asked for and, with --forced_steal, waits
  // until the queue's owner, the caller, has nothing left to offer, or nobody
  // searches. Cost: then 1 get for each look.
  template <StealableQueue Queue>
  [[gnu::noinline]] void after_push(Queue& queue) const {
    if (rma::self().poll_at_spawn) rma::poll();
    if (forced_steal_) rma::flush_all();  // invariant 1
    while (forced_steal_ && !queue.empty() && rma::get_word(searching_) > 0) {
      if constexpr (SharesByAndBy<Queue>) queue.share();
      rma::idle();
    }
  }

  // steals_ok, steals_failed, steal_ns, search_ns.
  const SchedulerStats& stats() const { return stats_; }

 private:
  [[noreturn, gnu::noinline]] static void no_victim(int victim) {
    rma::fatal(absl::StrCat("the choice of victims names ", victim, ", of ",
                            rma::size(), " ranks; others than rank ",
                            rma::rank(), " itself are victims"));
  }
  int next_victim() {
    const int victim = victims_.next();
    if (victim < 0 || victim >= rma::size() || victim == rma::rank())
      no_victim(victim);
    return victim;
  }

  const int backoff_;
  const bool forced_steal_;
  const rma::RemotePtr<rma::Word> searching_;
  // Though it has not begun to search.
  bool is_counted_;
  Victims victims_;
  SchedulerStats stats_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_SEARCH_H_
