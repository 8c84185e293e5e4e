// Victims near by: every other time the next rank, else any.

#ifndef MAGPIE_EXAMPLES_NEIGHBOURS_NEIGHBOUR_VICTIM_H_
#define MAGPIE_EXAMPLES_NEIGHBOURS_NEIGHBOUR_VICTIM_H_

#include <cstdint>

#include "common/stealing/random_victim.h"

// Meets magpie::VictimSelection.
class NeighbourVictim {
 public:
  NeighbourVictim(int rank, int size, uint64_t seed)
      : next_rank_((rank + 1) % size), others_(rank, size, seed) {}

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
