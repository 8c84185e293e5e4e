#include "impl/greedy_join/local_collection.h"

#include "common/remote_heap/remote_heap_suite.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;
using rma::Op;

std::byte* allocate(LocalCollection& heap, size_t bytes) {
  return heap.allocate(bytes, 16, 0);
}

SPMD_TEST(LocalCollection, FreeingRemoteObjectIsOneNonblockingAddition) {
  LocalCollection heap(options(4096));
  const auto own = rma::heap_ptr(allocate(heap, 40));
  rma::barrier();
  const rma::OpCounters before = rma::self().counters;
  heap.free(own.at((rma::rank() + 1) % rma::size()));
  const rma::OpCounters done = rma::self().counters - before;
  const uint64_t remote = rma::size() > 1 ? 1 : 0;
  EXPECT_EQ(done.operations(), remote);
  EXPECT_EQ(done[Op::kFetchAddNb].operations, remote);
  EXPECT_EQ(done[Op::kFlush].operations, 0u);
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_EQ((rma::self().counters - before)[Op::kGet].operations, 0u);
}

SPMD_TEST(LocalCollection, OwnObjectsCostNothing) {
  LocalCollection heap(options(4096));
  const rma::OpCounters before = rma::self().counters;
  for (int i = 0; i < 1000; ++i) {
    std::byte* const a = allocate(heap, 100);
    heap.free(rma::heap_ptr(heap.allocate(200, 64, 0)));
    heap.free(rma::heap_ptr(a));
  }
  EXPECT_EQ((rma::self().counters - before), rma::OpCounters{});
  rma::barrier();
}

// What is freed is handed out again, here or by others: no more memory is cut.
SPMD_TEST(LocalCollection, CutsNoMoreThanLivesAtOnce) {
  LocalCollection heap(options(1 << 20));
  const auto offset = rma::allocate<uint64_t>();
  const int neighbour = (rma::rank() + 1) % rma::size();
  uint64_t cut = 0;
  for (int round = 0; round < 5; ++round) {
    for (size_t bytes = 64; bytes < 20000; bytes += 1120) {
      heap.free(rma::heap_ptr(allocate(heap, bytes)));
      *offset.local() = rma::heap_ptr(allocate(heap, bytes)).offset;
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
  for (int i = 0; i < 1000; ++i) tiny.free(rma::heap_ptr(allocate(tiny, 56)));
  EXPECT_EQ(tiny.cut_bytes(), 96u);
  rma::barrier();
}

}  // namespace
}  // namespace magpie::greedy_join

MAGPIE_REMOTE_HEAP_SUITE(LocalCollection, magpie::greedy_join::LocalCollection);
SPMD_MAIN({.region_bytes = 1 << 16, .heap_bytes = 64 << 20});
