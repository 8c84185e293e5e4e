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

// Each has a bit of its own, below the generation and above what others mean.
TEST(ThreadEntry, ConsumersBitsAreApart) {
  uint64_t seen = kLive | kDone;
  for (uint32_t consumer = 0; consumer < kGenerationShift - 2; ++consumer) {
    EXPECT_EQ(seen & joined_by(consumer), 0u) << consumer;
    seen |= joined_by(consumer);
  }
  EXPECT_EQ(seen, (uint64_t{1} << kGenerationShift) - 1);
}

// State, joiner 0, result, other joiners: nothing overlaps, each is aligned,
// and what is allocated behind the entry holds it. The result is where it is
// with one consumer.
TEST(ThreadEntry, ConsumersLieBehindTheResult) {
  using Entry = ThreadEntry<SavedThread>;
  const rma::RemotePtr<Entry> e = {0, 4096};
  for (const uint32_t result_bytes : {0, 1, 8, 12, 64}) {
    for (const uint32_t consumers : {1, 2, 5}) {
      const TypeInfo type = {nullptr, 8, 8, result_bytes, 1, consumers, true};
      EXPECT_EQ(joiner_of(e, 0, result_bytes).offset,
                e.field(&Entry::joiner).offset);
      uint64_t end = retval_of(e).offset + result_bytes;
      for (uint32_t consumer = 1; consumer < consumers; ++consumer) {
        const uint64_t at = joiner_of(e, consumer, result_bytes).offset;
        EXPECT_GE(at, end);
        EXPECT_EQ(at % alignof(SavedThread), 0u);
        end = at + sizeof(SavedThread);
      }
      EXPECT_EQ(bytes_behind<SavedThread>(type), end - retval_of(e).offset);
    }
  }
}

}  // namespace
}  // namespace magpie::greedy_join
