// What a place does for all of its ranks: it sends loot to those who have
// asked, gets some from other places when there are too few tasks, and tells
// place 0 when there are none.
//
// Source: hybrid_glb_apgas18 §4.1, Listing 5; §2.2 (GLB), where a place is one
// rank, which takes a step between two tasks.
//
// Thread safety: an instance belongs to a place's manager. Invariants:
//   1. A place whose manager says that it is passive has no task and runs none,
//      and has asked all its buddies: only a receipt that is counted
//      (steal_counts.h) can change that. What has come and was not received
//      yet may lie in its mailbox.
//   2. A manager that has taken tasks out of a queue sends or keeps them before
//      its step ends.
//   3. The manager waits for nobody, except where a queue's steal does: SDC's
//      for a thief who has the lock.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_
#define MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "common/stealing/random_victim.h"
#include "common/stealing/scheduler_stats.h"
#include "common/stealing/stealable_queue.h"
#include "impl/glb_lifeline/attempt.h"
#include "impl/glb_lifeline/here.h"
#include "impl/glb_lifeline/lifelines.h"
#include "impl/glb_lifeline/loot.h"
#include "impl/glb_lifeline/loot_boxes.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/requests.h"
#include "impl/glb_lifeline/steal_counts.h"

namespace magpie::glb {

template <typename Task>
class Manager {
 public:
  // Collective. `here` outlives it.
  Manager(const Options& options, Here& here)
      : here_(here),
        asks_(
            options.steal_by == StealBy::kAsking ||
            (options.steal_by == StealBy::kAuto && rma::self().poll_at_spawn)),
        random_victims_(
            std::min(options.random_victims, here.places.count() - 1)),
        period_(options.period_us * 1000),
        lifelines_(options.graph(here.places.count()), here.places,
                   here.place.number),
        boxes_(lifelines_.edges() + 1, options.loot<Task>()),
        busy_(rma::allocate<rma::Word>()),
        wants_all_(rma::allocate<rma::Word>()),
        own_wants_all_(wants_all_.local()),
        random_(seed_of_rank(options.search.victim_seed, rma::rank())),
        is_passive_(here.place.number != 0) {
    *busy_.local() = rma::Word(static_cast<uint64_t>(here.place.workers()));
    rma::name_words(busy_, "busy workers");
    *own_wants_all_ = rma::Word(1);
    rma::name_words(wants_all_, "wants all");
  }

  static size_t heap_bytes(const Options& options) {
    const size_t edges = options.most_edges();
    return Lifelines::heap_bytes(edges) +
           LootBoxes<Task>::heap_bytes(edges + 1, options.loot<Task>()) +
           Requests::heap_bytes() + 2 * CountsInbox::heap_bytes() +
           2 * rma::allocated_bytes<rma::Word>();
  }

  // One iteration of Listing 5. `runs_task`: the place is this rank alone, and
  // it has tasks that it will run next. True: the next iteration has something
  // to do at once. Cost: none where nobody asks, no loot has come and there are
  // tasks enough; for a place of several ranks a get for each.
  template <typename Bag>
  bool step(Bag& bag, bool runs_task) {
    from_workers_.collect(&counts_);
    receive(bag);
    send_loot(bag);   // line 2
    bag.take_mail();  // last, so that it is run before what others had queued
    bag.offer_all();
    if (!is_passive_) {
      is_short_ = lacks_tasks(bag, runs_task);  // line 3
      if (is_short_)
        steal(bag);  // line 4
      else if (!is_waiting_)
        start_over();
      if (is_contacted_ && is_idle(bag, runs_task) && settle_reports())
        become_passive();  // 6
    }
    settle_reports();
    ask_workers();
    if (here_.place.number == 0) end_run_if_over();
    rma::flush_all();
    return is_trying();
  }

  // Whether a report waits for room at place 0, whose manager does not tell
  // when there is some.
  bool has_to_report() const { return reports_.unsent() > 0; }
  // Whether the place had too few tasks at the last step.
  bool is_short() const { return is_short_; }
  // Whether others wait for a step. Cost: none.
  bool is_asked() const {
    return lifelines_.is_asked() || requests_.thief() >= 0;
  }
  // Says that the rank goes on with tasks. An answer may still be on its way.
  void leaves_off() { attempt_.leave(); }

  // Begins a new run, in which the worker that runs the root is busy already.
  void begin_next() {
    is_end_said_ = false;
    if (here_.place.number == 0) wake();
  }

