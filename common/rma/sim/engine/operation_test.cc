#include "common/rma/sim/engine/operation.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <vector>

namespace magpie::rma::sim {
namespace {

// The operations on a list from the first to the last, by their links. Checks
// the links back.
std::vector<const Op*> between(const Op* first, const Op* last) {
  std::vector<const Op*> ops;
  for (const Op* op = first; op != nullptr; op = op->later) {
    EXPECT_EQ(op->earlier, ops.empty() ? nullptr : ops.back());
    ops.push_back(op);
  }
  EXPECT_EQ(ops.empty() ? nullptr : ops.back(), last);
  return ops;
}

// In this test `done` says that an operation is on the list.
TEST(OpList, AgreesWithASortedVector) {
  std::mt19937_64 random(1);
  std::deque<Op> ops(50);
  std::vector<const Op*> model;
  OpList list;
  for (Op& op : ops) op.done = false;
  for (int step = 0; step < 20'000; ++step) {
    Op& op = ops[random() % ops.size()];
    if (op.done) {
      list.remove(op);
      std::erase(model, &op);
    } else {
      op.time = random() % 20;
      list.add(op);
      // Operations are added after those of the same time.
      const auto later = [](Time time, const Op* o) { return time < o->time; };
      model.insert(std::upper_bound(model.begin(), model.end(), op.time, later),
                   &op);
    }
    op.done = !op.done;
    const bool empty = model.empty();
    ASSERT_EQ(list.first(), empty ? kNever : model.front()->time);
    ASSERT_EQ(between(empty ? nullptr : model.front(),
                      empty ? nullptr : model.back()),
              model);
  }
}

TEST(Arrivals, TheFirstOfAll) {
  Arrivals arrivals;
  EXPECT_EQ(arrivals.first(), kNever);
  std::deque<Op> ops(4);
  for (size_t i = 0; i < 4; ++i) {
    ops[i].kind = i == 2 ? OpKind::kSwap : OpKind::kGet;
    ops[i].stop = i == 0 ? Stop::kItsAdapter : Stop::kInterface;
    ops[i].in_line = i >= 2;
    ops[i].time = 40 - 10 * i;
    arrivals.list_of(ops[i]).add(ops[i]);
    EXPECT_EQ(arrivals.first(), ops[i].time);
  }
  EXPECT_EQ(arrivals.travelling.first(), 40u);
  EXPECT_EQ(arrivals.held.first(), 30u);
  EXPECT_EQ(arrivals.atomics.first(), 20u);
  EXPECT_EQ(arrivals.transfers.first(), 10u);
}

}  // namespace
}  // namespace magpie::rma::sim
