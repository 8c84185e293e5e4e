// The SWS queue: split, and without a lock. One word, the stealval, tells what
// there is; a thief claims by one fetch-and-add on it, and works out by itself
// which block that was.
//
// Source: icpp21 §4, Fig. 2 to 5.
//
// Thread safety: steal is for any rank; all else is the owner's. Invariants:
//   1. The stealval is changed by atomics only: thieves add attempts, the owner
//      swaps. A value that the owner sets is called an *allotment*: the tasks
//      [begin, begin + itasks).
//   2. Of the attempts on one allotment the n-th has Volume::block(itasks, n):
//      disjoint, without gaps, oldest first; empty from the
//      Volume::steals(itasks)-th on. The count does not run over: each thief
//      makes at most one attempt more (empty_mode_), and the field holds that
//      (the constructor).
//   3. Allotments whose steals may be unfinished have different epochs, and no
//      epoch is used again before all that was claimed in it is finished
//      (§4.2). So a notice finds the array of its own allotment.
//   4. Once an allotment is exhausted or disabled, what was claimed of it is
//      fixed: `claimed` of its epoch.
//   5. `completions_` tell which claimed blocks were copied: with volume half a
//      word for each steal of an epoch, 0 until its thief adds the number of
//      its tasks (example 4); with volume one a counter for the epoch, since
//      there may be as many steals as tasks. They are changed by atomics only,
//      but cleared by plain stores: of an epoch whose claimed blocks were all
//      finished and which thieves cannot see.
//   6. All that was offered and lies below the first unfinished block, of
//      whichever epoch, can be used again: what no epoch tells of any more was
//      finished when its epoch was used again.

#ifndef MAGPIE_IMPL_SWS_QUEUE_SWS_QUEUE_H_
#define MAGPIE_IMPL_SWS_QUEUE_SWS_QUEUE_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "common/trace/scope.h"
#include "impl/sws_queue/split_queue.h"
#include "impl/sws_queue/stealval.h"

