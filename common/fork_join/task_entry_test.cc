#include <gtest/gtest.h>

#include <limits>

#include "common/fork_join/task_entries.h"

namespace magpie {
namespace {

struct Entry {
  rma::Word state;
  uint64_t more;
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

}  // namespace
}  // namespace magpie
