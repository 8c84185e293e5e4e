// Ways between places: requests on lifelines and to random victims, and the
// boxes in which loot comes.

#include "impl/glb_lifeline/lifelines.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/loot.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {
namespace {

LifelineGraph graph_of(int radix) {
  return Options{.lifeline_radix = radix}.graph(rma::size());
}

// Number of the calling rank's edges on which another rank asks it, or is asked
// by it.
uint64_t neighbours(const LifelineGraph& graph) {
  uint64_t count = 0;
  for (int edge = 0; edge < graph.edges(); ++edge)
    count += graph.buddy(rma::rank(), edge) != rma::rank();
  return count;
}

// Notes that a load has come, where somebody may have sent one.
void receive(const LifelineGraph& graph, int own, int edge,
             Lifelines& lifelines) {
  if (graph.buddy(own, edge) != own)
    lifelines.received(static_cast<size_t>(edge));
}

// Serves all that ask; returns how many.
uint64_t serve_all(const LifelineGraph& graph, Lifelines& lifelines) {
  uint64_t served = 0;
  for (size_t edge = 0; edge < lifelines.edges(); ++edge) {
    if (!lifelines.is_asked(edge)) continue;
    const int thief = graph.thief(rma::rank(), static_cast<int>(edge));
    EXPECT_EQ(lifelines.thief(edge).number, thief);
    EXPECT_EQ(lifelines.thief(edge).manager(), thief);
    lifelines.serve(edge);
    EXPECT_FALSE(lifelines.is_asked(edge));
    ++served;
  }
  EXPECT_FALSE(lifelines.is_asked());
  return served;
}

// All have asked at the start. A place asks again on an edge when a load came
// there, and then once, however often it finds nothing.
SPMD_TEST(Lifelines, AnEdgeHasOneRequest) {
  for (const int radix : {2, 3, 8}) {
    const LifelineGraph graph = graph_of(radix);
    const uint64_t edges = neighbours(graph);
    Lifelines lifelines(graph, Places::of_single_ranks(), rma::rank());
    rma::barrier();
    EXPECT_EQ(costs_of([&] { lifelines.ask_all(); }), Costs{});
    EXPECT_EQ(lifelines.is_asked(), edges > 0);
    for (int round = 0; round < 4; ++round) {
      EXPECT_EQ(serve_all(graph, lifelines), edges);
      rma::barrier();
      for (int edge = 0; edge < graph.edges(); ++edge)
        receive(graph, rma::rank(), edge, lifelines);
      EXPECT_EQ(costs_of([&] { lifelines.ask_all(); }),
                Costs{.fetch_adds = edges});
      EXPECT_EQ(costs_of([&] { lifelines.ask_all(); }), Costs{});
      rma::barrier();
    }
  }
}

// A load on one edge leaves the requests on the others as they are.
SPMD_TEST(Lifelines, EdgesAreAskedOneByOne) {
  const LifelineGraph graph = graph_of(2);
  Lifelines lifelines(graph, Places::of_single_ranks(), rma::rank());
  rma::barrier();
  for (int edge = 0; edge < graph.edges(); ++edge) {
    serve_all(graph, lifelines);
    rma::barrier();
    receive(graph, rma::rank(), edge, lifelines);
    lifelines.ask_all();
    rma::barrier();
    for (int other = 0; other < graph.edges(); ++other) {
      const bool asks =
          other == edge && graph.thief(rma::rank(), edge) != rma::rank();
      EXPECT_EQ(lifelines.is_asked(static_cast<size_t>(other)), asks);
    }
    rma::barrier();
  }
}

// Thieves ask again and again, while rank 0 answers: each request that was
// taken is answered once, and the rest never.
SPMD_TEST(Requests, EachIsAnsweredOnce) {
  const uint64_t answers = spmd::rounds(5000, 15);
  Requests requests;
  const auto answered = rma::allocate<rma::Word>();
  const auto done = rma::allocate<rma::Word>();
  rma::barrier();
  if (rma::rank() == 0) {
    const auto others = static_cast<uint64_t>(rma::size()) - 1;
    while (done.local()->load() < others) {
      if (const int thief = requests.thief(); thief >= 0) {
        requests.clear();
        EXPECT_NE(thief, 0);
        rma::fetch_add(answered.at(thief), 1);
      }
      rma::idle();
    }
    EXPECT_EQ(requests.thief(), -1);
  } else {
    for (uint64_t taken = 0; taken < answers;) {
      bool is_taken = false;
      const Costs costs = costs_of([&] { is_taken = requests.ask(0); });
      EXPECT_EQ(costs, Costs{.fetch_adds = is_taken ? 2u : 1u});
      if (is_taken) {
        ++taken;
        EXPECT_TRUE(requests.awaits_answer());
        while (answered.local()->load() < taken) rma::idle();
        requests.answered();
      }
      EXPECT_FALSE(requests.awaits_answer());
      EXPECT_EQ(answered.local()->load(), taken);
      rma::idle();
    }
    rma::fetch_add(done.at(0), 1);
  }
}

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
