// The SDC queue: split, with deferred copies and aborting steals. Thieves claim
// under a lock, copy after they have let it go, and tell the owner when they
// have.
//
// Source: icpp21 §3 (Scioto's queue over one-sided operations), Fig. 1 and 2.
//
// Thread safety: steal is for any rank; all else is the owner's. Invariants:
//   1. `tail` and `split` are positions; [tail, split) may be claimed.
//   2. `tail` is written by the holder of the lock only, which is a thief;
//      hence by puts. It never falls.
//   3. `split` is written by the owner only. It falls only under the lock, so a
//      thief that has read it there may claim all below.
//   4. `completed` is written by atomics only. It is how many of the items
//      below tail were copied, in whatever order: when it equals a tail that
//      was read *after* it, all of them were.

#ifndef MAGPIE_IMPL_SWS_QUEUE_SDC_QUEUE_H_
#define MAGPIE_IMPL_SWS_QUEUE_SDC_QUEUE_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"
#include "common/stealing/stealable_queue.h"
#include "common/trace/scope.h"
#include "impl/sws_queue/split_queue.h"

namespace magpie::sws_queue {

template <typename ItemType, typename Volume = Half>
class SdcQueue : public SplitQueue<SdcQueue<ItemType, Volume>, ItemType> {
  using Split = SplitQueue<SdcQueue, ItemType>;
  // Both words, which one get shows.
  struct alignas(16) Ends {
    rma::Word tail, split;
  };
  struct Meta {
    alignas(64) rma::Word lock;
    rma::Word completed;
    // Kept apart from what failing thieves write.
    alignas(64) Ends ends;
  };

 public:
  using Item = ItemType;
  struct Remote {
    rma::RemotePtr<Meta> meta;

    auto lock() const { return meta.field(&Meta::lock); }
    auto completed() const { return meta.field(&Meta::completed); }
    auto ends() const { return meta.field(&Meta::ends); }
    auto tail() const { return ends().field(&Ends::tail); }
  };

  static constexpr bool kTakesOne = Volume::kTakesOne;

  // Collective.
  explicit SdcQueue(const QueueOptions& options)
      : Split(options),
        empty_check_(options.empty_check),
        own_{rma::allocate<Meta>()},
        meta_(own_.meta.local()) {
    rma::name_word(own_.lock(), "queue lock");
    rma::name_word(own_.completed(), "completed");
    rma::name_word(own_.tail(), "tail");
    rma::name_word(own_.ends().field(&Ends::split), "split");
  }

  static size_t heap_bytes(const QueueOptions& options) {
    return Split::ring_bytes(options) + rma::allocated_bytes<Meta>();
  }

  // ----------------------------------------------------------------- the owner

  [[gnu::always_inline]] bool offers_any() const {
    return meta_->ends.tail.load() < meta_->ends.split.own_value();
  }

  // Offers items without the lock: a thief that reads the old split finds less,
  // and nothing that is not there (icpp21 §3.1, Release). Cost: no operation.
  uint64_t release(uint64_t begin, uint64_t n) {
    meta_->ends.split.store(begin + n);
    return n;
  }

  // Cost: a lock and an unlock (remote_lock.h); none where there is nothing.
  uint64_t acquire(bool all) {
    if (!offers_any()) return 0;
    rma::flush_all();  // others may wait for what this rank has issued
    lock(own_.lock());
    const uint64_t split = meta_->ends.split.own_value();
    const uint64_t available = split - meta_->ends.tail.load();
    const uint64_t taken = available - Split::left_to_thieves(available, all);
    meta_->ends.split.store(split - taken);
    rma::flush(rma::rank());  // the store before the unlock
    unlock(own_.lock());
    return taken;
  }

  // Frees all places below tail, or none: a sum does not say which items were
  // copied.
  uint64_t reclaim() {
    const uint64_t completed = meta_->completed.load();  // invariant 4
    if (completed == meta_->ends.tail.load()) reclaimed_ = completed;
    return reclaimed_;
  }

  void quiesce() {
    rma::flush_all();
    while (reclaim() != meta_->ends.tail.load()) rma::idle();
  }

  // ------------------------------------------------------------------- thieves

  Remote remote(int rank) const { return {own_.meta.at(rank)}; }

  uint64_t offered(Remote victim) const {
    const Ends seen = rma::get(victim.ends());
    const uint64_t tail = seen.tail.own_value(), split = seen.split.own_value();
    return tail < split ? split - tail : 0;
  }

  // Source: icpp21 §3.1, Stealing Tasks, steps 1 to 6. Cost: fetch_add, get,
  // put, unlock, get, all of them waited for, and a fetch_add_nb; a get more
  // where the block wraps, and with the empty check. Where there is nothing:
  // fetch_add, get, unlock. While somebody has the lock: a fetch_add and a get
  // for each look.
  template <typename Take>
  Outcome steal(Remote victim, Take take) {
    using enum Outcome;
    trace::Phase phase;
    if (empty_check_) {
      if (offered(victim) == 0) return kEmpty;
      phase.end(trace::Event::kEmptyCheck);
    }
    while (!try_lock(victim.lock())) {          // (1)
      if (offered(victim) == 0) return kEmpty;  // early abort
      rma::flush_all();
      rma::idle();
    }
    phase.end(trace::Event::kLock);
    const Ends seen = rma::get(victim.ends());  // (2)
    const uint64_t tail = seen.tail.own_value();
    const uint64_t n = Volume::of(seen.split.own_value() - tail);
    if (n == 0) {
      unlock(victim.lock());
      return kEmpty;
    }
    rma::put_word(victim.tail(), tail + n);  // (3)
    rma::flush(victim.meta.rank);
    phase.end(trace::Event::kTakeItem);
    unlock(victim.lock());  // (4)
    phase.end(trace::Event::kUnlock);
    const auto loot = Split::copy(victim.meta.rank, tail, n);  // (5)
    phase.end(trace::Event::kCopyItems, {.bytes = loot.size_bytes()});
    take(loot);
    phase.restart();
    rma::fetch_add_nb(victim.completed(), n, nullptr);  // (6)
    if constexpr (kTakesOne) rma::flush(victim.meta.rank);
    phase.end(trace::Event::kNotice);
    return kTaken;
  }

 private:
  const bool empty_check_;
  const Remote own_;
  Meta* const meta_;
  uint64_t reclaimed_ = 0;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_SDC_QUEUE_H_
