// The thread entry, through which a joined and a joining thread meet wherever
// they are.
//
// It lies on the rank where the thread was spawned; its location and generation
// are the thread's handle. Source: cluster22 Fig. 4, lines 22-25. `flag` is
// called `state` here, since it is a set of bits, above them the generation.
//
//     [ ThreadEntry: state | finished | joiner ][ retval ... ][ joiners ]
//       ^ Handle                                  ^ aligned as its type asks
//
// A thread with several consumers has a joiner for each: joiners.h of
// common/fork_join. Source: cluster22 §V-D.
//
// Invariants:
//   1. `state` starts as kLive and the thread's generation, before the handle
//      is known to anybody (an exclusive phase); see task_entry.h.
//   2. The joined thread sets kDone once, after the result was put: by a plain
//      store where its parent was still in the queue, since then nobody else
//      has the handle (cluster22 §III-A, the fast path; an exclusive phase),
//      and by fetch_add otherwise.
//   3. A consumer sets its bit once, by fetch_add, after its location was put
//      to its joiner; or it sees kDone, and then sets nothing.
//   4. Of two fetch_adds the first comer wins, and touches neither the entry
//      nor the joining thread's frames afterwards. The loser, who sees the
//      other's bit, goes on with the join and frees the entry.
//   5. With several consumers invariant 4 holds of the joined thread and each
//      of them. The entry is freed by who sets the last bit of `finished`: a
//      consumer sets its own when it has the result, and the joined thread
//      those of consumers that had discarded it. It resumes the first of the
//      joiners that it has found last, so the entry lives as long as it reads.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
#define MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_

#include <cstddef>
#include <cstdint>

#include "common/fork_join/task_entry.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

// `SavedThread` is the thread layer's name for a suspended thread.
template <typename SavedThread>
struct alignas(16) ThreadEntry {
  rma::Word state;
  // Bits of several consumers that are through: see TaskEntries.
  rma::Word finished;
  // The suspended consumer, of several the first; without frames, it discarded.
  SavedThread joiner;
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_THREAD_ENTRY_H_
