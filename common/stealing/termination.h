// Distributed termination detection: when has every task been run?
//
// Each rank counts the tasks that it has created and those that it has ended,
// in 64 bits. Waves pass over a tree of a group of ranks: down it a number, up
// it the sums of the counts, to which a rank adds its own when it is idle. The
// root says that all is over when as many tasks were created, as the second of
// two waves tells, as had ended, as the first one tells.
//
// That is right, since
//   - a task is counted as created before any rank can see it, and as ended
//     after all that it has created was counted. So at every moment there are
//     at least as many created as ended, and as many only when there is no task
//     and none running.
//   - counts never fall. Let T be a moment between the waves. What the first
//     counted as ended had ended by T; what was created by T the second counts.
//     So   ended(first) <= ended(T) <= created(T) <= created(second),   and
//     where the outermost are equal, all are: at T there was no task.
// And soon: a wave that begins when the last task has ended counts all of them,
// and so does the next one, which is the last.
//
// icpp21 §2.1 asks for such a detection and does not say which. The counts of
// two waves are Mattern's (Distributed Computing 2, 1987); marking victims of
// steals instead would not do, since a one-sided steal may come after the mark
// was read.
//
// Thread safety: an instance belongs to one rank; `down` and `up` are put by
// its parent and its children. Invariants:
//   1. A rank adds its counts to wave w once, when it has w from its parent and
//      the sums of w from its children.
//   2. A parent's wave w + 1 comes after it has used up wave w: so nothing is
//      put where something is still to be read. Puts are flushed before what
//      tells of them, and before the next ones.

#ifndef MAGPIE_COMMON_STEALING_TERMINATION_H_
#define MAGPIE_COMMON_STEALING_TERMINATION_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/end_of_run.h"
#include "common/stealing/group.h"

namespace magpie {

// Tasks of one rank, or of several.
struct TaskCounts {
  uint64_t created = 0;
  uint64_t ended = 0;
};

class Termination {
  struct Sums {
    rma::Word created, ended;
    // Up to which these are.
    rma::Word wave;
  };
  struct Words {
    rma::Word down;
    Sums up[2];
  };

 public:
  // Collective, over all ranks; the instance of a rank that is not of the group
  // is never asked.
  explicit Termination(const Group& group = Group::of_all())
      : end_(group),
        group_(group),
        words_(rma::allocate<Words>()),
        own_(*words_.local()) {}

  static size_t heap_bytes() {
    return rma::allocated_bytes<Words>() + EndOfRun::heap_bytes();
  }

  // Whether there is no task any more, on any rank of the group. To be asked
  // again and again by a rank that is idle: that has no task and does not run
  // one. `mine` is what it has counted. Cost: none; for each wave a put to each
  // child, two to the parent, and their flushes.
  bool poll(const TaskCounts& mine) {
    if (end_.poll()) return true;
    if (!is_told_ && !pass_down()) return false;
    const GroupTree tree(group_);
    TaskCounts sums = mine;
    for (int i = 0; i < tree.children(); ++i) {
      if (own_.up[i].wave.load() < wave_) return false;
      sums.created += own_.up[i].created.load();
      sums.ended += own_.up[i].ended.load();
    }
    is_told_ = false;
    ++wave_;
    if (tree.is_root()) {
      decide(sums);
    } else {
      pass_up(tree, sums);
    }
    return end_.poll();
  }

  // The wave to which this rank adds its counts next, from 1.
  uint64_t wave() const { return wave_; }

 private:
  bool pass_down() {
    const GroupTree tree(group_);
    if (!tree.is_root() && own_.down.load() < wave_) return false;
    for (int i = 0; i < tree.children(); ++i) {
      const auto there = words_.at(tree.child(i));
      rma::put_word(there.field(&Words::down), wave_);
      rma::flush(there.rank);
    }
    return is_told_ = true;
  }

  // The wave that has just been added to is wave_ - 1.
  void pass_up(const GroupTree& tree, const TaskCounts& sums) {
    const auto there = words_.at(tree.parent());
    const auto up = there.field(&Words::up);
    const rma::RemotePtr<std::byte> mine = {
        up.rank,
        up.offset + static_cast<uint64_t>(tree.number()) * sizeof(Sums)};
    const uint64_t counts[] = {sums.created, sums.ended};
    rma::put(mine, counts, sizeof(counts));
    rma::flush(there.rank);
    const uint64_t wave = wave_ - 1;
    rma::put({mine.rank, mine.offset + sizeof(counts)}, &wave, sizeof(wave));
    rma::flush(there.rank);
  }

  // On the tree's root, whose sums are those of all.
  void decide(const TaskCounts& sums) {
    if (sums.created == ended_before_) end_.announce();
    ended_before_ = sums.ended;
  }

  EndOfRun end_;
  const Group group_;
  const rma::RemotePtr<Words> words_;
  Words& own_;
  uint64_t wave_ = 1;
  // That this rank has the wave's number and has passed it on.
  bool is_told_ = false;
  // On the tree's root: all ended tasks of the wave before.
  uint64_t ended_before_ = UINT64_MAX;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_TERMINATION_H_
