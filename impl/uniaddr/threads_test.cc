// Uni-address threads over the simplest queue and heap, with and without
// parents that are stolen wherever they can be; and over THE queue.

#include "impl/uniaddr/threads.h"

#include "common/fork_join/thread_layer_suite.h"
#include "common/remote_heap/asking_heap.h"
#include "common/stealing/locked_deque.h"
#include "common/stealing/other_victims.h"
#include "impl/uniaddr/the_queue.h"

namespace magpie::uniaddr {
namespace {

using Simple = Threads<LockedDeque<Item>, AskingHeap, NextVictim>;
using OverThe = Threads<TheQueue<Item>, AskingHeap, RandomVictim>;

template <typename Threads>
typename Threads::Options options(bool forced_steal) {
  typename Threads::Options options;
  options.region_bytes = 1 << 18;
  options.evacuation_bytes = 1 << 16;
  options.search.forced_steal = forced_steal;
  return options;
}

// Most ready threads wait until there is a place for them.
OverThe::Options one_place_for_ready_threads() {
  OverThe::Options options = uniaddr::options<OverThe>(false);
  options.ready_places = 1;
  return options;
}

}  // namespace

MAGPIE_THREAD_LAYER_SUITE(Simple, Simple, options<Simple>(false));
MAGPIE_THREAD_LAYER_SUITE(SimpleForced, Simple, options<Simple>(true));
MAGPIE_THREAD_LAYER_SUITE(OverThe, OverThe, options<OverThe>(false));
MAGPIE_THREAD_LAYER_SUITE(OnePlace, OverThe, one_place_for_ready_threads());
MAGPIE_THREAD_LAYER_SUITE(OverTheForced, OverThe, options<OverThe>(true));

}  // namespace magpie::uniaddr
