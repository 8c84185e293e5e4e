#include "common/rma/sim/engine/agenda.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace magpie::rma::sim {
namespace {

// An event as (time, order, kind, index), which compares as events have to.
using Plain = std::tuple<Time, uint64_t, EventKind, uint32_t>;

Plain plain(const Event& event) {
  return {event.time, event.order, event.kind, event.index};
}

// Uses an agenda as a simulation does: scheduled events come after the one that
// was popped last, by about one of `delays`.
void expect_order(Agenda agenda, const std::vector<Time>& delays) {
  std::mt19937_64 random(1);
  std::priority_queue<Plain, std::vector<Plain>, std::greater<>> model;
  Time now = 0;
  for (uint64_t step = 0; step < 200'000; ++step) {
    ASSERT_EQ(agenda.empty(), model.empty());
    // Grows to some hundreds, shrinks to nothing, and again.
    const bool push = random() % 100 < (step / 1000 % 2 == 0 ? 60 : 40);
    if (push) {
      const Time delay = delays[random() % delays.size()] + random() % 50;
      const Time time = now > kNever - delay ? kNever : now + delay;
      const auto kind = static_cast<EventKind>(random() % 3);
      const auto index = static_cast<uint32_t>(random());
      model.push({time, agenda.schedule(time, kind, index), kind, index});
    } else if (!model.empty()) {
      ASSERT_EQ(plain(agenda.first()), model.top());
      const Event e = agenda.pop();
      ASSERT_EQ(plain(e), model.top());
      model.pop();
      now = e.time;
    }
  }
}

// Days that are short and long, compared with the delays; years that end
// between. Events of one time come as chance has it.
TEST(Agenda, AgreesWithThePriorityQueue) {
  Chance chance(1, 100);
  for (size_t ranks : {0, 1000, 5000}) {
    for (Time span : {0, 1, 1000, 1'000'000}) {
      for (const std::vector<Time>& delays :
           {std::vector<Time>{0}, {0, 5000}, {0, 1'000'000'000}}) {
        SCOPED_TRACE(testing::Message() << ranks << " in " << span);
        expect_order(Agenda(&chance, ranks, span), delays);
      }
    }
  }
}

TEST(Agenda, TheLastMoment) {
  Chance none;
  for (size_t ranks : {0, 1000}) {
    Agenda agenda(&none, ranks, 1000);
    agenda.schedule(kNever, EventKind::kOp, 1);
    agenda.schedule(kNever - 1, EventKind::kOp, 2);
    agenda.schedule(7, EventKind::kOp, 3);
    agenda.schedule(kNever, EventKind::kOp, 4);
    for (uint32_t expected : {3, 2, 1, 4})
      EXPECT_EQ(agenda.pop().index, expected);
    EXPECT_TRUE(agenda.empty());
  }
}

// Looking at tomorrow's list whenever a day begins shows each event before it
// is the first.
TEST(Agenda, TellsTomorrowsEvents) {
  constexpr uint32_t kEvents = 10'000;
  std::mt19937_64 random(1);
  Chance none;
  Agenda agenda(&none, kEvents, 5000);
  for (uint32_t i = 0; i < kEvents; ++i)
    agenda.schedule(random() % 10'000, EventKind::kOp, i);
  std::vector<bool> told(kEvents);
  std::map<uint64_t, size_t> untold;
  while (!agenda.empty()) {
    const uint64_t date = agenda.date();
    const uint32_t index = agenda.pop().index;
    if (!told[index]) ++untold[date];
    if (agenda.date() == date) continue;
    for (const Event& event : agenda.after(1)) told[event.index] = true;
  }
  // Today's, and those of the day after, which nobody asked for yet.
  EXPECT_EQ(untold.size(), 2u);
  EXPECT_TRUE(Agenda(&none, 10, 5000).after(1).empty());
}

// Without chance they come as they were scheduled: see TheLastMoment.
TEST(Agenda, EventsOfOneTimeComeAsChanceHasIt) {
  std::set<uint32_t> first;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Chance chance(seed, 100);
    Agenda agenda(&chance, 20, 1);
    for (uint32_t i = 0; i < 20; ++i) agenda.schedule(5, EventKind::kResume, i);
    first.insert(agenda.pop().index);
  }
  EXPECT_GT(first.size(), 5u);
}

}  // namespace
}  // namespace magpie::rma::sim