  // Counts a task that is sent for another place, where this place is this rank
  // alone.
  void sends_to(int place) { counts_.add(place, 1); }
  // Counts the receipt of a task that another place has added.
  void mail_taken() {
    counts_.add(here_.place.number, -1);
    wake();
  }

  // ------------------------------------------------------------- for workers

  // Number of workers that may have tasks, in the manager's memory.
  rma::RemotePtr<rma::Word> busy() const {
    return busy_.at(here_.place.manager());
  }
  // Whether the calling worker is to offer all its tasks to thieves, once:
  // another place waits for some. Cost: none.
  bool wants_all() const { return own_wants_all_->load() != 0; }
  // Notes that the calling worker has done so. Cost: none.
  void has_offered_all() const { own_wants_all_->store_relaxed(0); }
  // Counts of what workers have sent to other places.
  CountsInbox& from_workers() { return from_workers_; }

  const SchedulerStats& stats() const { return attempt_.stats(); }
  OwnCounts own_counts() const {
    return {{"lifeline_loads", lifeline_loads_}, {"reports", reports_sent_}};
  }

 private:
  static constexpr uint64_t kMostPeriods = 64;
  // One, in the paper. Here owners take back half of what they have offered
  // before thieves come.
  static constexpr int kPerWorker = 4;

  // ------------------------------------------------------ for other places

  template <typename Bag>
  void send_loot(Bag& bag) {
    const size_t first = next_served_;
    for (size_t i = 0; i < lifelines_.edges(); ++i) {
      const size_t edge = (first + i) % lifelines_.edges();
      if (!lifelines_.is_asked(edge)) continue;
      const std::span<const Task> loot =
          loot_.take_half(bag, here_.place, boxes_.capacity());
      if (loot.empty()) break;
      lifelines_.serve(edge);
      next_served_ = edge + 1;
      const Place& thief = lifelines_.thief(edge);
      counts_.add(thief.number, 1);
      boxes_.send(thief.manager(), edge, loot);
      Here::wake(thief);
      ++lifeline_loads_;
    }
    if (const int thief = requests_.thief(); thief >= 0) {
      const std::span<const Task> loot =
          loot_.take_half(bag, here_.place, boxes_.capacity());
      requests_.clear();
      boxes_.send(thief, lifelines_.edges(), loot);
      Here::wake(here_.places.of(thief));
    }
  }

  // Makes the workers offer all that they have where others wait for some:
  // their queues offer by themselves no more than half, and nothing new as long
  // as the last offer is not taken. Cost: a put to each worker.
  void ask_workers() {
    if (here_.place.is_alone() || !is_asked()) return;
    for (int i = 0; i < here_.place.workers(); ++i)
      rma::put_word(wants_all_.at(here_.place.ranks.rank(i)), 1);
  }

  // ------------------------------------------------------- from other places

  template <typename Bag>
  void receive(Bag& bag) {
    const auto keep = [&bag](std::span<const Task> loot) { bag.keep(loot); };
    for (size_t edge = 0; edge < lifelines_.edges(); ++edge) {
      if (!boxes_.receive(edge, keep)) continue;
      lifelines_.received(edge);
      counts_.add(here_.place.number, -1);
      wake();
    }
    size_t answered = 0;
    if (boxes_.receive(lifelines_.edges(), [&](std::span<const Task> loot) {
          attempt_.brings(loot.size_bytes());
          bag.keep(loot);
          answered = loot.size();
        })) {
      end_attempt(answered > 0);
    }
  }

  // Whether fewer tasks are left to take than kPerWorker for each worker, and
  // the manager's own queue has room for more.
  template <typename Bag>
  bool lacks_tasks(Bag& bag, bool runs_task) {
    const Place& place = here_.place;
    if (place.is_alone()) return !runs_task && bag.empty();
    return !bag.overflows() &&
           loot_.is_less_than(
               static_cast<uint64_t>(kPerWorker * place.workers()), bag, place);
  }

