#include "common/remote_heap/cells.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "common/remote_heap/asking_heap.h"
#include "common/remote_heap/remote_heap_suite.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

HeapOptions options(uint64_t bytes) {
  return {.bytes = bytes, .what = "the memory of cells", .flag = "--cells"};
}

// Cells whose heap never learns of anything that others have freed; remembers
// what it was asked.
struct Heap : Cells {
  explicit Heap(uint64_t bytes) : Cells(options(bytes)) {}

  using Cells::allocate;
  void recycle(std::byte* object) { Cells::recycle(Cell::of(object)); }
  void want(uint64_t more) override { asked.push_back(more); }
  using Cells::kNoneLeft;

  std::vector<uint64_t> asked;
};

// Small cells are steps of 32 bytes with 16 in front, others waste at most a
// third.
SPMD_TEST(Cells, ClassesAreAsLargeAsSaid) {
  Heap heap(48 << 20);
  for (size_t bytes = 0; bytes <= 2 << 20; bytes += 1 + bytes / 7) {
    const uint64_t before = heap.cut_bytes();
    heap.allocate(bytes);
    const uint64_t cell = heap.cut_bytes() - before;
    EXPECT_GE(cell, bytes + sizeof(Cell));
    EXPECT_EQ(cell % Cell::kAlign, 0u);
    EXPECT_LE(cell, bytes + sizeof(Cell) <= 2048
                        ? bytes + sizeof(Cell) + 31
                        : (bytes + sizeof(Cell)) * 3 / 2);
  }
}

SPMD_TEST(Cells, TheHeapIsAskedBeforeACellIsCutAndAtTheEnd) {
  Heap heap(256);
  std::byte* const object = heap.allocate(48);  // 64 of 256 bytes
  EXPECT_EQ(heap.asked, (std::vector<uint64_t>{64}));
  heap.recycle(object);
  heap.allocate(48);
  EXPECT_EQ(heap.asked.size(), 1u);
  std::byte* const large = heap.allocate(176);  // all the rest
  heap.recycle(large);
  heap.asked.clear();
  // The only free cell is a larger one.
  EXPECT_EQ(heap.allocate(48), large);
  EXPECT_EQ(heap.asked, (std::vector<uint64_t>{64, Heap::kNoneLeft}));
}

// A free cell that is much too large is cut, not taken whole.
SPMD_TEST(Cells, SmallObjectsShareTheMemoryOfALargeOne) {
  Heap heap(1024);
  heap.recycle(heap.allocate(1024 - sizeof(Cell)));
  std::set<std::byte*> objects;
  for (int i = 0; i < 16; ++i) objects.insert(heap.allocate(48));
  EXPECT_EQ(objects.size(), 16u);
}

// All of the memory was cut into small cells: when they are free it serves
// large objects again, between those in use. The free cells that were there are
// no cells any more; others are.
void cut_again(const std::set<size_t>& kept) {
  constexpr size_t kLarge = 640;
  Heap heap(1024);
  std::vector<std::byte*> objects;
  for (int i = 0; i < 15; ++i) objects.push_back(heap.allocate(48));
  EXPECT_EQ(heap.cut_bytes(), 15 * 64u);
  for (size_t i = 0; i < objects.size(); ++i)
    if (!kept.contains(i)) heap.recycle(objects[i]);
  std::byte* const large = heap.allocate(kLarge);
  std::byte* const small = heap.allocate(48);
  const auto overlap = [&](const std::byte* object) {
    return object + 48 > large - sizeof(Cell) && object < large + kLarge;
  };
  EXPECT_FALSE(overlap(small));
  for (const size_t i : kept) {
    EXPECT_FALSE(overlap(objects[i]));
    EXPECT_NE(small, objects[i]);
  }
  EXPECT_EQ(heap.in_use(), kept.size() + 2);
  for (Cell* const cell : heap.cells()) {
    const auto* const object = reinterpret_cast<std::byte*>(cell + 1);
    EXPECT_TRUE(object == large || !overlap(object));
  }
}

SPMD_TEST(Cells, MemoryIsCutAgainForOtherSizes) {
  for (const std::set<size_t>& kept :
       {std::set<size_t>{}, {0}, {0, 1}, {14}, {0, 14}, {2}, {12, 13}})
    cut_again(kept);
}

// A free cell that is older than one in use stays what it is.
SPMD_TEST(Cells, FreeCellsBetweenOthersStay) {
  Heap heap(1024);
  std::vector<std::byte*> objects;
  for (int i = 0; i < 16; ++i) objects.push_back(heap.allocate(48));
  for (const size_t i : {0, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15})
    heap.recycle(objects[i]);
  EXPECT_EQ(heap.allocate(700), objects[2]);
  EXPECT_EQ(heap.allocate(48), objects[0]);
  EXPECT_EQ(heap.in_use(), 3u);
}

// Memory that want() recycles is handed out before anything is cut.
SPMD_TEST(Cells, WhatWasCollectedComesFirst) {
  struct Collecting : Heap {
    using Heap::Heap;
    void want(uint64_t) override {
      if (freed != nullptr) recycle(std::exchange(freed, nullptr));
    }
    std::byte* freed = nullptr;
  };
  Collecting heap(4096);
  std::byte* const object = heap.freed = heap.allocate(40);
  const uint64_t cut = heap.cut_bytes();
  EXPECT_EQ(heap.allocate(40), object);
  EXPECT_EQ(heap.cut_bytes(), cut);
}

}  // namespace
}  // namespace magpie

MAGPIE_REMOTE_HEAP_SUITE(AskingHeap, magpie::AskingHeap);
