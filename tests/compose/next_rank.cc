// A runtime of one's own, as a builder would write it: cont_greedy with
// another choice of victims. The README of //common/fork_join shows it.

#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/runtime.h"
#include "impl/uniaddr/scheduler.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie {
namespace {

// Round robin, from the next rank on.
class NextRank {
 public:
  NextRank(int rank, int size, uint64_t /*seed*/)
      : victim_(rank), rank_(rank), size_(size) {}

  int next() {
    do {
      victim_ = (victim_ + 1) % size_;
    } while (victim_ == rank_);
    return victim_;
  }

 private:
  int victim_, rank_, size_;
};

using Threads = uniaddr::Scheduler<uniaddr::TheQueue,
                                   greedy_join::LocalCollection, NextRank>;
using Join = greedy_join::GreedyJoin<Threads, greedy_join::LocalCollection>;
using Runtime = greedy_join::Runtime<Join>;

}  // namespace

const RuntimeTraits kRuntime = {.name = "next_rank"};

MAGPIE_FORK_JOIN_SEAM(Runtime)

}  // namespace magpie
