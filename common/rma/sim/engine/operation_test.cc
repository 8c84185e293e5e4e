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
  std::deque<Op> ops(3);
  for (size_t i = 0; i < 3; ++i) ops[i].time = 30 - 10 * i;
  ops[1].kind = OpKind::kSwap;
  ops[2].kind = OpKind::kGet;
  arrivals.travelling.add(ops[0]);
  EXPECT_EQ(arrivals.first(), 30u);
  arrivals.side_of(ops[1]).line.add(ops[1]);
  EXPECT_EQ(arrivals.first(), 20u);
  arrivals.side_of(ops[2]).line.add(ops[2]);
  EXPECT_EQ(arrivals.first(), 10u);
  EXPECT_EQ(arrivals.atomics.line.first(), 20u);
  EXPECT_EQ(arrivals.transfers.line.first(), 10u);
}

}  // namespace
}  // namespace magpie::rma::sim
