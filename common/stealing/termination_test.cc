#include "common/stealing/termination.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

#include "common/stealing/inbox.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

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

// A rank that is far back in the line does not look for room soon again.
SPMD_TEST(Inbox, LooksSeldomFromFarBackInTheLine) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody else stands in the line";
  Inbox<uint64_t> inbox(1);
  const auto settle = [&] { EXPECT_FALSE(inbox.settle([](int) {})); };
  if (rma::rank() == 0) {
    EXPECT_EQ(costs_of([&] { inbox.send(0, 0); }),
              (Costs{.puts = 1, .fetch_adds = 2}));
    for (uint64_t i = 1; i < 640; ++i) inbox.send(0, i);
  }
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
