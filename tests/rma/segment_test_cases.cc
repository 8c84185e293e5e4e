// Segments: what they hold at first, and transfers from and to them.

#include <algorithm>
#include <cstring>

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

// ------------------------------------------------------------------ allocation
//
// The segment: heap objects at the same offset on every rank, aligned, zeroed,
// disjoint; a region at the same address on every rank.

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

// ------------------------------------------------------------------- transfers
//
// Large ones, in heap and region; random programs have many small ones.

// Puts the bytes into a neighbour's arena, and gets them back: at an aligned
// place and beside one, from and to memory of any alignment, between bytes that
// stay as they are.
void put_and_get(const Arena& arena, int hop, size_t bytes) {
  const int writer = neighbour(rma::size() - hop % rma::size());
  const std::vector<std::byte> untouched(bytes + 32, std::byte{0xA5});
  const auto mine = random_bytes(bytes, this_rank()),
             writers = random_bytes(bytes, static_cast<uint64_t>(writer));
  const auto slot = [&](size_t begin, const std::vector<std::byte>& data) {
    std::vector<std::byte> slot = untouched;
    std::copy(data.begin(), data.end(), &slot[begin]);
    return slot;
  };
  for (size_t at : {8, 9}) {
    for (size_t own_at : {8, 11}) {
      std::copy(untouched.begin(), untouched.end(), arena.local());
      rma::barrier();
      const std::vector<std::byte> sent = slot(own_at, mine);
      rma::put(arena.on(neighbour(hop), at), &sent[own_at], bytes);
      complete_all();
      EXPECT_TRUE(equal_bytes(arena.local(), slot(at, writers)))
          << bytes << " bytes from " << own_at << " to " << at;
      std::vector<std::byte> got = untouched;
      rma::get(&got[own_at], arena.on(neighbour(hop), at), bytes);
      EXPECT_EQ(got, sent) << bytes << " bytes from " << at << " to " << own_at;
      rma::barrier();
    }
  }
}

SPMD_TEST(RmaTransfers, Large) {
  constexpr size_t kMost = 1 << 20;
  // A simulator copies the used part of a region at each switch.
  const size_t most_in_region = rma::is_simulated() ? size_t{1} << 15 : kMost;
  const Arena heap = Arena::in_heap(kMost + 32);
  for (size_t bytes : {size_t{4097}, size_t{1} << 15, size_t{65'537}, kMost}) {
    put_and_get(heap, 1, bytes);
    put_and_get(heap, 0, bytes);
    if (bytes <= most_in_region)
      put_and_get(Arena::in_region(bytes + 32), 1, bytes);
  }
}

// A stack moves through all ranks: each copies it from the one before, to the
// same address.
SPMD_TEST(RmaTransfers, RegionTravelsAtOneAddress) {
  constexpr size_t kBytes = 100'003;
  const std::vector<std::byte> stack = random_bytes(kBytes, 1);
  std::byte* const top = rma::self().region + rma::self().region_bytes;
  // The frame reaches to the region's very end.
  std::byte* const frame = top - kBytes;
  rma::use_region(frame, top);
  if (rma::rank() == 0) std::memcpy(frame, stack.data(), kBytes);
  for (int r = 1; r < rma::size(); ++r) {
    rma::barrier();
    if (rma::rank() != r) continue;
    const rma::RemotePtr<std::byte> source = rma::region_ptr(r - 1, frame);
    rma::get(frame, as_bytes(source), kBytes);
  }
  rma::barrier();
  EXPECT_TRUE(equal_bytes(frame, stack));
}

// The private side of a transfer may lie in the caller's own segment.
SPMD_TEST(RmaTransfers, HeapToRegionToHeap) {
  constexpr size_t kBytes = 5001;
  const Arena heap = Arena::in_heap(2 * kBytes);
  const std::vector<std::byte> bytes = random_bytes(kBytes, rma::rank());
  std::memcpy(heap.local(), bytes.data(), kBytes);
  const Arena region = Arena::in_region(kBytes);
  rma::barrier();
  rma::put(region.on(neighbour(1)), heap.local(), kBytes);
  rma::flush(neighbour(1));
  rma::get(heap.local(kBytes), region.on(neighbour(1)), kBytes);
  EXPECT_TRUE(equal_bytes(heap.local(kBytes), bytes));
}

// The typed forms: values, words, elements, members.
SPMD_TEST(RmaTransfers, ValuesElementsAndMembers) {
  EXPECT_FALSE(rma::RemotePtr<int>());
  struct Record {
    uint8_t tag;
    rma::Word word;
    std::array<uint16_t, 5> numbers;
  };
  constexpr int kRecords = 3;
  const auto records = rma::allocate<Record>(kRecords);
  const int target = neighbour(1), writer = neighbour(rma::size() - 1);
  for (uint64_t i = 0; i < kRecords; ++i) {
    const auto record = records.at(target) + i;
    rma::put(record.field(&Record::tag), static_cast<uint8_t>(rma::rank() + 1));
    rma::put_word(record.field(&Record::word), 1000 * i + this_rank());
    rma::put(record.field(&Record::numbers),
             {1, 2, 3, 4, static_cast<uint16_t>(i)});
  }
  complete_all();
  for (uint64_t i = 0; i < kRecords; ++i) {
    const Record& mine = records.local()[i];
    EXPECT_EQ(mine.tag, writer + 1);
    EXPECT_EQ(mine.word.load(), 1000 * i + static_cast<uint64_t>(writer));
    EXPECT_EQ(mine.numbers[4], i);
    const auto record = records.at(target) + i;
    EXPECT_EQ(rma::get(record.field(&Record::tag)), rma::rank() + 1);
    EXPECT_EQ(rma::get_word(record.field(&Record::word)),
              1000 * i + this_rank());
    EXPECT_EQ(rma::get(record.field(&Record::numbers))[4], i);
  }
}

}  // namespace
}  // namespace magpie
