// What heaps' operations cost, as tests of counters. For tests of classes that
// meet RemoteHeap.

#ifndef MAGPIE_COMMON_REMOTE_HEAP_HEAP_COSTS_H_
#define MAGPIE_COMMON_REMOTE_HEAP_HEAP_COSTS_H_

#include <cstddef>
#include <cstdint>

#include "common/remote_heap/remote_heap_suite.h"
#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie::heap_suite {

// With two ranks or more, freeing an object of another rank costs `free`, and
// taking it back `collect`; with one, nothing.
template <typename Heap>
void remote_objects_cost(Costs free, Costs collect) {
  if (rma::size() == 1) free = collect = {};
  Heap heap(options(4096));
  const auto own = rma::heap_ptr(heap.allocate(40, 16, 0));
  rma::barrier();
  EXPECT_EQ(
      costs_of([&] { heap.free(own.at((rma::rank() + 1) % rma::size())); }),
      free);
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(costs_of([&] { EXPECT_EQ(heap.live_objects(), 0u); }), collect);
  EXPECT_EQ(costs_of([&] { heap.collect(); }), Costs{});
}

// Freed in any order: first, last and in the midst.
template <typename Heap>
void own_objects_cost_nothing() {
  Heap heap(options(8192));
  EXPECT_EQ(costs_of([&] {
              for (int round = 0; round < 1000; ++round) {
                std::byte* objects[5];
                size_t bytes = 100;
                for (std::byte*& object : objects)
                  object = heap.allocate(bytes += 20, 64, 0);
                for (const int i : {2, 0, 4, 3, 1})
                  heap.free(rma::heap_ptr(objects[i]));
              }
            }),
            Costs{});
  EXPECT_EQ(heap.live_objects(), 0u);
  rma::barrier();
}

}  // namespace magpie::heap_suite

#endif  // MAGPIE_COMMON_REMOTE_HEAP_HEAP_COSTS_H_
