// Single parts of the engine: the agenda, and the log with its hash.
// //tests/sim tests the simulator as a whole.

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <functional>
#include <map>
#include <queue>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "common/rma/sim/engine/agenda.h"
#include "common/rma/sim/engine/log.h"

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
  for (uint64_t step = 0; step < 100'000; ++step) {
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

// ------------------------------------------------------------------------- log

using Events = std::function<void(Log&)>;
using Change = void (*)(Op&);

// An operation of rank 1 on rank 2.
Op operation(OpKind kind) {
  Op op = {};
  op.kind = kind;
  op.initiator = 1;
  op.target = 2;
  op.offset = 0x1040;
  op.bytes = 8;
  op.rest = {0, 8};
  op.before = 7;
  return op;
}

Events effect(
    Time time, OpKind kind, Change change = [](Op&) {}) {
  return [=](Log& log) {
    Op op = operation(kind);
    change(op);
    log.effect(time, op);
  };
}
Events part(Time time, size_t begin) {
  return [=](Log& log) {
    Op op = operation(OpKind::kGet);
    op.rest.begin = begin;
    log.part(time, op);
  };
}
Events resumed(Time time, int rank) {
  return [=](Log& log) { log.resumed(time, rank); };
}
Events seen(Time time, int rank, uint64_t value) {
  return [=](Log& log) { log.seen(time, rank, value); };
}

uint64_t hash_of(
    const Events& first, const Events& second = [](Log&) {}) {
  Log log(nullptr, 0x1000);
  first(log);
  second(log);
  return log.hash();
}

TEST(LogHash, DependsOnWhatHappensAndInWhichOrder) {
  using enum OpKind;
  const Events events[] = {
      resumed(0, 0), resumed(1, 0), resumed(0, 1), seen(1, 0, 5), seen(2, 0, 5),
      seen(1, 1, 5), part(1, 0), part(2, 0), part(2, 4), effect(1, kGet),
      effect(2, kGet), effect(1, kPut), effect(1, kFetchAdd), effect(1, kSwap),
      effect(1, kSwap, [](Op& op) { op.initiator = 2; }),
      effect(1, kSwap, [](Op& op) { op.initiator = 99'999; }),
      effect(1, kSwap, [](Op& op) { op.target = 1; }),
      effect(1, kSwap, [](Op& op) { op.target = 99'999; }),
      effect(1, kSwap, [](Op& op) { op.bytes = 9; }),
      effect(1, kSwap, [](Op& op) { op.offset += 8; }),
      effect(1, kSwap, [](Op& op) { op.before = 8; }),
      // Twice is not as never.
      effect(1, kSwap, [](Op& op) { op.before |= 1ull << 63; })};
  std::set<uint64_t> hashes = {hash_of([](Log&) {})};
  for (const Events& first : events) {
    EXPECT_TRUE(hashes.insert(hash_of(first)).second);
    for (const Events& second : events)
      EXPECT_TRUE(hashes.insert(hash_of(first, second)).second);
  }
}

// Values of transfers and stores may be addresses of code. Other addresses
// differ from run to run: //tests/sim:determinism_test.
TEST(LogHash, DoesNotDependOnValues) {
  for (OpKind kind : {OpKind::kGet, OpKind::kPut})
    EXPECT_EQ(hash_of(effect(1, kind, [](Op& op) { op.before = 1; })),
              hash_of(effect(1, kind)));
  EXPECT_EQ(hash_of(seen(100, 1, 5)), hash_of(seen(100, 1, 6)));
}

TEST(Log, PrintsParts) {
  char* text = nullptr;
  size_t bytes = 0;
  std::FILE* const out = open_memstream(&text, &bytes);
  Log log(out, 0x1000);
  log.part(1'500, operation(OpKind::kFetchAdd));
  part(1'600, 4)(log);
  std::fclose(out);
  EXPECT_EQ(std::string(text),
            R"({"record":"other","time":1500,"rank":1,"what":"fetch_add of 8 )"
            R"(bytes at heap+0x40 of rank 2 has found 7"})"
            "\n"
            R"({"record":"other","time":1600,"rank":1,"what":"get of 8 bytes )"
            R"(at heap+0x40 of rank 2: bytes 4 to 8"})"
            "\n");
  std::free(text);
}

}  // namespace
}  // namespace magpie::rma::sim
