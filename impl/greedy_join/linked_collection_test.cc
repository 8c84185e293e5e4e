#include "impl/greedy_join/linked_collection.h"

#include "common/remote_heap/remote_heap_suite.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;

SPMD_TEST(LinkedCollection, FreeingRemoteObjectIsOneNonblockingAddition) {
  heap_suite::remote_objects_cost<LinkedCollection>({.fetch_adds_nb = 1}, {});
}

// The heap collects once more lives than the limit that its last look has set.
SPMD_TEST(LinkedCollection, CollectsWhenMoreLivesThanItsLimit) {
  constexpr int kObjects = 64;
  LinkedCollection heap(options(1 << 20));
  const auto offsets = rma::allocate<uint64_t>(kObjects);
  const int neighbour = (rma::rank() + 1) % rma::size();
  uint64_t cut = 0;
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < kObjects; ++i)
      offsets.local()[i] = rma::heap_ptr(heap.allocate(2000)).offset;
    rma::flush_all();
    rma::barrier();
    for (int i = 0; i < kObjects; ++i)
      heap.free({neighbour, rma::get(offsets.at(neighbour) + i)});
    rma::flush_all();
    rma::barrier();
    if (round == 3) cut = heap.cut_bytes();
  }
  EXPECT_EQ(heap.cut_bytes(), cut);
  EXPECT_EQ(heap.live_objects(), 0u);
}

MAGPIE_REMOTE_HEAP_SUITE(LinkedCollection, LinkedCollection);

}  // namespace
}  // namespace magpie::greedy_join
