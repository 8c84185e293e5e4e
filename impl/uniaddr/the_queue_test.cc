// THE queue on one rank, against a model: the owner and a thief in turns. What
// happens when they come at once is tested in tests/fork_join.

#include "impl/uniaddr/the_queue.h"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "common/flags/flags.h"

namespace magpie::uniaddr {
namespace {

constexpr size_t kCapacity = 20;

TaskqEntry entry(uint64_t i) {
  return {reinterpret_cast<std::byte*>(i * 16), i};
}

TEST(TheQueue, AgainstAModel) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    TheQueue queue(kCapacity);
    const TheQueue::Remote thief = queue.remote(0);
    std::deque<uint64_t> model;
    std::mt19937 random(seed);
    uint64_t next = 1;
    size_t since_empty = 0;  // invariant 7
    const auto expect = [&](bool found, const TaskqEntry& taken, bool oldest) {
      ASSERT_EQ(found, !model.empty());
      if (!found) return;
      const uint64_t expected = oldest ? model.front() : model.back();
      ASSERT_EQ(taken.frame_bytes, expected);
      ASSERT_EQ(taken.frame_base, entry(expected).frame_base);
      oldest ? model.pop_front() : model.pop_back();
    };
    for (int i = 0; i < 20000; ++i) {
      TaskqEntry taken = {};
      switch (random() % 5) {
        case 0:
        case 1:
          if (since_empty == kCapacity) break;
          queue.push(entry(next));
          model.push_back(next++);
          ++since_empty;
          break;
        case 2:
        case 3: {
          const bool found = queue.pop(&taken);
          if (!found) since_empty = 0;
          ASSERT_NO_FATAL_FAILURE(expect(found, taken, false))
              << "pop, step " << i << ", seed " << seed;
          break;
        }
        case 4:
          ASSERT_TRUE(TheQueue::try_lock(thief));
          ASSERT_NO_FATAL_FAILURE(
              expect(TheQueue::take_oldest(thief, &taken), taken, true))
              << "steal, step " << i << ", seed " << seed;
          TheQueue::unlock(thief);
          break;
      }
      ASSERT_EQ(queue.empty(), model.empty());
      ASSERT_EQ(TheQueue::looks_empty(thief), model.empty());
    }
  }
}

TEST(TheQueue, LockIsHeldByOne) {
  TheQueue queue(kCapacity);
  const TheQueue::Remote thief = queue.remote(0);
  EXPECT_TRUE(TheQueue::try_lock(thief));
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(TheQueue::try_lock(thief));
  TheQueue::unlock(thief);
  EXPECT_TRUE(TheQueue::try_lock(thief));
}

// Popping goes on without the lock as long as there is something: a thief may
// keep it as long as it likes.
TEST(TheQueue, OwnerNeedsNoLockWhileThereIsMore) {
  TheQueue queue(kCapacity);
  for (uint64_t i = 1; i <= 5; ++i) queue.push(entry(i));
  const TheQueue::Remote thief = queue.remote(0);
  TaskqEntry taken;
  EXPECT_TRUE(TheQueue::try_lock(thief));
  EXPECT_TRUE(TheQueue::take_oldest(thief, &taken));
  for (uint64_t i = 5; i >= 2; --i) {
    EXPECT_TRUE(queue.pop(&taken));
    EXPECT_EQ(taken.frame_bytes, i);
  }
  TheQueue::unlock(thief);
  EXPECT_FALSE(queue.pop(&taken));
}

int run_tests(void*) { return RUN_ALL_TESTS(); }

}  // namespace
}  // namespace magpie::uniaddr

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  CLI::App app;
  magpie::rma::add_options(app);
  magpie::flags::parse_rest_or_exit(app, {"--ranks=1"});
  return magpie::rma::launch({.heap_bytes = 1 << 20},
                             magpie::uniaddr::run_tests, nullptr);
}
