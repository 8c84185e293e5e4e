// Victims near by: every other time the next rank, else any.

#ifndef MAGPIE_EXAMPLES_NEIGHBOURS_NEIGHBOUR_VICTIM_H_
#define MAGPIE_EXAMPLES_NEIGHBOURS_NEIGHBOUR_VICTIM_H_

#include <cstdint>

#include "common/stealing/group.h"
#include "common/stealing/victim_selection.h"

// Meets magpie::VictimSelection.
class NeighbourVictim {
 public:
  NeighbourVictim(const magpie::Group& group, int rank, uint64_t seed)
      : next_rank_(group.rank((group.member(rank) + 1) % group.size)),
        others_(group, rank, seed) {}

  int next() {
    near_ = !near_;
    return near_ ? next_rank_ : others_.next();
  }

 private:
  int next_rank_;
  magpie::RandomVictim others_;
  bool near_ = false;
};

#endif  // MAGPIE_EXAMPLES_NEIGHBOURS_NEIGHBOUR_VICTIM_H_
