// Tests of items that wait beside a queue which has as much room as a test
// says.

#include "common/stealing/overflow.h"

#include <gtest/gtest.h>

#include <vector>

#include "common/stealing/stealable_queue.h"

namespace magpie {
namespace {

// A queue that gets places back when the test says so, not when an item has
// gone.
class ShortOfRoom {
 public:
  using Item = int;
  struct Remote {};

  explicit ShortOfRoom(const QueueOptions& options) : room_(options.capacity) {}
  static size_t heap_bytes(const QueueOptions&) { return 0; }

  void push(const Item& item) {
    ASSERT_FALSE(full());
    --room_;
    items.push_back(item);
  }
  bool pop(Item* item) {
    if (items.empty()) return false;
    *item = items.back();
    items.pop_back();
    return true;
  }
  bool empty() const { return items.empty(); }
  bool full() const { return room_ == 0; }
  void quiesce() {}
  Remote remote(int) const { return {}; }
  template <typename Take>
  Outcome steal(Remote, Take) {
    return Outcome::kEmpty;
  }

  void make_room(size_t n) { room_ += n; }
  std::vector<Item> items;

 private:
  size_t room_;
};

class OverflowTest : public testing::Test {
 protected:
  // Adds the numbers from `first` on.
  void add(int first, size_t n) {
    std::vector<int> items;
    for (size_t i = 0; i < n; ++i) items.push_back(first + static_cast<int>(i));
    overflow_.add(items);
  }
  int take_youngest() {
    int item = -1;
    EXPECT_TRUE(overflow_.take_youngest(&item));
    return item;
  }

  ShortOfRoom queue_{{.capacity = 0}};
  Overflow<ShortOfRoom> overflow_;
};

TEST_F(OverflowTest, TheQueueGetsTheOldestItHasRoomFor) {
  queue_.make_room(2);
  add(0, 5);
  EXPECT_TRUE(queue_.items.empty());
  overflow_.offer(queue_);
  EXPECT_EQ(queue_.items, (std::vector{0, 1}));
  EXPECT_EQ(overflow_.size(), 3u);
}

TEST_F(OverflowTest, NothingWaitsWhereThereIsRoom) {
  queue_.make_room(5);
  add(0, 5);
  add(5, 0);
  overflow_.offer(queue_);
  EXPECT_TRUE(overflow_.empty());
  EXPECT_EQ(queue_.items.size(), 5u);
  overflow_.offer(queue_);
  EXPECT_EQ(queue_.items.size(), 5u);
}

// An owner whose queue has neither items nor room runs what waits.
TEST_F(OverflowTest, TheYoungestIsTakenWhereTheQueueStaysFull) {
  add(0, 2);
  overflow_.add(2);
  overflow_.offer(queue_);
  EXPECT_EQ(take_youngest(), 2);
  EXPECT_EQ(take_youngest(), 1);
  EXPECT_EQ(take_youngest(), 0);
  int item;
  EXPECT_FALSE(overflow_.take_youngest(&item));
}

TEST_F(OverflowTest, WhatCameFirstIsOfferedFirst) {
  add(0, 2);
  add(2, 2);
  EXPECT_EQ(take_youngest(), 3);
  queue_.make_room(3);
  overflow_.add(4);
  overflow_.offer(queue_);
  EXPECT_EQ(queue_.items, (std::vector{0, 1, 2}));
  EXPECT_EQ(take_youngest(), 4);
  EXPECT_TRUE(overflow_.empty());
}

}  // namespace
}  // namespace magpie
