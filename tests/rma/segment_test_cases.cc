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
// get and put copy exactly the bytes they are asked for: none to 1 MiB, sizes
// around powers of two, source and destination at every offset from 0 to 8 from
// an aligned address, heap and region.
//
// Each transfer has a slot: guard bytes, the data, guard bytes. Whole slots are
// compared.

constexpr size_t kLargest = 1 << 20;
// Transfers larger than this have each offset once at each end.
constexpr size_t kAllPairsUpTo = 4097;
constexpr size_t kLargestToSelf = 1 << 16;
constexpr size_t kOffsets = 9;
constexpr size_t kGuard = 8;
constexpr auto kUntouched = std::byte{0xA5};
constexpr size_t kArenaBytes = kOffsets * (kLargest + 64);

// Largest transfer in a region, whose used part a simulator copies at each
// switch.
size_t largest_in_region() {
  return spmd::simulated() ? size_t{1} << 15 : kLargest;
}
size_t in_region_bytes() {
  return kOffsets * std::max(largest_in_region(), kOffsets * kAllPairsUpTo) +
         (1 << 15);
}

struct Shape {
  size_t from, to;  // offsets of source and destination
};

std::vector<size_t> sizes(size_t largest) {
  std::vector<size_t> sizes = {0, 1, 2, 3};
  for (size_t power = 4; power <= largest; power *= 2) {
    for (size_t size : {power - 1, power, power + 1}) {
      if (size > sizes.back() && size <= largest) sizes.push_back(size);
    }
  }
  return sizes;
}

std::vector<Shape> shapes(size_t bytes) {
  std::vector<Shape> shapes;
  for (size_t from = 0; from < kOffsets; ++from) {
    for (size_t to = 0; to < kOffsets; ++to) {
      if (bytes <= kAllPairsUpTo || to == (4 * from + 1) % kOffsets) {
        shapes.push_back({from, to});
      }
    }
  }
  return shapes;
}

// Distance between slots, and where a slot's data begin.
size_t slot_bytes(size_t bytes) {
  return (kGuard + kOffsets + bytes + kGuard + 7) / 8 * 8;
}
size_t data_at(size_t slot, size_t bytes, size_t offset) {
  return slot * slot_bytes(bytes) + kGuard + offset;
}

// Bytes that rank `writer` sends, which differ between ranks and between slots.
class Pattern {
 public:
  static constexpr size_t kBytes = kLargest + kOffsets * kOffsets * 64;

  explicit Pattern(int writer)
      : bytes_(random_bytes(kBytes, static_cast<uint64_t>(writer))) {}
  // Aligned to 8 bytes plus `offset`.
  const std::byte* at(size_t slot, size_t offset) const {
    return bytes_.data() + 64 * slot + offset;
  }

 private:
  std::vector<std::byte> bytes_;
};

// Bytes that a slot must hold after a transfer.
std::vector<std::byte> image(const Pattern& pattern, size_t slot, size_t bytes,
                             Shape shape) {
  std::vector<std::byte> image(slot_bytes(bytes), kUntouched);
  std::copy_n(pattern.at(slot, shape.from), bytes,
              image.begin() + static_cast<ptrdiff_t>(kGuard + shape.to));
  return image;
}

void put_then_owner_reads(const Arena& arena, int hop, size_t largest) {
  const Pattern mine(rma::rank());
  const Pattern writers(neighbour(rma::size() - hop % rma::size()));
  for (size_t bytes : sizes(largest)) {
    const std::vector<Shape> all = shapes(bytes);
    std::memset(arena.local(), static_cast<int>(kUntouched),
                all.size() * slot_bytes(bytes));
    rma::barrier();
    for (size_t slot = 0; slot < all.size(); ++slot) {
      rma::put(arena.on(neighbour(hop), data_at(slot, bytes, all[slot].to)),
               mine.at(slot, all[slot].from), bytes);
    }
    complete_all();
    for (size_t slot = 0; slot < all.size(); ++slot) {
      const auto expected = image(writers, slot, bytes, all[slot]);
      EXPECT_TRUE(equal_bytes(arena.local(slot * expected.size()), expected))
          << bytes << " bytes from offset " << all[slot].from << " to offset "
          << all[slot].to;
    }
    rma::barrier();
  }
}

void owner_writes_then_get(const Arena& arena, int hop, size_t largest) {
  const Pattern mine(rma::rank()), owners(neighbour(hop));
  std::memcpy(arena.local(), mine.at(0, 0), Pattern::kBytes);
  rma::barrier();
  std::vector<std::byte> got;
  for (size_t bytes : sizes(largest)) {
    const std::vector<Shape> all = shapes(bytes);
    for (size_t slot = 0; slot < all.size(); ++slot) {
      got.assign(slot_bytes(bytes), kUntouched);
      rma::get(got.data() + kGuard + all[slot].to,
               arena.const_on(neighbour(hop), 64 * slot + all[slot].from),
               bytes);
      EXPECT_TRUE(
          equal_bytes(got.data(), image(owners, slot, bytes, all[slot])))
          << bytes << " bytes from offset " << all[slot].from << " to offset "
          << all[slot].to;
    }
  }
  rma::barrier();
}

using Transfers = void (*)(const Arena& arena, int hop, size_t largest);

void in_heap_and_region(Transfers transfers) {
  const Arena heap = Arena::in_heap(kArenaBytes);
  transfers(heap, 1, spmd::simulated() ? kLargestToSelf : kLargest);
  transfers(heap, 0, kLargestToSelf);
  ASSERT_GE(rma::self().region_bytes, in_region_bytes());
  transfers(Arena::in_region(in_region_bytes()), 1, largest_in_region());
}

SPMD_TEST(RmaTransfers, OwnerSeesPuts) {
  in_heap_and_region(&put_then_owner_reads);
}

SPMD_TEST(RmaTransfers, GetSeesWhatTheOwnerWrote) {
  in_heap_and_region(&owner_writes_then_get);
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
  rma::get(heap.local(kBytes), region.const_on(neighbour(1)), kBytes);
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
