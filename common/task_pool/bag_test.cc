// The order of tasks in a bag whose queue is full. Each rank has its own bag,
// and is the thief of its queue, too.

#include "common/task_pool/bag.h"

#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/rma.h"
#include "common/stealing/locked_deque.h"
#include "common/task_pool/load_balancer.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

using Numbers = std::vector<uint64_t>;

// A task notes its number.
struct Note {
  uint64_t number;
  Numbers* numbers;

  static void invoke(const void* closure, void*) {
    const auto& note = *static_cast<const Note*>(closure);
    note.numbers->push_back(note.number);
  }
};
constexpr PoolTask kNote = {{&Note::invoke, sizeof(Note), 1, 0, 1, 1, true},
                            nullptr};

// Counts the tasks before which others waited for room.
struct Alone : LoadBalancer {
  explicit Alone(int* waited) : waited(waited) {}
  bool when_dry(auto&) { return false; }
  void before_task(auto& bag) { *waited += bag.overflows(); }
  void begin_next() {}
  bool hooks_adds() const { return false; }
  void after_push(auto&) {}
  SchedulerStats stats() const { return {}; }
  int* waited;
};

// Of the tasks 0 to 5 the queue has room for four. Thieves have the oldest, and
// the rank runs its youngest first; a thief's loot is no different.
SPMD_TEST(Bag, IsInOrderThoughItOverflows) {
  using TaskSlot = Slot<24>;
  const Numbers all = {5, 4, 3, 2, 1, 0};
  BagOptions options;
  options.queue_bytes = 4 * sizeof(TaskSlot);
  const EarlyEnd early_end;
  int waited = 0;
  BagOf<TaskSlot, LockedDeque<TaskSlot>, Alone> bag(options, early_end,
                                                    &waited);
  Numbers run, stolen;
  const auto add_all = [&] {
    for (uint64_t i = 0; i < all.size(); ++i) {
      const Note note = {i, &run};
      bag.add(kNote, &note);
    }
    EXPECT_TRUE(bag.overflows());
  };
  std::vector<TaskSlot> loot;
  const auto take = [&](std::span<const TaskSlot> tasks) {
    loot.insert(loot.end(), tasks.begin(), tasks.end());
  };
  add_all();
  bag.run(true);
  EXPECT_EQ(run, all);

  // Tasks that wait for room get some when the next one is taken, or added.
  run.clear();
  waited = 0;
  add_all();
  while (bag.take_from(rma::rank(), take) == Outcome::kTaken) continue;
  bag.run(true);
  EXPECT_EQ(run, (Numbers{5, 4}));
  EXPECT_EQ(waited, 0);
  add_all();
  while (bag.take_from(rma::rank(), take) == Outcome::kTaken) continue;
  const Note another = {6, &run};
  bag.add(kNote, &another);
  EXPECT_FALSE(bag.overflows());
  bag.run(true);

  loot.clear();
  run.clear();
  add_all();
  while (bag.take_from(rma::rank(), take) == Outcome::kTaken) continue;
  EXPECT_EQ(loot.size(), 4u);
  bag.share();
  EXPECT_FALSE(bag.overflows());
  bag.run(true);
  EXPECT_EQ(run, (Numbers{5, 4}));

  add_all();
  for (int i = 0; i < 2; ++i) {
    while (bag.take_from(rma::rank(), take) == Outcome::kTaken) continue;
    bag.share();
  }
  run.clear();
  bag.keep(std::span(loot).last(all.size()));
  EXPECT_TRUE(bag.overflows());
  bag.run(true);
  EXPECT_EQ(run, all);
}

}  // namespace
}  // namespace magpie
