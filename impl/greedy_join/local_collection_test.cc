#include "impl/greedy_join/local_collection.h"

#include "common/remote_heap/remote_heap_suite.h"

namespace magpie::greedy_join {
namespace {

using heap_suite::options;

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

}  // namespace
}  // namespace magpie::greedy_join

MAGPIE_REMOTE_HEAP_SUITE(LocalCollection, magpie::greedy_join::LocalCollection);
