// The segment: heap objects at the same offset on every rank, aligned, zeroed,
// disjoint; a region at the same address on every rank.

#include <algorithm>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {

// A negative number of objects.
static_assert(rma::allocated_bytes<long>(static_cast<size_t>(-1)) >=
              rma::kTooManyBytes);

// Nothing is freed, so the heap holds what all cases allocate.
rma::SegmentLayout spmd::layout() {
  return {.region_bytes = 16 << 20, .heap_bytes = 96 << 20};
}

namespace {

struct Object {
  rma::RemotePtr<std::byte> where;
  size_t bytes;
};

std::vector<Object> allocate_of_many_kinds() {
  std::vector<Object> objects;
  for (size_t align = 1; align <= 4096; align *= 2) {
    for (size_t bytes :
         {size_t{1}, size_t{3}, size_t{8}, size_t{100}, align, 3 * align + 1}) {
      objects.push_back({rma::allocate_bytes(bytes, align), bytes});
      EXPECT_EQ(
          reinterpret_cast<uintptr_t>(objects.back().where.local()) % align, 0u)
          << bytes << " bytes";
      EXPECT_EQ(objects.back().where.rank, rma::rank());
    }
  }
  return objects;
}

SPMD_TEST(RmaAllocation, ZeroedThoughRanksWriteAllTheTime) {
  for (int i = 0; i < 30; ++i) {
    const auto words = rma::allocate<std::array<uint64_t, 100>>();
    const auto& mine = *words.local();
    EXPECT_TRUE(std::all_of(mine.begin(), mine.end(),
                            [](uint64_t n) { return n == 0; }));
    rma::barrier();
    std::array<uint64_t, 100> full;
    full.fill(~uint64_t{0});
    rma::put(words.at(neighbour(1)), full);
    rma::flush_all();
  }
}

SPMD_TEST(RmaAllocation, ObjectsAndRegionAreDisjointAndAlikeEverywhere) {
  std::vector<Object> objects = allocate_of_many_kinds();
  const rma::Self& self = rma::self();
  objects.push_back(
      {rma::region_ptr(rma::rank(), self.region), self.region_bytes});
  std::sort(objects.begin(), objects.end(),
            [](const Object& a, const Object& b) {
              return a.where.offset < b.where.offset;
            });
  std::vector<uint64_t> offsets;
  uint64_t end = 0;
  for (const Object& object : objects) {
    EXPECT_GE(object.where.offset, end);
    offsets.push_back(object.where.offset);
    end = object.where.offset + object.bytes;
  }
  EXPECT_TRUE(same_on_all_ranks(offsets));
}

// The region is at one address, and usable from its first byte to its last.
SPMD_TEST(RmaAllocation, Region) {
  std::byte* const first = rma::self().region;
  const size_t bytes = rma::self().region_bytes;
  std::byte* const last = first + bytes - 1;
  const auto address = reinterpret_cast<uintptr_t>(first);
  EXPECT_TRUE(same_on_all_ranks({address, bytes}));
  EXPECT_GE(bytes, spmd::layout().region_bytes);
  EXPECT_EQ(address % 4096, 0u);
  // No pair of small integers is an address in it.
  EXPECT_LT(static_cast<int32_t>(address), -1'000'000'000);
  EXPECT_LT(static_cast<int32_t>(address + bytes), -1'000'000'000);
  rma::use_region(first, last + 1);
  rma::barrier();
  const auto mark = [](int rank) { return static_cast<std::byte>(rank + 1); };
  rma::put(rma::region_ptr(neighbour(1), first), mark(rma::rank()));
  rma::put(rma::region_ptr(neighbour(1), last), mark(rma::rank()));
  complete_all();
  EXPECT_EQ(*first, mark(neighbour(rma::size() - 1)));
  EXPECT_EQ(*last, mark(neighbour(rma::size() - 1)));
}

SPMD_TEST(RmaAllocation, PointersOfTheContract) {
  EXPECT_FALSE(rma::RemotePtr<int>());
  const rma::RemotePtr<uint32_t> p = rma::allocate<uint32_t>(4);
  EXPECT_TRUE(p);
  EXPECT_EQ((p + 3).offset, p.offset + 12);
  EXPECT_EQ(p.at(0).rank, 0);
  EXPECT_EQ(p.at(0).at(rma::rank()), p);
  EXPECT_EQ((p + 3).local(), p.local() + 3);
}

}  // namespace
}  // namespace magpie
