// The size of a pool's slots where the root does not say it.

#include <array>
#include <cstdint>

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

}  // namespace
}  // namespace magpie
