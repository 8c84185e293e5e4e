#include "common/rma/sim/engine/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <random>
#include <tuple>
#include <vector>

namespace magpie::rma::sim {
namespace {

// (time, order, kind, index): compares as the queue has to.
using Plain = std::tuple<Time, uint64_t, EventKind, uint32_t>;

Plain plain(const Event& event) {
  return {event.time, event.order, event.kind, event.index};
}

// As a simulation uses it: what is pushed comes after what was popped last.
TEST(EventQueue, AgreesWithThePriorityQueue) {
  std::mt19937_64 random(1);
  EventQueue queue;
  std::priority_queue<Plain, std::vector<Plain>, std::greater<>> model;
  Time now = 0;
  for (uint64_t step = 0; step < 200'000; ++step) {
    ASSERT_EQ(queue.size(), model.size());
    // Grows to some hundreds, shrinks to nothing, and again.
    const bool push = random() % 100 < (step / 1000 % 2 == 0 ? 60 : 40);
    if (push) {
      const Event e = {now + random() % 50, random() << 32 | step,
                       static_cast<EventKind>(random() % 3),
                       static_cast<uint32_t>(random())};
      queue.push(e);
      model.push(plain(e));
    } else if (!model.empty()) {
      ASSERT_EQ(plain(queue.first()), model.top());
      const Event e = queue.pop();
      ASSERT_EQ(plain(e), model.top());
      model.pop();
      now = e.time;
    }
  }
}

// Whoever looks at what rises to a level has seen each event before it is the
// first.
TEST(EventQueue, RisesLevelByLevel) {
  constexpr uint32_t kEvents = 10'000, kLevel = 3, kAboveIt = 1 + 4 + 16 + 64;
  std::mt19937_64 random(1);
  EventQueue queue;
  for (uint32_t i = 0; i < kEvents; ++i)
    queue.push({random() % 1000, i, EventKind::kOp, i});
  std::vector<bool> seen(kEvents);
  uint32_t unseen = 0;
  for (queue.pop(); queue.is_long(); queue.pop()) {
    if (!seen[queue.first().index]) ++unseen;
    EXPECT_EQ(queue.risen_to(0).index, queue.first().index);
    seen[queue.risen_to(kLevel).index] = true;
  }
  // Those that stood above the level from the beginning.
  EXPECT_LE(unseen, kAboveIt);
}

TEST(Agenda, EventsOfOneTimeComeAsScheduledOrAsChanceHasIt) {
  const auto comes_out = [](Chance chance) {
    Agenda agenda(&chance);
    std::map<uint32_t, uint64_t> orders;
    for (uint32_t i = 0; i < 20; ++i)
      orders[i] = agenda.schedule(5, EventKind::kResume, i);
    std::vector<uint32_t> ranks;
    for (; !agenda.empty(); agenda.pop()) {
      ranks.push_back(agenda.first().index);
      EXPECT_EQ(agenda.first().order, orders[ranks.back()]);
    }
    return ranks;
  };
  std::vector<uint32_t> in_turn(20);
  std::iota(in_turn.begin(), in_turn.end(), 0u);
  EXPECT_EQ(comes_out(Chance()), in_turn);
  EXPECT_NE(comes_out(Chance(1, 100)), in_turn);
  EXPECT_NE(comes_out(Chance(1, 100)), comes_out(Chance(2, 100)));
}

TEST(EventQueue, TheLastMoment) {
  EventQueue queue;
  queue.push({kNever, 1, EventKind::kOp, 1});
  queue.push({kNever - 1, 2, EventKind::kOp, 2});
  queue.push({kNever, 0, EventKind::kOp, 3});
  EXPECT_EQ(queue.pop().index, 2u);
  EXPECT_EQ(queue.pop().index, 3u);
  EXPECT_EQ(queue.pop().index, 1u);
}

}  // namespace
}  // namespace magpie::rma::sim
