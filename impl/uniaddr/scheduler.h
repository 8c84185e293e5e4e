// The scheduler of uni-address threads: what a rank does when its region is
// empty.
//
// Source: hpdc15 Fig. 6 (steal) and §5.3; cluster22's "resume scheduler" (Fig.
// 4, lines 35 and 48). Runs on the rank's ordinary stack, outside the region.
// For thread safety and invariants see threads.h and the_queue.h.

#ifndef MAGPIE_IMPL_UNIADDR_SCHEDULER_H_
#define MAGPIE_IMPL_UNIADDR_SCHEDULER_H_

#include <algorithm>
#include <optional>

#include "impl/uniaddr/random_victim.h"
#include "impl/uniaddr/threads.h"

namespace magpie::uniaddr {

template <StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims = RandomVictim>
class Scheduler : public Threads<Queue, Heap> {
  using Base = Threads<Queue, Heap>;

 public:
  using typename Base::Context;

  // Collective.
  explicit Scheduler(const Options& options)
      : Base(options),
        empty_check_(options.empty_check),
        over_(rma::allocate<rma::Word>()) {
    if (rma::size() > 1)
      victims_.emplace(rma::rank(), rma::size(), options.victim_seed);
  }

  static Scheduler& self() { return static_cast<Scheduler&>(Base::self()); }

  // Runs root(arg) as the first thread on rank 0, then whatever can be had,
  // until end_run was called on some rank. Collective. `root` never returns: it
  // ends by one of the leave functions.
  void run(void (*root)(void* arg), void* arg) {
    if (rma::rank() == 0) start_root(root, arg);
    // Threads that this rank made ready come before the end: nobody else will
    // run them.
    while (this->incoming_.frames || !over()) {
      if (this->incoming_.frames) {
        const SavedThread next = std::exchange(this->incoming_, {});
        this->bring_in(next);
        this->stats_.outstanding_join_ns += rma::now() - this->incoming_since_;
        this->enter(next.home);
      } else if (rma::size() > 1) {
        search();
      } else {
        rma::fatal("deadlock: every task waits for another one");
      }
    }
    rma::flush_all();
  }

  // Ends the run on all ranks, from any. The root thread may have ended
  // anywhere.
  void end_run() {
    rma::put_word(over_.at(0), 1);
    rma::flush(0);
  }

  uint64_t region_bytes_max() const {
    return static_cast<uint64_t>(Base::region_end() - this->lowest_);
  }

 private:
  // Steals until there is something to run, or the run is over.
  void search() {
    if (this->forced_steal_) rma::fetch_add(this->searching_, 1);
    rma::flush_all();  // nothing of ours stays unflushed while we wait for
                       // others
    const uint64_t begin = rma::now();
    uint64_t attempt = begin;
    TaskqEntry stolen;
    bool found = false;
    for (int failures = 0; !found && !over(); ++failures) {
      if (failures > 0) rma::idle(std::min(failures, kLongestPause));
      attempt = rma::now();
      found = steal(&stolen);
      if (!found) ++this->stats_.steals_failed;
    }
    const uint64_t end = rma::now();
    if (this->forced_steal_) rma::fetch_add(this->searching_, ~uint64_t{0});
    this->stats_.search_ns += attempt - begin;
    if (!found) return;
    ++this->stats_.steals_ok;
    this->stats_.steal_ns += end - attempt;
    this->enter(stolen);
  }

  // One attempt: takes the oldest continuation of a random victim and copies
  // its frames to the same address here. Source: hpdc15 Fig. 6; the empty check
  // is jip16 §6.2. Cost: empty check 1 get; lock 1 fetch_add; take 3 gets, 1
  // put; frames 1 get; unlock 1 swap.
  bool steal(TaskqEntry* entry) {
    const int victim = victims_->next();  // line 9
    const typename Queue::Remote queue =
        this->queue_.remote(victim);  // line 10
    if (empty_check_ && Queue::looks_empty(queue)) return false;
    if (!Queue::try_lock(queue)) return false;  // lines 11-12
    if (!Queue::take_oldest(queue, entry)) {    // lines 15-18
      Queue::unlock(queue);
      return false;
    }
    copy_frames(victim, *entry);  // lines 3-4
    Queue::unlock(queue);         // line 5
    return true;
  }

  void copy_frames(int victim, const TaskqEntry& entry) {
    const uint64_t begin = rma::now();
    Base::use_region(entry);
    rma::get(entry.frame_base, rma::region_ptr(victim, entry.frame_base),
             entry.frame_bytes);
    this->stats_.task_copy_ns += rma::now() - begin;
    this->stats_.stolen_bytes += entry.frame_bytes;
  }

  void start_root(void (*root)(void*), void* arg) {
    this->top_ = Base::region_end();
    rma::use_region(Base::region_end(), Base::region_end());
    using Root = void (*)(void*);
    void (*below)(Context*, Root, void*) = [](Context* scheduler, Root root,
                                              void* arg) {
      self().scheduler_ = scheduler;
      context::start_on_stack(Base::region_end(), root, arg);
    };
    context::save_and_call(below, root, arg);
    rma::leave_region();
  }

  // Whether the run has ended; passes the news on, down a binary tree over the
  // ranks.
  bool over() {
    if (over_known_) return true;
    if (over_.local()->load() == 0) return false;
    over_known_ = true;
    const int64_t first = 2 * int64_t{rma::rank()} + 1;
    for (int64_t child = first; child <= first + 1 && child < rma::size();
         ++child) {
      rma::put_word(over_.at(static_cast<int>(child)), 1);
      rma::flush(static_cast<int>(child));
    }
    return true;
  }

  static constexpr int kLongestPause = 16;  // in idle()s

  const bool empty_check_;
  const rma::RemotePtr<rma::Word> over_;
  bool over_known_ = false;
  std::optional<Victims> victims_;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_SCHEDULER_H_
