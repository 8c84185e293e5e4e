#include "impl/greedy_join/thread_entry.h"

#include <gtest/gtest.h>

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
