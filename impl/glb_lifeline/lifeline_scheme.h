// The lifeline scheme between places: what a place does for others that have
// asked, and how it asks and tells place 0 itself. When it does so is up to the
// place's balancer: cooperative.h, or manager.h.
//
// Source: hybrid_glb_apgas18 §2.2 (GLB), §4.
//
// Thread safety: an instance belongs to a place's manager. `bag` is its BagOf
// (common/task_pool/bag.h). Invariants:
//   1. A place that has reported that it is inactive has no task and runs none,
//      and has asked all its buddies: only a receipt that is counted
//      (steal_counts.h) can change that. What has come and was not received
//      yet may lie in its mailbox.
//   2. Tasks that were taken out of a queue are sent or kept before the call
//      that took them returns.
//   3. No call waits for another rank, except where a queue's function does:
//      SDC's for a thief that has the lock.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_SCHEME_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_SCHEME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"
#include "impl/glb_lifeline/lifelines.h"
#include "impl/glb_lifeline/loot.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/steal_counts.h"

namespace magpie::glb {

template <typename Task>
class LifelineScheme {
 public:
  // With the paper's w `random_victims`, or all there are, and at most `loot`
  // tasks sent at once. `own` outlives it. Collective.
  LifelineScheme(const LifelineGraph& graph, int random_victims,
                 uint64_t victim_seed, size_t loot, OwnPlace& own)
      : own_(own),
        victims_(std::min(random_victims, own.places.count() - 1)),
        lifelines_(graph, own.places, own.place.number),
        boxes_(lifelines_.edges() + 1, loot),
        random_(seed_of_rank(victim_seed, rma::rank())) {
    rma::self().status->show("steals from places", stats_.steals_ok);
  }

  static size_t heap_bytes(size_t edges, size_t loot) {
    return Lifelines::heap_bytes(edges) +
           LootBoxes<Task>::heap_bytes(edges + 1, loot) +
           Requests::heap_bytes() + CountsInbox::heap_bytes();
  }

  // ------------------------------------------------------ for other places

  // Whether others wait for loot. Cost: none.
  bool is_asked() const {
    return lifelines_.is_asked() || requests_.thief() >= 0;
  }

  // Sends loot to the places that wait: on lifelines, which take turns, as long
  // as there is some, and to the one that has made a request, be it nothing.
  template <typename Bag>
  void send_loot(Bag& bag) {
    const size_t first = next_served_;
    for (size_t i = 0; i < lifelines_.edges(); ++i) {
      const size_t edge = (first + i) % lifelines_.edges();
      if (!lifelines_.is_asked(edge)) continue;
      const std::span<const Task> loot = take_half(bag);
      if (loot.empty()) break;
      lifelines_.serve(edge);
      next_served_ = edge + 1;
      const Place& thief = lifelines_.thief(edge);
      counts_.add(thief.number, 1);
      boxes_.send(thief.manager(), edge, loot);
      wake_manager(thief);
      ++own_.lifeline_loads;
    }
    if (const int thief = requests_.thief(); thief >= 0) {
      const std::span<const Task> loot = take_half(bag);
      requests_.clear();
      boxes_.send(thief, lifelines_.edges(), loot);
      wake_manager(own_.places.of(thief));
    }
  }

  // ------------------------------------------------------- from other places

  // Puts loot that has come into the bag. True: there was some.
  template <typename Bag>
  bool receive(Bag& bag) {
    bool has_some = false;
    const auto keep = [&](std::span<const Task> loot) {
      bag.keep(loot);
      has_some |= !loot.empty();
    };
    for (size_t edge = 0; edge < lifelines_.edges(); ++edge) {
      if (!boxes_.receive(edge, keep)) continue;
      lifelines_.received(edge);
      counts_.add(own_.place.number, -1);
    }
    boxes_.receive(lifelines_.edges(), [&](std::span<const Task> loot) {
      requests_.answered();
      count_stolen(loot.size_bytes());
      end_attempt(!loot.empty());
      keep(loot);
    });
    return has_some;
  }

