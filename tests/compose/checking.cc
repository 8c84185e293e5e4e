// The runtime //:cont_greedy with a queue that checks its thieves: frames are
// copied before the victim may go on (TheQueue, invariant 6), which no test
// from outside could prove.

#include <algorithm>
#include <span>
#include <vector>

#include "common/fork_join/thread_runtime.h"
#include "common/stealing/victim_selection.h"
#include "impl/greedy_join/greedy_join.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/uniaddr/the_queue.h"
#include "impl/uniaddr/threads.h"

namespace magpie {
namespace {

class CheckingQueue : public uniaddr::TheQueue<uniaddr::Item> {
 public:
  using TheQueue::TheQueue;

  template <typename Take>
  Outcome steal(Remote victim, Take take) const {
    return TheQueue::steal(victim, [&](std::span<const Item> taken) {
      take(taken);
      if (!taken.front().is_in_place()) return;
      const uniaddr::Frames thread = taken.front().frames();
      std::vector<std::byte> theirs(thread.frame_bytes);
      const auto frames =
          rma::region_ptr(victim.shared.rank, thread.frame_base);
      rma::get(theirs.data(), frames, theirs.size());
      if (!std::equal(theirs.begin(), theirs.end(), thread.frame_base))
        rma::fatal("a thief lets go before it has copied the frames");
    });
  }
};

using Heap = greedy_join::LocalCollection;
using Threads = uniaddr::Threads<CheckingQueue, Heap, RandomVictim>;
using Joins = greedy_join::GreedyJoin<Threads, Heap>;
using Runtime = ThreadRuntime<Joins>;

}  // namespace

MAGPIE_FORK_JOIN_SEAM(Runtime, "checking")

}  // namespace magpie
