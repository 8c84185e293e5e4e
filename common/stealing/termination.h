// Waves over the tree of all ranks, and what they are for: distributed
// termination detection.

#ifndef MAGPIE_COMMON_STEALING_TERMINATION_H_
#define MAGPIE_COMMON_STEALING_TERMINATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/group.h"

namespace magpie {

// Waves over the tree of all ranks: down it goes a number, up it come the
// values of all, merged on the way. So all are asked without a collective call:
// each answers when it looks.
//
// Thread safety: an instance belongs to one rank; `down_` is put by its parent
// in the tree, `answered_` and `up_` by its children. Invariants:
//   1. A rank answers wave w once, when it has w from its parent and the
//      answers to w from its children.
//   2. A parent has wave w + 1 after it has used up the answers to wave w: so
//      nothing is put where something is still to be read. Puts are flushed
//      before what tells of them, and before the next ones.
class Waves {
 public:
  // `bytes` and `align` are those of a value, which is moved as bytes.
  // Collective.
  Waves(size_t bytes, size_t align)
      : bytes_(bytes),
        stride_(stride(bytes)),
        down_(rma::allocate<rma::Word>(1, "wave")),
        answered_(rma::allocate<rma::Word>(2, "answered")),
        up_(rma::allocate_bytes(2 * stride_, std::max(align, kWord),
                                "answers")) {}

  static size_t heap_bytes(size_t bytes, size_t align) {
    return rma::allocated_bytes<rma::Word>(3) +
           rma::allocated_bytes(2 * stride(bytes), std::max(align, kWord));
  }

  // To be called again and again, by the tree's root from when it wants to
  // begin a wave, by the others always. True: the rank has answered one. Then
  // `value` is its own, into which those of the ranks below it in the tree were
  // merged by merge(void* into, const void* value): on the root, those of all.
  // False: `value` is as it was. Cost: none; for each wave a put to each child,
  // two to the parent, and their flushes.
  template <typename Merge>
  bool poll(void* value, Merge merge) {
    if (!is_told_ && !pass_down()) return false;
    const auto children = static_cast<size_t>(RankTree::children());
    for (size_t i = 0; i < children; ++i) {
      if (answered_.local()[i].load() < wave_) return false;
    }
    for (size_t i = 0; i < children; ++i)
      merge(value, (up_ + i * stride_).local());
    if (!RankTree::is_root()) pass_up(value);
    is_told_ = false;
    ++wave_;
    return true;
  }

  // The wave that this rank answers next, from 1.
  uint64_t wave() const { return wave_; }

 private:
  static constexpr size_t kWord = sizeof(rma::Word);
  // Bytes that a value takes: whole words.
  static size_t stride(size_t bytes) {
    return (bytes + kWord - 1) / kWord * kWord;
  }

  bool pass_down() {
    if (!RankTree::is_root() && down_.local()->load() < wave_) return false;
    for (int i = 0; i < RankTree::children(); ++i) {
      rma::put_word(down_.at(RankTree::child(i)), wave_);
      rma::flush(RankTree::child(i));
    }
    return is_told_ = true;
  }

  void pass_up(const void* value) {
    const auto child = static_cast<size_t>(RankTree::number());
    const auto up = up_.at(RankTree::parent());
    rma::put(up + child * stride_, value, bytes_);
    rma::flush(up.rank);
    rma::put_word(answered_.at(up.rank) + child, wave_);
    rma::flush(up.rank);
  }

  const size_t bytes_;
  const size_t stride_;
  const rma::RemotePtr<rma::Word> down_;
  // The last wave to which each child has answered, and its value.
  const rma::RemotePtr<rma::Word> answered_;
  const rma::RemotePtr<std::byte> up_;
  uint64_t wave_ = 1;
  // Whether this rank has the wave's number and has passed it on.
  bool is_told_ = false;
};

// Tasks of one rank, or of several.
struct TaskCounts {
  uint64_t created = 0;
  uint64_t ended = 0;
};

// Distributed termination detection: when has every task been run?
//
// Each rank counts the tasks that it has created and those that it has ended,
// in 64 bits. Waves bring up the sums of the counts, to which a rank adds its
// own when it is idle. Rank 0 says that all is over when the number of tasks
// created, by the second of two waves, is the number of those ended, by the
// first.
//
// That is right, since
//   - an idle rank has counted all tasks that it has created, and a task is
//     counted as ended after all that it has created was counted. So at every
//     moment at least as many are created as are counted as ended, and equally
//     many only when there is no task and none running.
//   - counts never fall. Let T be a moment between the waves. What the first
//     counted as ended had ended by T; what was created by T the second counts.
//     So   ended(first) <= ended(T) <= created(T) <= created(second),   and
//     where the outermost are equal, all are: at T there was no task.
// And soon: a wave that begins when the last task has ended counts all of them,
// and so does the next one, which is the last.
//
// icpp21 §2.1 asks for such a detection and does not say which. The counts of
// two waves are Mattern's (Distributed Computing 2, 1987).
//
// Thread safety: an instance belongs to one rank.
class Termination {
 public:
  // Collective.
  Termination() : waves_(sizeof(TaskCounts), alignof(TaskCounts)) {}

  static size_t heap_bytes() {
    return EndOfRun::heap_bytes() +
           Waves::heap_bytes(sizeof(TaskCounts), alignof(TaskCounts));
  }

  // Whether there is no task any more, on any rank. To be asked again and again
  // by a rank that is idle: that has no task and does not run one. `mine` is
  // what it has counted. Cost: that of Waves::poll and EndOfRun::poll.
  bool poll(const TaskCounts& mine) {
    if (end_.poll()) return true;
    TaskCounts sums = mine;
    if (!waves_.poll(&sums, &add)) return false;
    if (RankTree::is_root()) {
      if (sums.created == ended_before_) end_.announce();
      ended_before_ = sums.ended;
    }
    return end_.poll();
  }

  // Takes the calling rank to the next round, at whose end there is no task
  // again. REQUIRES: poll() has returned true; and the rank that has the first
  // task counts it as created before it calls this, or is rank 0 and does so
  // before it polls: else the round may be over at once.
  void begin_next() {
    end_.begin_next();
    ended_before_ = kNone;
  }

  // The wave to which this rank adds its counts next, from 1.
  uint64_t wave() const { return waves_.wave(); }

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  static void add(void* into, const void* value) {
    auto& sums = *static_cast<TaskCounts*>(into);
    const auto& more = *static_cast<const TaskCounts*>(value);
    sums.created += more.created;
    sums.ended += more.ended;
  }

  EndOfRun end_;
  Waves waves_;
  // Sum of ended tasks in the wave before, in this round; on rank 0.
  uint64_t ended_before_ = kNone;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_TERMINATION_H_
