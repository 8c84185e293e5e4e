// Ranks that are next to each other; and a tree over all ranks, by which they
// are asked, and learn that the run is over.

#ifndef MAGPIE_COMMON_STEALING_GROUP_H_
#define MAGPIE_COMMON_STEALING_GROUP_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

// A group of ranks, whose members are numbered from 0. A value, the same on all
// of them.
struct Group {
  static Group of_all() { return {.first = 0, .size = rma::size()}; }

  int first = 0;
  int size = 1;

  // REQUIRES: 0 <= member < size.
  int rank(int member) const { return first + member; }
  bool has(int rank) const { return rank >= first && rank - first < size; }
  // REQUIRES: has(rank).
  int member(int rank) const { return rank - first; }

  bool operator==(const Group&) const = default;
};

// Seed of a rank's generator: the high bits of a product, in which neighbouring
// ranks and seeds are far apart.
inline uint32_t seed_of_rank(uint64_t seed, int rank) {
  return static_cast<uint32_t>(
      (seed * 0x9e3779b97f4a7c15 +
       (static_cast<uint64_t>(rank) + 1) * 0xbf58476d1ce4e5b9) >>
      33);
}

// The calling rank's place in a binary tree over all ranks, whose root is rank
// 0.
struct RankTree {
  static bool is_root() { return rma::rank() == 0; }
  // REQUIRES: !is_root().
  static int parent() { return (rma::rank() - 1) / 2; }
  // Which of its parent's children the rank is: 0 or 1. REQUIRES: !is_root().
  static int number() { return (rma::rank() - 1) % 2; }

  // Number of children, from 0 to 2.
  static int children() {
    return std::clamp(rma::size() - 1 - 2 * rma::rank(), 0, 2);
  }
  // REQUIRES: 0 <= i < children().
  static int child(int i) { return 2 * rma::rank() + 1 + i; }
};

// Tells all ranks that the run is over, when one of them knows.
//
// The root task may end on any rank. That rank tells rank 0, from where the
// others learn it down the tree, so that nobody is asked by all.
//
// There may be several ends: that of a run, and those of finish blocks in it.
// Each ends a round; rounds are counted from 1.
//
// Thread safety: an instance belongs to one rank; `over_` is changed by others.
// Invariants:
//   1. `over_` is the number of rounds that are over; it never falls.
//   2. The tree's root has it by additions, since whoever ends a round tells
//      it: a put that comes twice would take back the end of the next one. The
//      others have it by puts, from their parents alone.
//   3. A rank that knows has told its children in the tree.
class EndOfRun {
 public:
  // `wakes`: whether ranks may rest (rma::rest) while they wait for the end,
  // since the rank that tells them wakes them. Collective.
  explicit EndOfRun(bool wakes = false)
      : wakes_(wakes), over_(rma::allocate<rma::Word>(1, "over")) {}

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Ends the round on all ranks, from any, which is in it. To be called once a
  // round. Cost: 1 fetch_add; one more where it wakes.
  void announce() {
    rma::fetch_add(over_.at(0), 1);
    if (wakes_) rma::wake(0);
  }

  // Whether the round is over; a rank that finds that it is passes it on. To be
  // asked again and again. Cost: no operation; once a round, up to 2 puts, and
  // as many fetch_adds where it wakes.
  bool poll() {
    if (known_round_ == round_) return true;
    if (over_.local()->load() < round_) return false;
    known_round_ = round_;
    for (int i = 0; i < RankTree::children(); ++i) {
      const int child = RankTree::child(i);
      rma::put_word(over_.at(child), round_);
      rma::flush(child);
      if (wakes_) rma::wake(child);
    }
    return true;
  }

  // Takes the calling rank to the next round. REQUIRES: poll() has returned
  // true.
  void begin_next() {
    check(known_round_ == round_, "a round begins before the last one is over");
    ++round_;
  }

 private:
  const bool wakes_;
  const rma::RemotePtr<rma::Word> over_;
  uint64_t round_ = 1;
  // The last round whose end this rank knows of, and has passed on.
  uint64_t known_round_ = 0;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_GROUP_H_
