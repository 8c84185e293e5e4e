#include <gtest/gtest.h>

#include "impl/greedy_join/greedy_join.h"

namespace magpie::greedy_join {
namespace {

struct SavedThread {
  rma::RemotePtr<std::byte> frames;
  uint64_t home;
};

// A result behind the entry is aligned as the entry is.
TEST(ThreadEntry, IsAMultipleOfItsAlignment) {
  EXPECT_EQ(sizeof(ThreadEntry<SavedThread>) % 16, 0u);
}

}  // namespace
}  // namespace magpie::greedy_join
