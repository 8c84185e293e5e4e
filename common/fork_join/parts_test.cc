// What a handle and an entry hold; and the simplest way to join and the
// simplest thread layer, which meet their concepts.

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "common/fork_join/in_place_threads.h"
#include "common/fork_join/join_policy_suite.h"
#include "common/fork_join/locked_join.h"
#include "common/fork_join/task_entries.h"
#include "common/fork_join/thread_layer_suite.h"
#include "common/remote_heap/asking_heap.h"
#include "common/rma/rma.h"

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
      EXPECT_EQ(bytes_behind<Entry>(type), end - retval_of(e).offset);
    }
  }
}

using SimplestJoin = LockedJoin<FakeThreads, AskingHeap>;

MAGPIE_JOIN_POLICY_SUITE(LockedJoin, SimplestJoin);
MAGPIE_THREAD_LAYER_SUITE(InPlaceThreads, InPlaceThreads, {});

}  // namespace
}  // namespace magpie
