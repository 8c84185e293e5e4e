// Child stealing over a queue whose thieves take half and are slow to let go:
// its places stay in use for a while after the last task has gone, so that it
// is empty and full at once. With SDC and SWS that takes a thief that is held
// up in the midst of a copy.

#include <utility>

#include "common/rma/rma.h"
#include "common/stealing/victim_selection.h"
#include "impl/child_steal/full.h"
#include "impl/child_steal/orders.h"
#include "impl/child_steal/runtime.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/sws_queue/sdc_queue.h"

namespace magpie {
namespace {

using Sdc = sws_queue::SdcQueue<child_steal::Descriptor, sws_queue::Half>;

class PinnedQueue : public Sdc {
 public:
  using Sdc::Sdc;

  void push(const Item& item) {
    if (pinned_ > 0) rma::fatal("a push onto a queue that is full");
    Sdc::push(item);
    is_used_ = true;
  }
  const Item* pop() {
    const Item* const item = Sdc::pop();
    if (item == nullptr && std::exchange(is_used_, false)) pinned_ = kLooks;
    return item;
  }
  bool full() { return (pinned_ > 0 && --pinned_ > 0) || Sdc::full(); }

 private:
  static constexpr int kLooks = 5;

  bool is_used_ = false;
  // Number of times that it still says that it is full.
  int pinned_ = 0;
};

using Heap = greedy_join::LocalCollection;
using Threads = child_steal::Full<child_steal::FrontFirst>;
using Runtime = child_steal::Runtime<Threads, PinnedQueue, Heap, RandomVictim>;

}  // namespace

MAGPIE_FORK_JOIN_SEAM(Runtime, "pinned")

}  // namespace magpie
