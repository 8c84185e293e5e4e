// Choice of the rank to look for work at next: the concept, and the papers'
// choice, at random. Its suite is victim_selection_suite.h.

#ifndef MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
#define MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_

#include <concepts>
#include <cstdint>
#include <random>

#include "common/stealing/group.h"

namespace magpie {

//   V(group, rank, seed)  Belongs to `rank`, a member of the group. Same
//                         arguments, same sequence.
//   next()                The next victim: any rank of the group but the own
//                         one. Every other one comes again and again, or a run
//                         may never end. REQUIRES: the group has two or more.
//                         Cost: no operation.
template <typename V>
concept VictimSelection =
    std::constructible_from<V, const Group&, int, uint64_t> &&
    requires(V victims) {
  { victims.next() } -> std::same_as<int>;
};

// Victims at random, uniformly: hpdc15 Fig. 6, line 9.
//
// Thread safety: belongs to one rank.
class RandomVictim {
 public:
  RandomVictim(const Group& group, int rank, uint64_t seed)
      : group_(group),
        member_(group.member(rank)),
        random_(seed_of_rank(seed, rank)) {}

  int next() {
    // Its state is 8 bytes, which counts at 100,000 ranks in one process. Its
    // range is not a multiple of size - 1: a bias below size / 2^31.
    const int other =
        static_cast<int>(random_() % static_cast<uint32_t>(group_.size - 1));
    return group_.rank(other < member_ ? other : other + 1);
  }

 private:
  Group group_;
  int member_;
  std::minstd_rand random_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