namespace magpie::sws_queue {

template <typename ItemType, typename Volume = Half,
          typename Value = WithEpochs>
class SwsQueue
    : public SplitQueue<SwsQueue<ItemType, Volume, Value>, ItemType> {
  using Split = SplitQueue<SwsQueue, ItemType>;
  struct alignas(64) Meta {
    rma::Word stealval;
  };

 public:
  using Item = ItemType;
  // Names an instance by its stealval.
  using Remote = rma::RemotePtr<rma::Word>;

  static constexpr uint64_t kMaxCapacity = Value::max_tail + 1;
  static constexpr bool kTakesOne = Volume::kTakesOne;

  // Prints an error and ends the job where the fields are too narrow for the
  // ring, or for the number of ranks. Collective.
  explicit SwsQueue(const QueueOptions& options)
      : Split(options),
        empty_check_(options.empty_check),
        own_(rma::allocate<Meta>().field(&Meta::stealval)),
        stealval_(*own_.local()),
        words_per_epoch_(words_per_epoch(options)),
        completions_(rma::allocate<rma::Word>(kEpochs * words_per_epoch_,
                                              "completion")) {
    require_wide_fields(options);
    rma::name_word(own_, "stealval");
  }

  static size_t heap_bytes(const QueueOptions& options) {
    return Split::ring_bytes(options) + rma::allocated_bytes<Meta>() +
           rma::allocated_bytes<rma::Word>(kEpochs * words_per_epoch(options));
  }

  // ----------------------------------------------------------------- the owner

  [[gnu::always_inline]] bool offers_any() const {
    return stealval_.load() < exhausted_;
  }

  // Offers nothing while claims of all epochs are unfinished. Source: icpp21
  // §4.1, Release. Cost: 1 swap.
  uint64_t release(uint64_t begin, uint64_t n) {
    close(itasks_);
    const uint32_t epoch = free_epoch();
    if (epoch == kNoEpoch) return 0;
    open(epoch, begin, std::min(n, Value::max_itasks));
    return itasks_;
  }

  // Waits while claims of all epochs are unfinished, but not for all. Source:
  // icpp21 §4.1 and §4.2, Acquire, Fig. 5. Cost: 2 swaps; none where there is
  // nothing.
  uint64_t acquire(bool all) {
    if (!offers_any()) return 0;
    const Value old = set({.epoch = Value::disabled});
    const uint64_t claimed = Volume::block(itasks_, old.asteals).first;
    const uint64_t available = itasks_ - claimed;
    const uint64_t begin = epochs_[epoch_].begin + claimed;
    const uint64_t rest = Split::left_to_thieves(available, all);
    close(claimed);
    if (all && free_epoch() == kNoEpoch) {  // as it was
      allot(old.itasks);
      set(old);
      return 0;
    }
    if (rest == 0) {
      set({.epoch = epoch_});
    } else {
      open(wait_for_epoch(), begin, rest);
    }
    return available - rest;
  }

  // Position of the first unfinished block, of whichever epoch. Source: icpp21
  // §4.2, progress.
  uint64_t reclaim() const {
    uint64_t first = epochs_[epoch_].begin + finished(epoch_);
    for (uint32_t e = 0; e < kEpochs; ++e) {
      if (e != epoch_ && !is_finished(e))
        first = std::min(first, epochs_[e].begin + finished(e));
    }
    return first;
  }

  void quiesce() {
    rma::flush_all();
    for (uint32_t e = 0; e < kEpochs; ++e) {
      while (!is_finished(e)) rma::idle();
    }
  }

  // ------------------------------------------------------------------- thieves

  Remote remote(int rank) const { return own_.at(rank); }

  uint64_t offered(Remote victim) const {
    const Value seen = Value::unpack(rma::get_word(victim));
    if (seen.is_disabled()) return 0;
    return seen.itasks - Volume::block(seen.itasks, seen.asteals).first;
  }

  // Source: icpp21 §4.1, Stealing Tasks, where a thief (1) claims and learns by
  // that what there is, (2) copies, (3) tells that it has; §4.3. Cost:
  // fetch_add and get, both waited for, and a fetch_add_nb; a get more where
  // the block wraps, and where the victim was in empty-mode or the empty check
  // is on. Where there is nothing: 1 fetch_add, or then 1 get.
  template <typename Take>
  Outcome steal(Remote victim, Take take) {
    using enum Outcome;
    const int rank = victim.rank;
    trace::Phase phase;
    if (empty_check_ || empty_mode_.contains(rank)) {
      if (offered(victim) == 0) return kEmpty;
      empty_mode_.erase(rank);
      phase.end(trace::Event::kEmptyCheck);
    }
    const Value seen =
        Value::unpack(rma::fetch_add(victim, Value::kAttempt));  // (1)
    phase.end(trace::Event::kClaim);
    if (seen.is_disabled()) return kBusy;
    const Block block = Volume::block(seen.itasks, seen.asteals);
    if (block.size == 0) {
      empty_mode_.insert(rank);
      return kEmpty;
    }
    const auto loot =
        Split::copy(rank, seen.tail + block.first, block.size);  // (2)
    phase.end(trace::Event::kCopyItems, {.bytes = loot.size_bytes()});
    take(loot);
    phase.restart();
    notice(rank, seen, block);  // (3)
    if constexpr (kTakesOne) rma::flush(rank);
    phase.end(trace::Event::kNotice);
    return kTaken;
  }

 private:
  static constexpr uint32_t kEpochs = Value::epochs;
  static constexpr uint32_t kNoEpoch = kEpochs;

  // Describes what was offered in an epoch.
  struct Epoch {
    // The position of its tail.
    uint64_t begin = 0;
    // Number of tasks that were claimed. Not set for the current allotment
    // (invariant 4).
    uint64_t claimed = 0;
  };

  static uint64_t max_itasks(const QueueOptions& options) {
    return std::min<uint64_t>(options.capacity, Value::max_itasks);
  }
  static uint64_t words_per_epoch(const QueueOptions& options) {
    return kTakesOne ? 1 : Volume::steals(max_itasks(options));
  }

  // Sets the stealval and returns what it was. The fence orders what the owner
  // has stored before.
  Value set(const Value& value) {
    rma::Word::fence();
    return Value::unpack(rma::swap(own_, value.pack()));
  }

  // Notes what was claimed of the current allotment, of which nothing more will
  // be.
  void close(uint64_t claimed) {
    if (itasks_ == 0) return;
    epochs_[epoch_].claimed = claimed;
    itasks_ = exhausted_ = 0;
  }
  // Begins a new allotment. REQUIRES: the current one is closed, and the epoch
  // is finished.
  void open(uint32_t epoch, uint64_t begin, uint64_t itasks) {
    epoch_ = epoch;
    for (uint64_t n = 0; n < words_per_epoch_; ++n)
      completion(epoch_, n).store(0);
    epochs_[epoch_] = {.begin = begin};
    allot(itasks);
    set({.epoch = epoch_, .itasks = itasks, .tail = Split::index_of(begin)});
  }
  void allot(uint64_t itasks) {
    itasks_ = itasks;
    exhausted_ = Volume::steals(itasks) << Value::asteals_shift;
  }
  // An epoch of which all claims are finished; the current one is tried last.
  // kNoEpoch: there is none. REQUIRES: the current allotment is closed.
  uint32_t free_epoch() const {
    for (uint32_t n = 1; n <= kEpochs; ++n) {
      const uint32_t e = (epoch_ + n) % kEpochs;
      if (is_finished(e)) return e;
    }
    return kNoEpoch;
  }

  // "acquire must poll until at least one epoch has fully completed" (§4.2).
  uint32_t wait_for_epoch() {
    uint32_t epoch = free_epoch();
    if (epoch == kNoEpoch) rma::flush_all();  // others may wait for this rank
    for (; epoch == kNoEpoch; epoch = free_epoch()) rma::idle();
    return epoch;
  }

  uint64_t claimed(uint32_t e) const {
    if (e != epoch_ || itasks_ == 0) return epochs_[e].claimed;
    const uint64_t word = stealval_.load();
    return Volume::block(itasks_, Value::asteals_of(word)).first;
  }
  // The word of the n-th steal in an epoch.
  uint64_t word_of(uint32_t e, uint64_t n) const {
    return e * words_per_epoch_ + (kTakesOne ? 0 : n);
  }
  rma::Word& completion(uint32_t e, uint64_t n) const {
    return completions_.local()[word_of(e, n)];
  }
  // Tells that the block which was claimed by `claim` is copied.
  void notice(int rank, const Value& claim, const Block& block) const {
    const uint64_t word = word_of(claim.epoch, claim.asteals);
    rma::fetch_add_nb(completions_.at(rank) + word, block.size, nullptr);
  }
  // Number of an epoch's tasks that were copied without a gap from its tail, as
  // far as can be told. A counter tells only that all were: it is read before
  // what is claimed, or a later block's notice could stand for an earlier
  // one's.
  uint64_t finished(uint32_t e) const {
    uint64_t tasks = 0;
    if constexpr (kTakesOne) {
      tasks = completion(e, 0).load();
      if (tasks != claimed(e)) return 0;
    } else {
      for (uint64_t n = 0; n < words_per_epoch_; ++n) {
        const uint64_t block = completion(e, n).load();
        if (block == 0) break;
        tasks += block;
      }
    }
    return tasks;
  }
  // Whether all that was claimed by now is finished.
  bool is_finished(uint32_t e) const {
    const uint64_t tasks = finished(e);
    return tasks == claimed(e);
  }

  static void require_wide_fields(const QueueOptions& options) {
    const uint64_t attempts = Volume::steals(max_itasks(options)) +
                              static_cast<uint64_t>(rma::size());
    if (options.capacity <= kMaxCapacity && attempts < Value::asteals_end)
      return;
    rma::fatal(absl::StrCat(
        "a queue of ", options.capacity, " tasks on ", rma::size(),
        " ranks, with up to ", attempts, " attempts to steal: the stealval ",
        "tells ", kMaxCapacity, " places apart, and counts fewer than ",
        Value::asteals_end, " attempts"));
  }

  const bool empty_check_;
  const Remote own_;
  const rma::Word& stealval_;
  const uint64_t words_per_epoch_;
  const rma::RemotePtr<rma::Word> completions_;

  // The owner's: the current allotment, none where itasks_ is 0, and its epoch.
  uint64_t itasks_ = 0;
  // Value that the stealval stays below as long as an attempt takes something:
  // its highest field counts attempts.
  uint64_t exhausted_ = 0;
  uint32_t epoch_ = 0;
  std::array<Epoch, kEpochs> epochs_ = {};

  // The thief's: victims in empty-mode (icpp21 §4.3), where its last claim
  // found nothing. It looks at such a victim before it claims, so in one
  // allotment it makes one attempt at most that finds nothing.
  std::unordered_set<int> empty_mode_;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_SWS_QUEUE_H_
