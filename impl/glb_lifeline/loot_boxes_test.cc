#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/loot.h"

namespace magpie::glb {
namespace {

// A task that shows when it is torn, or of another load.
struct Task {
  uint64_t load, from, number;
};

// Each rank sends each other one a load at a time, of none to as many tasks as
// fit, and the next when the last was received.
SPMD_TEST(LootBoxes, BringWholeLoads) {
  constexpr size_t kCapacity = 5;
  const uint64_t loads = spmd::rounds(2000, 12);
  const auto ranks = static_cast<size_t>(rma::size());
  const auto me = static_cast<size_t>(rma::rank());
  LootBoxes<Task> boxes(ranks, kCapacity);
  EXPECT_EQ(boxes.capacity(), kCapacity);
  // Number of loads of a sender that each rank has received; at the sender.
  const auto acknowledged = rma::allocate<rma::Word>(ranks);
  std::vector<uint64_t> sent(ranks), received(ranks);
  rma::barrier();
  const auto all = [&](const std::vector<uint64_t>& counts) {
    for (size_t rank = 0; rank < ranks; ++rank)
      if (rank != me && counts[rank] < loads) return false;
    return true;
  };
  while (!all(sent) || !all(received)) {
    for (size_t rank = 0; rank < ranks; ++rank) {
      if (rank == me) continue;
      if (sent[rank] < loads &&
          acknowledged.local()[rank].load() == sent[rank]) {
        const uint64_t load = ++sent[rank];
        std::vector<Task> tasks;
        while (tasks.size() < load % (kCapacity + 1))
          tasks.push_back({load, me, tasks.size()});
        boxes.send(static_cast<int>(rank), me, tasks);
      }
      if (boxes.receive(rank, [&](std::span<const Task> tasks) {
            const uint64_t load = ++received[rank];
            ASSERT_EQ(tasks.size(), load % (kCapacity + 1));
            for (size_t i = 0; i < tasks.size(); ++i) {
              EXPECT_EQ(tasks[i].load, load);
              EXPECT_EQ(tasks[i].from, rank);
              EXPECT_EQ(tasks[i].number, i);
            }
          })) {
        rma::fetch_add(acknowledged.at(static_cast<int>(rank)) + me, 1);
      }
    }
    rma::idle();
  }
  rma::barrier();
  for (size_t rank = 0; rank < ranks; ++rank)
    EXPECT_FALSE(boxes.receive(rank, [](std::span<const Task>) {}));
}

// A load is two puts and a fetch_add, an empty one a put less. Looking for one
// and receiving it is for nothing.
SPMD_TEST(LootBoxes, CostTheSender) {
  constexpr size_t kCapacity = 3;
  const bool sends = rma::rank() == rma::size() - 1;
  const bool receives = rma::rank() == 0;
  LootBoxes<Task> boxes(2, kCapacity);
  for (size_t tasks = 0; tasks <= kCapacity; ++tasks) {
    const auto receive = [&](bool is_there) {
      EXPECT_EQ(boxes.receive(1,
                              [&](std::span<const Task> loot) {
                                EXPECT_EQ(loot.size(), tasks);
                              }),
                is_there);
    };
    rma::barrier();
    EXPECT_EQ(costs_of([&] { receive(false); }), Costs{});
    rma::barrier();
    if (sends) {
      EXPECT_EQ(costs_of([&] { boxes.send(0, 1, std::vector<Task>(tasks)); }),
                (Costs{.puts = tasks == 0 ? 1u : 2u, .fetch_adds = 1}));
    }
    rma::barrier();
    EXPECT_EQ(costs_of([&] { receive(receives); }), Costs{});
  }
}

}  // namespace
}  // namespace magpie::glb
