#include "impl/greedy_join/thread_entry.h"

#include <gtest/gtest.h>

namespace magpie::greedy_join {
namespace {

struct SavedThread {
  rma::RemotePtr<std::byte> frames;
  uint64_t home;
};

// So that a result behind the entry is aligned as the entry is.
TEST(ThreadEntry, IsAMultipleOfItsAlignment) {
  EXPECT_EQ(sizeof(ThreadEntry<SavedThread>) % 16, 0u);
}

TEST(ThreadEntry, NewOneIsNotJoined) { EXPECT_EQ(new_state(7) & kJoined, 0u); }

// A consumer and the joined thread can both be there, whoever came first.
TEST(ThreadEntry, StateBitsAreApart) {
  EXPECT_NE(kJoined, kDone);
  EXPECT_EQ(kJoined & kDone, 0u);
  EXPECT_EQ((kJoined + kDone) & kDone, kDone);
  EXPECT_EQ((kJoined + kDone) & kJoined, kJoined);
}

}  // namespace
}  // namespace magpie::greedy_join
