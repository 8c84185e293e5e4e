// The ways to free remote objects meet the concept, and what each free costs.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/remote_heap/remote_heap_suite.h"
#include "common/rma/rma.h"
#include "impl/greedy_join/linked_collection.h"
#include "impl/greedy_join/local_collection.h"
#include "impl/greedy_join/lock_queue.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;

MAGPIE_REMOTE_HEAP_SUITE(LocalCollection, LocalCollection);
MAGPIE_REMOTE_HEAP_SUITE(LinkedCollection, LinkedCollection);
MAGPIE_REMOTE_HEAP_SUITE(LockQueue, LockQueue);

SPMD_TEST(LocalCollection, FreeingRemoteObjectIsOneNonblockingAddition) {
  heap_suite::remote_objects_cost<LocalCollection>({.fetch_adds_nb = 1}, {});
}

// Freed memory is handed out again, here or by others: no more is cut.
SPMD_TEST(LocalCollection, CutsNoMoreThanLivesAtOnce) {
  LocalCollection heap(options(1 << 20));
  const auto offset = rma::allocate<uint64_t>();
  const int neighbour = (rma::rank() + 1) % rma::size();
  uint64_t cut = 0;
  for (int round = 0; round < 5; ++round) {
    for (size_t bytes = 64; bytes < 20000; bytes += 1120) {
      heap.free(rma::heap_ptr(heap.allocate(bytes)));
      *offset.local() = rma::heap_ptr(heap.allocate(bytes)).offset;
      rma::flush_all();
      rma::barrier();
      heap.free({neighbour, rma::get(offset.at(neighbour))});
      rma::flush_all();
      rma::barrier();
      heap.collect();
    }
    if (round == 0) cut = heap.cut_bytes();
    ASSERT_EQ(heap.cut_bytes(), cut) << "round " << round;
  }
  LocalCollection tiny(options(256));
  for (int i = 0; i < 1000; ++i) tiny.free(rma::heap_ptr(tiny.allocate(56)));
  EXPECT_EQ(tiny.cut_bytes(), 96u);
}

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

// cluster22 §III-B: "this operation involves four round trips".
SPMD_TEST(LockQueue, FreeingRemoteObjectIsFourRoundTrips) {
  heap_suite::remote_objects_cost<LockQueue>(
      {.puts = 1, .fetch_adds = 2, .swaps = 1, .fetch_adds_nb = 1},
      {.fetch_adds = 1, .swaps = 2});
}

// All ranks free objects of one: each is taken back once, and no memory is cut
// for what fits into it. As many lie in the queue at once as there are cells.
SPMD_TEST(LockQueue, ManyRanksFreeAtOnce) {
  constexpr size_t kBytes = 64 << 10;
  LockQueue heap(options(kBytes));
  std::vector<rma::RemotePtr<std::byte>> objects;
  const auto offsets = rma::allocate<uint64_t>(kBytes / 32);
  const auto count = rma::allocate<uint64_t>();
  for (int round = 0; round < 3; ++round) {
    if (rma::rank() == 0) {
      // Allocates all that there is.
      uint64_t n = 0;
      for (; n < kBytes / 32; ++n)
        offsets.local()[n] = rma::heap_ptr(heap.allocate(8)).offset;
      *count.local() = n;
    }
    rma::barrier();
    const uint64_t n = rma::get(count.at(0));
    for (uint64_t i = static_cast<uint64_t>(rma::rank()); i < n;
         i += static_cast<uint64_t>(rma::size()))
      heap.free({0, rma::get(offsets.at(0) + i)});
    rma::flush_all();
    rma::barrier();
    EXPECT_EQ(heap.live_objects(), 0u);
    EXPECT_EQ(heap.cut_bytes(), rma::rank() == 0 ? kBytes : 0u);
    rma::flush_all();
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie::greedy_join
