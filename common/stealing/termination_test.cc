// The end of a run and its detection, and what these are made of: the tree of
// ranks, waves over it, inboxes.

#include "common/stealing/termination.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "common/stealing/group.h"
#include "common/stealing/inbox.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// Number of the calling rank's children in a binary tree over all ranks.
uint64_t children_in_tree() {
  const int first = 2 * rma::rank() + 1;
  return (first < rma::size()) + (first + 1 < rma::size());
}

// Round after round ends, each by another rank: none is over early, and none is
// missed, though the one that ends a round may learn of it before others have
// learnt of the last one.
SPMD_TEST(EndOfRun, RoundsFollowEachOther) {
  constexpr int kRounds = 12;
  EndOfRun end;
  const auto ended = rma::allocate<rma::Word>().at(0);
  rma::barrier();
  for (int round = 0; round < kRounds; ++round) {
    if (round > 0) end.begin_next();
    if (round % rma::size() == rma::rank()) {
      EXPECT_FALSE(end.poll());
      rma::fetch_add(ended, 1);
      end.announce();
    }
    while (!end.poll()) rma::idle();
    EXPECT_GE(rma::get_word(ended), static_cast<uint64_t>(round) + 1);
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(rma::get_word(ended), uint64_t{kRounds});
}

// Everybody learns of the end, whoever ends the run, from rank 0 down a binary
// tree. To wake the ranks that are told takes as many operations more.
SPMD_TEST(EndOfRun, ReachesEverybody) {
  const uint64_t children = children_in_tree();
  for (const bool wakes : {false, true}) {
    for (int first = 0; first < rma::size(); ++first) {
      EndOfRun end(wakes);
      rma::barrier();
      EXPECT_FALSE(end.poll());
      rma::barrier();
      const uint64_t announces = rma::rank() == first;
      const Costs costs = costs_of([&] {
        if (announces) end.announce();
        while (!end.poll()) rma::idle();
        EXPECT_TRUE(end.poll());
      });
      EXPECT_EQ(costs,
                (Costs{.puts = children,
                       .fetch_adds =
                           announces + (wakes ? children + announces : 0)}));
      rma::flush_all();
      rma::barrier();
    }
  }
}

// A value of bytes that are no multiple of a word: the sum of what was merged,
// and a pattern that shows that all bytes came.
template <size_t kBytes, size_t kAlign>
struct alignas(kAlign) Value {
  unsigned char bytes[kBytes];

  static Value of(unsigned number) {
    Value value = {};
    for (size_t i = 0; i < kBytes; ++i)
      value.bytes[i] = static_cast<unsigned char>(number * (i + 1));
    return value;
  }
  static void merge(void* into, const void* other) {
    EXPECT_EQ(reinterpret_cast<uintptr_t>(other) % kAlign, 0u);
    auto* const sum = static_cast<Value*>(into);
    const auto* const more = static_cast<const Value*>(other);
    for (size_t i = 0; i < kBytes; ++i)
      sum->bytes[i] =
          static_cast<unsigned char>(sum->bytes[i] + more->bytes[i]);
  }
  bool operator==(const Value&) const = default;
};

// Waves, one after the other: each brings what the ranks had when they
// answered. The root begins one when it likes.
template <typename V>
void sums_come_up() {
  constexpr unsigned kWaves = 5;
  Waves waves(sizeof(V), alignof(V));
  rma::barrier();
  const auto rank = static_cast<unsigned>(rma::rank());
  for (unsigned wave = 1; wave <= kWaves; ++wave) {
    EXPECT_EQ(waves.wave(), wave);
    if (rank == wave % 3) rma::idle(20);
    V value = V::of(wave * (rank + 1));
    while (!waves.poll(&value, &V::merge)) rma::idle();
    const auto size = static_cast<unsigned>(rma::size());
    if (rank == 0) {
      EXPECT_TRUE(value == V::of(wave * (size * (size + 1) / 2)));
    }
  }
  rma::flush_all();
  rma::barrier();
}

SPMD_TEST(Waves, BringTheSums) {
  sums_come_up<Value<1, 1>>();
  sums_come_up<Value<24, 8>>();
  sums_come_up<Value<192, 64>>();
}

// Until the root asks, nobody answers, and nothing is sent.
SPMD_TEST(Waves, BeginWhenTheRootWants) {
  Waves waves(sizeof(uint64_t), alignof(uint64_t));
  const auto add = [](void* into, const void* value) {
    *static_cast<uint64_t*>(into) += *static_cast<const uint64_t*>(value);
  };
  rma::barrier();
  uint64_t value = 1;
  const auto poll = [&] { return waves.poll(&value, add); };
  for (int i = 0; rma::rank() != 0 && i < 10; ++i)
    EXPECT_EQ(costs_of([&] { EXPECT_FALSE(poll()); }), Costs{});
  rma::barrier();
  const Costs costs = costs_of([&] {
    while (!poll()) rma::idle();
  });
  EXPECT_TRUE(rma::rank() != 0 || value == static_cast<uint64_t>(rma::size()));
  EXPECT_EQ(costs,
            (Costs{.puts = children_in_tree() + (rma::rank() == 0 ? 0 : 2)}));
  rma::flush_all();
}

// A task that creates others at any ranks, or none where height is 0.
struct Task {
  uint64_t height;
};

// Puts a task, and calls wait() as long as there is no room.
template <typename T, typename Wait>
void put(Inbox<T>& inbox, int rank, const T& task, Wait wait) {
  inbox.send(rank, task);
  while (!inbox.settle([](int) {})) wait();
}

// Runs tasks of which each creates `children`, up to a height; these are
// `tasks`. They move through inboxes of `capacity`, so ranks are idle often and
// not for long.
void runs_all_tasks(size_t capacity, int children, uint64_t height,
                    uint64_t tasks) {
  Inbox<Task> inbox(capacity);
  Termination termination;
  TaskCounts mine;
  std::vector<Task> bag;
  std::minstd_rand random(static_cast<unsigned>(rma::rank()) + 1);
  const auto one_of = [&](uint64_t n) { return random() % n; };
  const auto empty_inbox = [&] {
    for (Task task; inbox.take(&task);) bag.push_back(task);
  };
  const auto create = [&](int rank, Task task) {
    ++mine.created;
    if (rank == rma::rank()) {
      bag.push_back(task);
    } else {
      put(inbox, rank, task, [&] {
        empty_inbox();
        rma::flush_all();
        rma::idle();
      });
    }
  };
  // Number of the wave that came after the last task here.
  uint64_t last = 0;
  rma::barrier();
  if (rma::rank() == 0) create(rma::size() - 1, {height});
  while (true) {
    empty_inbox();
    if (!bag.empty()) {
      const Task task = bag.back();
      bag.pop_back();
      for (uint64_t pauses = one_of(3); pauses > 0; --pauses) rma::idle();
      for (int i = 0; i < children && task.height > 0; ++i) {
        const uint64_t rank = one_of(static_cast<uint64_t>(rma::size()));
        create(static_cast<int>(rank), {task.height - 1});
      }
      ++mine.ended;
      last = termination.wave();
    } else if (termination.poll(mine)) {
      break;
    } else {
      rma::idle();
    }
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_TRUE(inbox.empty()) << "it was over early";
  uint64_t totals[] = {mine.created, mine.ended};
  rma::reduce(totals, 2, rma::Reduction::kSum);
  EXPECT_EQ(totals[0], tasks);
  EXPECT_EQ(totals[1], totals[0]);
  // The end comes at most two waves after that in which the last task ended.
  uint64_t waves[] = {last, rma::rank() == 0 ? termination.wave() - 1 : 0};
  rma::reduce(waves, 2, rma::Reduction::kMax);
  EXPECT_GE(waves[1], 2u);
  EXPECT_LE(waves[1], waves[0] + 2);
}

SPMD_TEST(Termination, NeitherEarlyNorLate) {
  runs_all_tasks(4, 2, 0, 1);
  runs_all_tasks(4, 2, 3, 15);
  runs_all_tasks(16, 2, 7, 255);
}

// One task at a time, and all ranks but one are idle.
SPMD_TEST(Termination, OfAChain) { runs_all_tasks(2, 1, 60, 61); }

// A rank that finds an inbox full waits, and empties its own meanwhile.
SPMD_TEST(Termination, ThroughTinyInboxes) {
  runs_all_tasks(1, 2, 5, 63);
  runs_all_tasks(2, 2, 6, 127);
}

SPMD_TEST(Termination, NothingToDo) {
  Termination termination;
  rma::barrier();
  while (!termination.poll({})) rma::idle();
  EXPECT_LE(termination.wave(), 3u);
  rma::flush_all();
}

// A task goes from rank to rank in each round, each time from another, which
// has it before it leaves the last round.
SPMD_TEST(Termination, OfSeveralRounds) {
  constexpr uint64_t kRounds = 6;
  const auto ranks = static_cast<uint64_t>(rma::size());
  const auto me = static_cast<uint64_t>(rma::rank());
  Termination termination;
  const auto tasks = rma::allocate<rma::Word>();
  TaskCounts mine;
  uint64_t run = 0;
  rma::barrier();
  for (uint64_t round = 1; round <= kRounds; ++round) {
    if (round % ranks == me) {
      ++mine.created;
      rma::fetch_add(tasks.at(rma::rank()), 1);
    }
    if (round > 1) termination.begin_next();
    while (true) {
      if (tasks.local()->load() > run) {
        ++run;
        const uint64_t next = (me + 1) % ranks;
        if (next != run % ranks) {
          ++mine.created;
          rma::fetch_add(tasks.at(static_cast<int>(next)), 1);
        }
        ++mine.ended;
      } else if (termination.poll(mine)) {
        break;
      } else {
        rma::idle();
      }
    }
    // A rank that learns late of an end may have run the next round's task.
    EXPECT_GE(run, round) << "it was over early";
  }
  rma::flush_all();
  rma::barrier();
  EXPECT_EQ(run, kRounds);
}

// Each rank finds what was put there, from each sender in the order in which it
// was put.
SPMD_TEST(Inbox, KeepsTheOrder) {
  struct Letter {
    uint64_t from, number, check;
  };
  constexpr uint64_t kLetters = 40;
  Inbox<Letter> inbox(3);
  EXPECT_TRUE(inbox.empty());
  const auto ranks = static_cast<uint64_t>(rma::size());
  std::vector<uint64_t> received(ranks, 0);
  const auto read = [&] {
    for (Letter letter; inbox.take(&letter);) {
      ASSERT_LT(letter.from, ranks);
      EXPECT_EQ(letter.number, received[letter.from]++);
      EXPECT_EQ(letter.check, letter.from + letter.number);
    }
  };
  const auto wait = [&] {
    read();
    rma::idle();
  };
  rma::barrier();
  const auto me = static_cast<uint64_t>(rma::rank());
  for (uint64_t i = 0; i < kLetters; ++i) {
    for (int rank = 0; rank < rma::size(); ++rank)
      put(inbox, rank, Letter{me, i, me + i}, wait);
  }
  while (*std::min_element(received.begin(), received.end()) < kLetters) wait();
  EXPECT_TRUE(inbox.empty());
  rma::flush_all();
}

// To send costs a look once all cells were used, and where there is no room the
// rest is paid when there is some. The owner takes for nothing.
SPMD_TEST(Inbox, CostsTheSender) {
  Inbox<uint64_t> inbox(1);
  const auto send = [&](bool has_room) {
    return costs_of([&] { EXPECT_EQ(inbox.send(rma::rank(), 5), has_room); });
  };
  const auto take = [&] {
    uint64_t task = 0;
    EXPECT_TRUE(inbox.take(&task));
    EXPECT_EQ(task, 5u);
    rma::Word::fence();  // or the next look may not see it
  };
  EXPECT_EQ(send(true), (Costs{.puts = 1, .fetch_adds = 2}));
  EXPECT_EQ(costs_of(take), Costs{});
  EXPECT_EQ(send(true), (Costs{.gets = 1, .puts = 1, .fetch_adds = 2}));
  EXPECT_EQ(send(false), (Costs{.gets = 1, .fetch_adds = 1}));
  take();
  const Costs late = costs_of([&] {
    while (!inbox.settle([](int) {})) rma::idle();
  });
  EXPECT_EQ(late, (Costs{.gets = 1, .puts = 1, .fetch_adds = 1}));
  take();
  rma::flush_all();
}

// A rank that is far back in the line does not look for room soon again.
SPMD_TEST(Inbox, LooksSeldomFromFarBackInTheLine) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody else stands in the line";
  Inbox<uint64_t> inbox(1);
  const auto settle = [&] { EXPECT_FALSE(inbox.settle([](int) {})); };
  for (uint64_t i = 0; rma::rank() == 0 && i < 640; ++i) inbox.send(0, i);
  rma::flush_all();
  rma::barrier();
  if (rma::rank() == rma::size() - 1) {
    EXPECT_EQ(costs_of([&] { inbox.send(0, 640); }),
              (Costs{.gets = 1, .fetch_adds = 1}));
    // Simulated time does not pass between the two.
    if (spmd::simulated()) {
      EXPECT_EQ(costs_of(settle), Costs{});
    }
    Costs costs;
    while (costs == Costs{}) {
      rma::idle();
      costs = costs_of(settle);
    }
    EXPECT_EQ(costs, (Costs{.gets = 1}));
  }
  rma::flush_all();
}

}  // namespace
}  // namespace magpie
