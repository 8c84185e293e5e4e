#include "common/fork_join/task_entries.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace magpie {
namespace {

struct SavedThread {
  rma::RemotePtr<std::byte> frames;
  uint64_t home;
};
struct alignas(16) Entry {
  rma::Word state;
  rma::Word finished;
  SavedThread joiner;
};

TEST(TaskEntry, HandleKeepsLocationAndGeneration) {
  for (const int32_t rank :
       {0, 1, 65535, std::numeric_limits<int32_t>::max()}) {
    for (const uint64_t offset :
         {uint64_t{16}, uint64_t{1} << 40, ~uint64_t{15}}) {
      for (const uint64_t generation : {1u, 2u, 0x80000000u, 0xffffffffu}) {
        const rma::RemotePtr<Entry> entry = {rank, offset};
        const uint64_t state = new_state(generation);
        const Handle handle = make_handle(entry, state);
        EXPECT_EQ(entry_of<Entry>(handle), entry);
        EXPECT_EQ(done_state_of(handle), state | kDone);
        EXPECT_NE(handle.w[1], 0u);
      }
    }
  }
}

// States that two spawns of a rank leave behind differ, also from free memory.
TEST(TaskEntry, StatesOfTwoGenerationsDiffer) {
  for (const uint64_t generation : {1ull, 77ull, 0xffffffffull}) {
    EXPECT_EQ(new_state(generation) % 2, 1u);
    EXPECT_EQ(new_state(generation) & kDone, 0u);
    EXPECT_NE(new_state(generation), new_state(generation + 1));
    EXPECT_EQ(new_state(generation), new_state(generation + (1ull << 32)));
  }
}

TEST(TaskEntry, ResultLiesBehindTheEntry) {
  const rma::RemotePtr<Entry> entry = {3, 4096};
  EXPECT_EQ(retval_of(entry),
            (rma::RemotePtr<std::byte>{3, 4096 + sizeof(Entry)}));
}

// Each consumer has a bit of its own, below the generation and above all
// others.
TEST(Joiners, ConsumersBitsAreApart) {
  uint64_t seen = kLive | kDone;
  seen |= kShared;
  for (uint32_t consumer = 0; consumer <= TypeInfo::kMostConsumers;
       ++consumer) {
    EXPECT_EQ(seen & joined_by(consumer), 0u) << consumer;
    seen |= joined_by(consumer);
  }
  EXPECT_LT(seen, uint64_t{1} << kGenerationShift);
  EXPECT_EQ(seen, kLive | kDone | kShared | kJoinedByAny);
}

// State, the first joiner, result, other joiners: nothing overlaps, each is
// aligned, and what is allocated behind the entry holds it. The result is where
// it is with one consumer.
TEST(Joiners, ConsumersLieBehindTheResult) {
  const rma::RemotePtr<Entry> e = {0, 4096};
  for (const uint32_t result_bytes : {0, 1, 8, 12, 64}) {
    for (const uint32_t consumers : {1, 2, 5}) {
      const TypeInfo type = {nullptr, 8, 8, result_bytes, 1, consumers, true};
      for (const uint32_t first : {0, 1}) {
        EXPECT_EQ(joiner_of(e, first, result_bytes).offset,
                  e.field(&Entry::joiner).offset);
      }
      uint64_t end = retval_of(e).offset + result_bytes;
      for (uint32_t consumer = 2; consumer <= consumers; ++consumer) {
        const uint64_t at = joiner_of(e, consumer, result_bytes).offset;
        EXPECT_GE(at, end);
        EXPECT_EQ(at % alignof(SavedThread), 0u);
        end = at + sizeof(SavedThread);
      }
      EXPECT_EQ(bytes_behind<SavedThread>(type), end - retval_of(e).offset);
    }
  }
}

TEST(Joiners, EachOneThatHasJoinedIsSeen) {
  for (const uint64_t other : {uint64_t{0}, kLive | kDone | kShared}) {
    std::vector<uint32_t> seen;
    const uint64_t state =
        other | joined_by(1) | joined_by(3) | joined_by(16) | new_state(77);
    for_each_joined(state,
                    [&](uint32_t consumer) { seen.push_back(consumer); });
    EXPECT_EQ(seen, (std::vector<uint32_t>{1, 3, 16}));
  }
}

TEST(Joiners, OthersHaveAllBitsButTheConsumersOwn) {
  EXPECT_EQ(others_than(0), 0u);
  for (const uint32_t consumer : {1u, 2u, TypeInfo::kMostConsumers}) {
    EXPECT_EQ(others_than(consumer) & joined_by(consumer), 0u);
    EXPECT_EQ(others_than(consumer) | joined_by(consumer),
              kShared | kJoinedByAny);
  }
}

}  // namespace
}  // namespace magpie
