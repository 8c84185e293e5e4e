// Local collection on one rank, against a model. What others free is tested in
// tests/fork_join.

#include "impl/greedy_join/local_collection.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

#include "common/flags/flags.h"

namespace magpie::greedy_join {
namespace {

struct Object {
  rma::RemotePtr<std::byte> place;
  size_t bytes;
  int mark;

  // Its bytes, all of them: neighbours would be seen to be overwritten.
  void fill() const { std::memset(place.local(), mark, bytes); }
  bool intact() const {
    const auto* const p = reinterpret_cast<const unsigned char*>(place.local());
    return std::all_of(p, p + bytes,
                       [this](unsigned char c) { return c == mark; });
  }
};

TEST(LocalCollection, AgainstAModel) {
  constexpr uint64_t kBytes = 4 << 20;
  LocalCollection heap(kBytes, "memory", "--flag");
  std::mt19937 random(1);
  std::vector<Object> live;
  for (int i = 0; i < 200000; ++i) {
    if (live.size() < 100 && random() % 2 == 0) {
      const size_t bytes =
          random() % 8 == 0 ? random() % 20000 : random() % 200;
      const size_t align =
          size_t{1} << (random() % 10 == 0 ? random() % 10 : random() % 5);
      const size_t prefix = 16 * (random() % 5);
      const Object object = {heap.allocate(bytes + prefix, align, prefix),
                             bytes + prefix, static_cast<int>(random() % 256)};
      const uintptr_t address =
          reinterpret_cast<uintptr_t>(object.place.local());
      ASSERT_EQ((address + prefix) % align, 0u)
          << "align " << align << ", prefix " << prefix;
      ASSERT_EQ(address % 16, 0u) << "align " << align << ", prefix " << prefix;
      object.fill();
      live.push_back(object);
    } else if (!live.empty()) {
      std::swap(live[random() % live.size()], live.back());
      ASSERT_TRUE(live.back().intact())
          << "an object of " << live.back().bytes << " bytes was overwritten";
      heap.free(live.back().place);
      live.pop_back();
    }
    if (i % 1000 == 0) {
      ASSERT_EQ(heap.live_objects(), live.size());
    }
  }
  for (const Object& object : live) {
    EXPECT_TRUE(object.intact());
    heap.free(object.place);
  }
  EXPECT_EQ(heap.live_objects(), 0u);
  EXPECT_LE(heap.cut_bytes(), kBytes);
}

TEST(LocalCollection, UsesTinyMemoryTenMillionTimes) {
  LocalCollection heap(256, "memory", "--flag");
  for (int i = 0; i < 10'000'000; ++i) heap.free(heap.allocate(56, 16));
  EXPECT_EQ(heap.cut_bytes(), 96u);
  EXPECT_EQ(heap.live_objects(), 0u);
}

TEST(LocalCollection, EvacuatedThreadsOfAllSizes) {
  LocalCollection heap(1 << 20, "memory", "--flag");
  uint64_t cut = 0;
  for (int round = 0; round < 50; ++round) {
    for (size_t bytes = 64; bytes < 20000; bytes += 112)
      heap.free(heap.allocate(bytes, 16));
    if (round == 0) cut = heap.cut_bytes();
    ASSERT_EQ(heap.cut_bytes(), cut) << "round " << round;
  }
}

// Every size: what is handed out has room for it.
TEST(LocalCollection, ClassesHoldTheirSizes) {
  LocalCollection heap(24 << 20, "memory", "--flag");
  std::vector<size_t> sizes;
  for (size_t bytes = 0; bytes < 300; ++bytes) sizes.push_back(bytes);
  for (size_t power = 512; power <= 1 << 20; power *= 2) {
    for (const size_t bytes :
         {power - 17, power - 16, power - 15, power, power + power / 2 - 16,
          power + power / 2 - 15}) {
      sizes.push_back(bytes);
    }
  }
  std::vector<Object> live;
  for (const size_t bytes : sizes) {
    live.push_back(
        {heap.allocate(bytes, 8), bytes, static_cast<int>(bytes % 251)});
    live.back().fill();
  }
  for (const Object& object : live)
    EXPECT_TRUE(object.intact()) << object.bytes;
  EXPECT_EQ(heap.live_objects(), live.size());
}

// The shortcut hands out what allocate would, and nothing where that is not at
// hand.
TEST(LocalCollection, RecycledFitsItsSize) {
  LocalCollection heap(1 << 20, "memory", "--flag");
  for (size_t bytes = 0; bytes <= 1024; ++bytes) {
    EXPECT_EQ(heap.recycled(bytes), nullptr) << bytes;
    const auto object = heap.allocate(bytes, 16);
    heap.free(object);
    EXPECT_EQ(heap.recycled(bytes), static_cast<void*>(object.local()))
        << bytes;
    heap.free(object);
    // Out of the way of the sizes to come.
    while (heap.recycled(bytes) != nullptr) {
    }
  }
}

// Larger cells serve where the right ones are used up.
TEST(LocalCollection, UsesLargerCellsAtTheEnd) {
  LocalCollection heap(4096, "memory", "--flag");
  std::vector<rma::RemotePtr<std::byte>> large;
  for (int i = 0; i < 4; ++i) large.push_back(heap.allocate(1000, 16));
  for (const auto& object : large) heap.free(object);
  std::vector<rma::RemotePtr<std::byte>> small;
  for (int i = 0; i < 4; ++i) small.push_back(heap.allocate(10, 16));
  for (const auto& object : small) heap.free(object);
  EXPECT_EQ(heap.live_objects(), 0u);
}

int run_tests(void*) { return RUN_ALL_TESTS(); }

}  // namespace
}  // namespace magpie::greedy_join

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  CLI::App app;
  magpie::rma::add_options(app);
  magpie::flags::parse_rest_or_exit(app, {"--ranks=1"});
  return magpie::rma::launch({.heap_bytes = 64 << 20},
                             magpie::greedy_join::run_tests, nullptr);
}
