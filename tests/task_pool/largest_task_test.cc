// The size of a pool's slots: that of the program's largest task, where the
// root does not say it.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "common/task_pool/task_pool.h"
#include "gtest/gtest.h"

namespace magpie {
namespace {

// Adds a task; nobody calls it. The largest such task has 40 bytes.
template <size_t kWords>
[[gnu::used, gnu::noinline]] void add_one() {
  add([words = std::array<uint64_t, kWords>()] { merge(words[0]); });
}
[[gnu::used]] void add_all() {
  add_one<3>();
  add_one<5>();
  add_one<4>();
}

struct Says {
  static constexpr uint32_t kTaskBytes = 100;
  void operator()() const {}
};
struct SaysNothing {
  void operator()() const {}
};

TEST(LargestTask, IsThatOfAllThatTheProgramAdds) {
  EXPECT_EQ(largest_task, 40u);
  EXPECT_EQ((internal::PoolType<SaysNothing, uint64_t>::kInfo.task_bytes()),
            40u);
  EXPECT_EQ((internal::PoolType<Says, uint64_t>::kInfo.task_bytes()), 100u);
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
