#include "common/task_pool/slot.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace magpie {
namespace {

// A type of tasks with closures of `bytes` bytes.
constexpr PoolTask task_of(uint32_t bytes) {
  return {{nullptr, bytes, 1, 0, 1, 1, true}, nullptr};
}
constexpr PoolTask kSmall = task_of(3), kWhole = task_of(24);

TEST(Slot, KeepsClosureAndType) {
  std::byte closure[24];
  for (size_t i = 0; i < sizeof(closure); ++i) closure[i] = std::byte(i + 1);
  for (const PoolTask* const task : {&kSmall, &kWhole}) {
    const auto slot = Slot<24>::of(*task, closure);
    EXPECT_EQ(slot.type, task);
    for (size_t i = 0; i < task->type.closure_size; ++i)
      EXPECT_EQ(slot.closure[i], closure[i]);
  }
}

// The slot is the smallest that holds the tasks, with the type behind the
// closure.
TEST(Slot, IsAsSmallAsTasksAllow) {
  const auto size = [](uint32_t bytes) {
    return with_slot(bytes, []<typename S>() {
      static_assert(std::is_trivially_copyable_v<S>);
      return sizeof(S);
    });
  };
  EXPECT_EQ(size(1), 32u);
  EXPECT_EQ(size(24), 32u);
  EXPECT_EQ(size(25), 64u);
  EXPECT_EQ(size(56), 64u);
  EXPECT_EQ(size(57), 128u);
  EXPECT_EQ(size(120), 128u);
  EXPECT_EQ(size(121), 200u);
  EXPECT_EQ(size(kMaxTaskBytes), 200u);
}

}  // namespace
}  // namespace magpie
