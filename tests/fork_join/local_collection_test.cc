// Local collection among several ranks: who frees whose objects, and the cost.

#include "impl/greedy_join/local_collection.h"

#include <vector>

#include "common/testing/spmd.h"

namespace magpie {
namespace {

using greedy_join::LocalCollection;
using rma::Op;
using Object = rma::RemotePtr<std::byte>;

SPMD_TEST(LocalCollection, FreeingRemoteObjectIsOneNonblockingPut) {
  LocalCollection heap(4096, "memory", "--flag");
  const Object own = heap.allocate(40, 16);
  rma::barrier();
  const Object other = own.at((rma::rank() + 1) % rma::size());
  const rma::OpCounters before = rma::self().counters;
  heap.free(other);
  const rma::OpCounters done = rma::self().counters - before;
  const bool remote = rma::size() > 1;
  EXPECT_EQ(done.operations(), remote ? 1u : 0u);
  EXPECT_EQ(done[Op::kPutNb].operations, remote ? 1u : 0u);
  EXPECT_EQ(done[Op::kFlush].operations, 0u);
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_EQ((rma::self().counters - before)[Op::kGet].operations, 0u);
}

SPMD_TEST(LocalCollection, OwnObjectsCostNothing) {
  LocalCollection heap(4096, "memory", "--flag");
  const rma::OpCounters before = rma::self().counters;
  for (int i = 0; i < 1000; ++i) {
    const Object a = heap.allocate(100, 16);
    heap.free(heap.allocate(200, 64));
    heap.free(a);
  }
  EXPECT_EQ((rma::self().counters - before), rma::OpCounters{});
  rma::barrier();
}

// All objects are freed by another rank, ten times the memory there is and
// more: the owner collects them when it runs out.
SPMD_TEST(LocalCollection, RemotelyFreedMemoryIsUsedAgain) {
  constexpr uint64_t kBytes = 16 << 10;
  constexpr int kBatch = 20;
  LocalCollection heap(kBytes, "memory", "--flag");
  uint64_t cut = 0;
  for (int round = 0; round < 200; ++round) {
    std::vector<Object> objects;
    for (int i = 0; i < kBatch; ++i) {
      objects.push_back(heap.allocate(16 + 8 * static_cast<size_t>(i),
                                      i % 5 == 0 ? 64 : 16, 48));
    }
    rma::barrier();
    // Every rank has allocated the same, so it knows its neighbour's objects...
    const int neighbour = (rma::rank() + 1) % rma::size();
    std::vector<uint64_t> offsets(kBatch);
    for (int r = 0; r < rma::size(); ++r) {
      // ...but for the order in which they are used again.
      for (int i = 0; i < kBatch; ++i)
        offsets[static_cast<size_t>(i)] =
            objects[static_cast<size_t>(i)].offset;
      rma::broadcast(offsets.data(), offsets.size() * sizeof(uint64_t), r);
      if (r == neighbour) {
        for (const uint64_t offset : offsets) heap.free({r, offset});
        rma::flush_all();
      }
    }
    rma::barrier();
    if (round == 100) cut = heap.cut_bytes();
  }
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_EQ(heap.cut_bytes(), cut);
  EXPECT_LE(heap.cut_bytes(), kBytes);
  rma::barrier();
}

// An object that a rank frees is not handed out before the free is complete,
// and then once only: two ranks pass objects back and forth, marking them.
SPMD_TEST(LocalCollection, FreedWhileTheOwnerAllocates) {
  constexpr uint64_t kObjects = 20000;
  LocalCollection heap(8 << 10, "memory", "--flag");
  struct Mail {
    rma::Word offset;  // 0: none
    rma::Word over;
  };
  const auto mail = rma::allocate<Mail>();
  rma::barrier();
  if (rma::size() > 1 && rma::rank() == 0) {
    for (uint64_t i = 0; i < kObjects; ++i) {
      const Object object = heap.allocate(8 + i % 100, 16);
      auto* const bytes = reinterpret_cast<uint64_t*>(object.local());
      *bytes = i;
      while (mail.local()->offset.load() != 0) rma::idle();
      EXPECT_EQ(*bytes, i) << "an object that waits to be freed was changed";
      mail.local()->offset.store(object.offset);
    }
    while (mail.local()->offset.load() != 0) rma::idle();
    mail.local()->over.store(1);
  } else if (rma::rank() == 1) {
    const auto offset = rma::remote_field(mail.at(0), &Mail::offset);
    while (rma::get_word(rma::remote_field(mail.at(0), &Mail::over)) == 0) {
      const uint64_t object = rma::get_word(offset);
      if (object == 0) {
        rma::idle();
        continue;
      }
      rma::put_word(offset, 0);
      heap.free({0, object});
      rma::flush(0);
    }
    rma::flush_all();
  }
  rma::barrier();
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_LE(heap.cut_bytes(), uint64_t{8} << 10);
  rma::barrier();
}

}  // namespace
}  // namespace magpie

SPMD_MAIN({.region_bytes = 1 << 20, .heap_bytes = 1 << 20});
