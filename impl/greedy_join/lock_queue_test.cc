#include "impl/greedy_join/lock_queue.h"

#include "common/remote_heap/remote_heap_suite.h"
#include "common/testing/costs.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;
using spmd::Costs;
using spmd::costs_of;

std::byte* allocate(LockQueue& heap, size_t bytes) {
  return heap.allocate(bytes, 16, 0);
}

// cluster22 §III-B: "this operation involves four round trips".
SPMD_TEST(LockQueue, FreeingRemoteObjectIsFourRoundTrips) {
  LockQueue heap(options(4096));
  const auto own = rma::heap_ptr(allocate(heap, 40));
  rma::barrier();
  const uint64_t remote = rma::size() > 1 ? 1 : 0;
  EXPECT_EQ(
      costs_of([&] { heap.free(own.at((rma::rank() + 1) % rma::size())); }),
      (Costs{.puts = remote,
             .fetch_adds = 2 * remote,
             .swaps = remote,
             .fetch_adds_nb = remote}));
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(heap.live_objects(), 0u); }),
            (Costs{.fetch_adds = remote, .swaps = 2 * remote}));
  EXPECT_EQ(costs_of([&] { heap.collect(); }), Costs{});
}

SPMD_TEST(LockQueue, OwnObjectsCostNothing) {
  LockQueue heap(options(4096));
  EXPECT_EQ(costs_of([&] {
              for (int i = 0; i < 1000; ++i) {
                std::byte* const a = allocate(heap, 100);
                heap.free(rma::heap_ptr(heap.allocate(200, 64, 0)));
                heap.free(rma::heap_ptr(a));
              }
            }),
            Costs{});
  rma::barrier();
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
      // All that there is.
      uint64_t n = 0;
      for (; n < kBytes / 32; ++n)
        offsets.local()[n] = rma::heap_ptr(allocate(heap, 8)).offset;
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

SPMD_MAIN({.region_bytes = 1 << 16, .heap_bytes = 64 << 20});
