#include "impl/greedy_join/lock_queue.h"

#include "common/remote_heap/remote_heap_suite.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;

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

MAGPIE_REMOTE_HEAP_SUITE(LockQueue, LockQueue);

}  // namespace
}  // namespace magpie::greedy_join