  // Chooses w distinct places at random.
  std::vector<int> random_victims() {
    std::vector<int> victims;
    while (victims.size() < static_cast<size_t>(victims_)) {
      const int other = static_cast<int>(
          random_() % static_cast<uint32_t>(own_.places.count() - 1));
      const int victim = other < own_.place.number ? other : other + 1;
      if (std::find(victims.begin(), victims.end(), victim) == victims.end())
        victims.push_back(victim);
    }
    return victims;
  }
  // Asks a victim for loot. REQUIRES: !awaits_answer(). Cost: a fetch_add; one
  // more, and what it costs to wake the victim, where it will answer.
  void ask(int victim) {
    const Place place = own_.places.place(victim);
    begin_attempt(place.manager());
    if (requests_.ask(place.manager()))
      wake_manager(place);
    else
      end_attempt(false);
  }
  // Whether the last request will be answered. Cost: none.
  bool awaits_answer() const { return requests_.awaits_answer(); }
  // Pulls half of what the ranks of a victim offer into the own bag. The only
  // task is pulled from a worker, which has another one to run, and not from a
  // manager. True: some came. Cost: a get for each rank; the queue's steal and
  // a flush for each that is robbed.
  template <typename Bag>
  bool pull(Bag& bag, int victim) {
    const Place place = own_.places.place(victim);
    begin_attempt(place.manager());
    const Offers all = offers(bag, place);
    const bool is_managers = all.sum == 1 && all.of_rank.back() == 1;
    const uint64_t want = is_managers ? 0 : (all.sum + 1) / 2;
    go_round(place, all, want, [&](int rank) {
      bag.take_from(rank, [&](std::span<const Task> tasks) {
        count_stolen(tasks.size_bytes());
        hands_.insert(hands_.end(), tasks.begin(), tasks.end());
      });
      rma::flush(rank);
    });
    // Now, when it has no victim's lock: a push may wait for a thief.
    bag.keep(hands_);
    bag.offer_all();
    end_attempt(!hands_.empty());
    return !hands_.empty();
  }
  // Counts a time in which the rank had no tasks.
  void was_idle_since(uint64_t begin) { stats_.idle_ns += rma::now() - begin; }
  // Says that the rank goes on with tasks. An answer may still be on its way.
  void leave_attempt() {
    if (attempt_) attempt_->end(trace::Event::kSearch, stats_.search_ns);
    attempt_.reset();
  }
  // Asks all buddies that it has not asked yet.
  void ask_buddies() { lifelines_.ask_all(); }
  // Whether the place's ranks offer fewer than `wanted` tasks. Looks at no more
  // queues than it has to, at another one first each time. Cost: a get for
  // each.
  template <typename Bag>
  bool offers_less_than(uint64_t wanted, Bag& bag) {
    const Group& ranks = own_.place.ranks;
    looks_first_ = (looks_first_ + 1) % ranks.size;
    for (int i = 0; i < ranks.size && wanted > 0; ++i) {
      const int member = (looks_first_ + i) % ranks.size;
      wanted -= std::min(wanted, bag.offered(ranks.rank(member)));
    }
    return wanted > 0;
  }

  // ---------------------------------------------------------- inactive places

  // Count a task that is added for another place, and the receipt of one.
  void sends_task(int place) { counts_.add(place, 1); }
  void receives_task() { counts_.add(own_.place.number, -1); }
  // Adds what workers of the place have counted.
  void collect(CountsInbox& from_workers) { from_workers.collect(&counts_); }

  // Reports to place 0 that this place is inactive, with its counts. False: not
  // yet, since the last report waits for room there.
  bool report() {
    settle();
    if (has_to_report()) return false;
    if (own_.place.number == 0) {
      for (const auto& [place, change] : counts_) sums_.add(place, change);
    } else {
      const Place root = own_.places.place(0);
      reports_.send(root.manager(), counts_, own_.place.number);
      wake_manager(root);
    }
    ++own_.reports;
    counts_.clear();
    return true;
  }
  // Whether a report waits for room at place 0, whose manager does not tell
  // when there is some.
  bool has_to_report() const { return reports_.unsent() > 0; }
  // Sends what waits for room at place 0, which adds up what has come.
  void settle() {
    if (has_to_report()) {
      const size_t before = reports_.unsent();
      reports_.settle();
      if (reports_.unsent() < before) wake_manager(own_.places.place(0));
    }
    if (own_.place.number == 0) reports_.collect(&sums_);
  }
  // Ends the run, once, at place 0, if all places are inactive. REQUIRES: this
  // one is.
  void end_run_if_over() {
    if (own_.place.number != 0 || is_end_said_ || !sums_.all_zero()) return;
    is_end_said_ = true;
    own_.end.announce();
  }
  // Begins a new run. REQUIRES: the last one is over.
  void begin_next() {
    own_.end.begin_next();
    is_end_said_ = false;
  }

