// Search of a rank without work: it asks one victim after the other.
//
//   Search<RandomVictim> search(options);
//   if (search.until([&] { return end.poll(); },
//                    [&](int victim) { return queue.steal(...); })) ...
//
// Source: hpdc15 Fig. 6, lines 8 to 10, and its caller; the back-off is ours.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. Nothing of the caller's stays unflushed while it waits for others.
//   2. With --forced_steal, `searching_` on the group's first rank counts those
//      that search, each until it has found something: whoever waits in
//      after_push() is found, or the searchers find other work.

#ifndef MAGPIE_COMMON_STEALING_SEARCH_H_
#define MAGPIE_COMMON_STEALING_SEARCH_H_

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "common/flags/flags.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/victim_selection.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"

namespace magpie {

struct SearchOptions {
  uint64_t victim_seed = 1;
  int backoff = 16;
  bool forced_steal = false;
};

void add_options(CLI::App& app, SearchOptions& options);
// Adds --forced_steal, for runtimes of ranks that take each other's tasks: with
// others it would have no effect.
void add_forced_steal(CLI::App& app, SearchOptions& options);
// --empty_check: QueueOptions::empty_check.
void add_empty_check(CLI::App& app, bool& empty_check);

// Prints an error and ends the job: a choice of victims has named no victim.
[[noreturn]] void no_victim(int victim);

template <VictimSelection Victims>
class Search {
 public:
  // `root` is the rank that has work at first. Of the group no more than
  // `searchers` ranks search, one of them `root`; the others are victims alone.
  // Collective, over all ranks; only the instances of those that search are
  // asked.
  explicit Search(const SearchOptions& options,
                  const Group& group = Group::of_all(), int root = 0,
                  int searchers = INT_MAX)
      : group_(group),
        backoff_(options.backoff),
        forced_steal_(options.forced_steal && group.size > 1),
        searching_(rma::allocate<rma::Word>(1, "searching").at(group.rank(0))),
        is_counted_(rma::rank() != root),
        victims_(group, rma::rank(), options.victim_seed) {
    // Counts the ranks that will search, since the root may run before others
    // have come.
    if (rma::rank() == searching_.rank)
      *searching_.local() =
          rma::Word(static_cast<uint64_t>(std::min(searchers, group.size)) - 1);
    rma::self().status->show("steals", stats_.steals_ok);
  }

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Calls attempt(victim), which returns an Outcome, for one victim after the
  // other, with a pause between two, until one takes something (true) or over()
  // says so (false). Where in_a_hurry(), pauses do not grow. REQUIRES: a group
  // of two ranks or more; with --forced_steal, all but the root's rank begin
  // with a search. Cost: attempt's own, and 2 fetch_adds with --forced_steal.
  template <typename Over, typename Attempt, typename InAHurry = bool (*)()>
  bool until(
      Over over, Attempt attempt, InAHurry in_a_hurry = [] { return false; }) {
    const trace::Idle idle;
    if (forced_steal_ && !std::exchange(is_counted_, false))
      rma::fetch_add(searching_, 1);
    rma::flush_all();  // invariant 1
    trace::Scope scope;
    bool found = false;
    for (int failures = 0; !found && !over(); ++failures) {
      if (failures > 0)
        rma::idle(in_a_hurry() ? 1 : std::min(failures, backoff_));
      found = takes_some(attempt, scope);
    }
    if (!found) scope.end(trace::Event::kSearch, stats_.search_ns);
    if (forced_steal_) rma::fetch_add(searching_, ~uint64_t{0});
    return found;
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
      if constexpr (requires { queue.share(); }) queue.share();
      rma::idle();
    }
  }

  // steals_ok, steals_failed, steal_ns, search_ns, idle_ns.
  SchedulerStats stats() const {
    SchedulerStats stats = stats_;
    stats.idle_ns = stats.steal_ns + stats.search_ns;
    return stats;
  }

 private:
  // Makes one attempt. `scope` has begun when the last one ended.
  template <typename Attempt>
  bool takes_some(Attempt& attempt, trace::Scope& scope) {
    scope.end(trace::Event::kSearch, stats_.search_ns);
    check(group_.size > 1, "a search for work without other ranks");
    const int victim = victims_.next();
    if (!group_.has(victim) || victim == rma::rank()) no_victim(victim);
    if (attempt(victim) == Outcome::kTaken) {
      scope.end(trace::Event::kSteal, stats_.steal_ns, {.rank = victim});
      ++stats_.steals_ok;
      return true;
    }
    scope.end(trace::Event::kFailedSteal, stats_.search_ns, {.rank = victim});
    ++stats_.steals_failed;
    return false;
  }

  const Group group_;
  const int backoff_;
  const bool forced_steal_;
  const rma::RemotePtr<rma::Word> searching_;
  // Whether the rank is counted though it has not begun to search.
  bool is_counted_;
  Victims victims_;
  SchedulerStats stats_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_SEARCH_H_
