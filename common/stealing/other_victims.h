// Other victims than the papers', which are chosen at random, uniformly
// (victim_selection.h).

#ifndef MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_
#define MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_

#include <cstdint>
#include <random>

#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/stealing/victim_selection.h"

namespace magpie {

// Round robin, from the next member on.
class NextVictim {
 public:
  NextVictim(const Group& group, int rank, uint64_t /*seed*/)
      : group_(group),
        member_(group.member(rank)),
        victim_(group.member(rank)) {}

  int next() {
    do {
      victim_ = (victim_ + 1) % group_.size;
    } while (victim_ == member_);
    return group_.rank(victim_);
  }

 private:
  Group group_;
  // Numbers in the group: of the rank, and of the last victim.
  int member_;
  int victim_;
};

// Victims at random, with a preference for those of the own node: a steal there
// may take less, but what arrives on a node must have left another.
//
// A victim is of the rank's node with a probability of kPercent in a hundred,
// and else it is any: so that all come. kNodeOf tells nodes apart, whose ranks
// are next to each other in the group; where no other member is on the node,
// each victim is any.
//
// Thread safety: belongs to one rank. Same group, rank and seed, same sequence.
template <int kPercent, auto kNodeOf = &rma::node_of>
class NodeVictim {
  static_assert(kPercent >= 0 && kPercent < 100,
                "some victims are of other nodes, or a run might never end");

 public:
  NodeVictim(const Group& group, int rank, uint64_t seed)
      : node_(neighbours(group, rank)),
        near_(node_, rank, seed + 1),
        any_(group, rank, seed),
        random_(seed_of_rank(seed + 2, rank)) {}

  int next() {
    const bool is_near = node_.size > 1 && random_() % 100 < kPercent;
    return is_near ? near_.next() : any_.next();
  }

 private:
  // Members of the group on the rank's node, itself included.
  static Group neighbours(const Group& group, int rank) {
    const auto is_near = [&](int member) {
      return kNodeOf(group.rank(member)) == kNodeOf(rank);
    };
    int first = group.member(rank), last = first;
    while (first > 0 && is_near(first - 1)) --first;
    while (last + 1 < group.size && is_near(last + 1)) ++last;
    return {.first = group.rank(first), .size = last - first + 1};
  }

  Group node_;
  RandomVictim near_;
  RandomVictim any_;
  std::minstd_rand random_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_OTHER_VICTIMS_H_