  // steals_ok, steals_failed, steal_ns, search_ns, idle_ns, stolen_bytes.
  const SchedulerStats& stats() const { return stats_; }

 private:
  // Measure an attempt to steal from another place, whose manager is asked or
  // robbed. One is under way at a time. It lasts for several steps where the
  // manager is to answer.
  void begin_attempt(int manager) {
    victim_ = manager;
    attempt_.emplace();
  }
  void count_stolen(uint64_t bytes) {
    if (attempt_) trace::stole(bytes, stats_.stolen_bytes);
  }
  void end_attempt(bool got_some) {
    if (!attempt_) return;
    ++(got_some ? stats_.steals_ok : stats_.steals_failed);
    attempt_->end(got_some ? trace::Event::kSteal : trace::Event::kFailedSteal,
                  got_some ? stats_.steal_ns : stats_.search_ns,
                  {.rank = victim_});
    attempt_.reset();
  }

  // Takes half of what the ranks of the own place offer, and no more than fits
  // into a box; never the only task. They are the caller's: it sends them. The
  // span returned holds until the next call. Cost: a get for each rank, and the
  // queue's steal for each that is robbed.
  template <typename Bag>
  std::span<const Task> take_half(Bag& bag) {
    bag.offer_all();
    const Offers all = offers(bag, own_.place);
    const size_t want = std::min<size_t>(all.sum / 2, boxes_.capacity());
    go_round(own_.place, all, want, [&](int rank) {
      const auto take = [this](std::span<const Task> tasks) {
        hands_.insert(hands_.end(), tasks.begin(), tasks.end());
      };
      bag.take_from(rank, take, want - hands_.size());
    });
    // A queue may give more than it was asked for.
    const std::span<const Task> taken = hands_;
    const size_t sent = std::min(want, taken.size());
    bag.keep(taken.subspan(sent));
    return taken.first(sent);
  }
  // Numbers of tasks that the ranks of a place offer, and their sum.
  struct Offers {
    std::vector<uint64_t> of_rank;
    uint64_t sum;
  };
  template <typename Bag>
  static Offers offers(Bag& bag, const Place& place) {
    Offers all = {{}, 0};
    for (int i = 0; i < place.ranks.size; ++i)
      all.sum += all.of_rank.emplace_back(bag.offered(place.ranks.rank(i)));
    return all;
  }
  // Calls take(rank), which adds to hands_, for ranks of the place that offer
  // tasks, in turn, from a random one on, until there are `want`.
  template <typename Take>
  void go_round(const Place& place, const Offers& all, size_t want, Take take) {
    hands_.clear();
    const auto ranks = static_cast<size_t>(place.ranks.size);
    const size_t first = random_() % ranks;
    for (size_t i = 0; i < ranks && hands_.size() < want; ++i) {
      const size_t member = (first + i) % ranks;
      if (all.of_rank[member] > 0)
        take(place.ranks.rank(static_cast<int>(member)));
    }
  }

  OwnPlace& own_;
  const int victims_;  // w
  Lifelines lifelines_;
  // One box for each lifeline, and one for the answer to a request.
  LootBoxes<Task> boxes_;
  Requests requests_;
  CountsInbox reports_;
  std::minstd_rand random_;
  std::vector<Task> hands_;
  int looks_first_ = 0;
  // The attempt that is under way, and whose manager is its victim.
  std::optional<trace::Scope> attempt_;
  int victim_ = 0;
  SchedulerStats stats_;
  // The lifeline after the one that was served last.
  size_t next_served_ = 0;
  // Loads and mail that were sent and received, since the last report.
  Counts counts_;
  // Sums of all reports, and whether the run's end was said; at place 0.
  Counts sums_;
  bool is_end_said_ = false;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_SCHEME_H_