  // Tries one random victim; when all of them had nothing, asks all buddies.
  template <typename Bag>
  void steal(Bag& bag) {
    if (is_waiting_) return;
    if (next_victim_ == 0) choose_victims();
    if (next_victim_ < victims_.size()) {
      steal_from(bag, here_.places.place(victims_[next_victim_++]));
    } else if (!is_contacted_) {
      lifelines_.ask_all();
      is_contacted_ = true;
      try_again_at_ = rma::now() + pause_;
    } else if (rma::now() >= try_again_at_) {
      next_victim_ = 0;
      pause_ = std::min(2 * pause_, kMostPeriods * period_);
      try_again_at_ = rma::now() + pause_;
    }
  }
  template <typename Bag>
  void steal_from(Bag& bag, const Place& victim) {
    attempt_.begin(victim.manager());
    if (!asks_) {
      end_attempt(loot_.pull_half(
          bag, victim, [this](uint64_t bytes) { attempt_.brings(bytes); }));
    } else if (requests_.ask(victim.manager())) {
      is_waiting_ = true;
      Here::wake(victim);
    } else {
      end_attempt(false);
    }
  }
  void end_attempt(bool got_some) {
    is_waiting_ = false;
    attempt_.end(got_some);
    if (got_some) start_over();
  }

  // Chooses distinct victims at random.
  void choose_victims() {
    victims_.clear();
    while (victims_.size() < static_cast<size_t>(random_victims_)) {
      const int other = static_cast<int>(
          random_() % static_cast<uint32_t>(here_.places.count() - 1));
      const int victim = other < here_.place.number ? other : other + 1;
      if (std::find(victims_.begin(), victims_.end(), victim) == victims_.end())
        victims_.push_back(victim);
    }
  }
  bool is_trying() const {
    return !is_passive_ && !is_contacted_ && next_victim_ > 0;
  }
  // Makes the next search begin anew: there are tasks again.
  void start_over() {
    next_victim_ = 0;
    is_contacted_ = false;
    pause_ = period_;
  }

  // ------------------------------------------------------------ passive places

  // Whether the place has no task. Looks in this order: whoever has a task out
  // of the own queue is busy; whoever is not busy has told what it has sent.
  template <typename Bag>
  bool is_idle(Bag& bag, bool runs_task) {
    if (runs_task || is_waiting_ || !bag.empty()) return false;
    if (here_.place.is_alone()) return true;
    if (busy_.local()->load() > 0) return false;
    from_workers_.collect(&counts_);
    return true;
  }
  // Sends what waits for room at place 0. False: some waits still.
  bool settle_reports() {
    const size_t before = reports_.unsent();
    if (before == 0) return true;
    reports_.settle();
    if (reports_.unsent() < before) Here::wake(here_.places.place(0));
    return reports_.unsent() == 0;
  }
  // Makes the place passive and reports its counts. REQUIRES: its last report
  // is on its way: so no more than one waits for room.
  void become_passive() {
    is_passive_ = true;
    if (here_.place.number == 0) {
      for (const auto& [place, change] : counts_) sums_.add(place, change);
    } else {
      const Place root = here_.places.place(0);
      reports_.send(root.manager(), counts_);  // line 7
      Here::wake(root);
    }
    ++reports_sent_;
    counts_.clear();
  }
  void wake() {
    is_passive_ = false;
    start_over();
  }

  void end_run_if_over() {
    reports_.collect(&sums_);
    if (!is_passive_ || is_end_said_ || !sums_.all_zero()) return;
    is_end_said_ = true;
    here_.end.announce();
  }

  Here& here_;
  const bool asks_;
  const int random_victims_;
  const uint64_t period_;  // ns
  Lifelines lifelines_;
  // One box for each lifeline, and one for the answer to a request.
  LootBoxes<Task> boxes_;
  Requests requests_;
  CountsInbox reports_;
  CountsInbox from_workers_;
  const rma::RemotePtr<rma::Word> busy_;
  // A word of each worker, see wants_all(). At first all places but one wait
  // for tasks.
  const rma::RemotePtr<rma::Word> wants_all_;
  rma::Word* const own_wants_all_;
  std::minstd_rand random_;
  Loot<Task> loot_{random_};

  // The lifeline after the one that was served last: they take turns.
  size_t next_served_ = 0;
  bool is_passive_;
  bool is_short_ = false;
  // The random victims of the present attempt to get tasks, and the next one;
  // whether one of them is to answer; whether all of them had nothing, and all
  // buddies were asked.
  std::vector<int> victims_;
  size_t next_victim_ = 0;
  bool is_waiting_ = false;
  bool is_contacted_ = false;
  // Time when a place whose workers run their last tasks tries random victims
  // again, and the pause before that.
  uint64_t try_again_at_ = 0;
  uint64_t pause_ = period_;
  Attempt attempt_;
  // Loads and mail that were sent and received, since the last report.
  Counts counts_;
  // Sums of all reports, and whether the run's end was said; at place 0.
  Counts sums_;
  bool is_end_said_ = false;

  uint64_t lifeline_loads_ = 0;
  uint64_t reports_sent_ = 0;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_MANAGER_H_
