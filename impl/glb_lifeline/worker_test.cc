// When a worker parks and is back, what its manager knows by then, and what all
// that costs. The bag is a stand-in that has tasks when the test says so.

#include "impl/glb_lifeline/worker.h"

#include <cstdint>

#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {
namespace {

// All ranks are one place; rank 0 is the worker that a test is about.
struct Setting {
  Setting()
      : own(Places(
            {{.first_rank = 0, .ranks_per_node = rma::size(), .nodes = 1}},
            Places::kAllOfNode)),
        worker({}, own) {
    rma::barrier();
  }
  uint64_t workers() const {
    return static_cast<uint64_t>(own.place.workers());
  }
  // Whether there is a worker: a place of one rank has none.
  static bool has_worker() { return rma::size() > 1; }

  OwnPlace own;
  Worker worker;
  const rma::RemotePtr<rma::Word> busy = worker.shared().busy;
};

// Stands in for ranks that offer nothing until they are looked at for the
// `offers_at`-th time. A look is a get, and so is a steal that takes something:
// each reads what the worker has told.
struct StandIn {
  bool has_mail() const { return false; }
  Outcome steal(int victim) {
    ++steals;
    if (looks < offers_at) return Outcome::kEmpty;
    EXPECT_EQ(rma::get_word(busy), workers);
    from_manager += victim == busy.rank;
    return Outcome::kTaken;
  }
  uint64_t offered(int) {
    EXPECT_EQ(rma::get_word(busy), workers - 1) << "look " << looks;
    return ++looks >= offers_at ? 1 : 0;
  }

  rma::RemotePtr<rma::Word> busy;
  uint64_t workers;
  int offers_at;
  int looks = 0, steals = 0;
  // Number of times that it gave a task of the manager's.
  uint64_t from_manager = 0;
};

// Before a worker parks it tries each other rank twice, on average; then it
// looks, for a get, and claims nothing. It tells its manager that it parks and
// that it is back, for a fetch_add each, and one that wakes the manager.
SPMD_TEST(Worker, ParksAndIsBack) {
  Setting s;
  if (s.has_worker() && rma::rank() == 0) {
    for (const int looks : {1, 7}) {
      StandIn bag = {s.busy, s.workers(), looks};
      const Costs costs =
          costs_of([&] { EXPECT_TRUE(s.worker.when_dry(bag)); });
      EXPECT_EQ(costs, (Costs{.gets = static_cast<uint64_t>(looks + 1),
                              .fetch_adds = 3 + bag.from_manager}));
      EXPECT_EQ(bag.looks, looks);
      EXPECT_EQ(bag.steals, 2 * rma::size() + 1);
      EXPECT_EQ(rma::get_word(s.busy), s.workers());
    }
  }
}

// A worker that finds tasks at once tells its manager alone, if they were that
// one's: the get is the steal's.
SPMD_TEST(Worker, ParksWhenItHasFoundNothing) {
  Setting s;
  if (s.has_worker() && rma::rank() == 0) {
    StandIn bag = {s.busy, s.workers(), 0};
    const Costs costs = costs_of([&] { EXPECT_TRUE(s.worker.when_dry(bag)); });
    EXPECT_EQ(costs, (Costs{.gets = 1, .fetch_adds = bag.from_manager}));
    EXPECT_EQ(bag.steals, 1);
  }
}

// A worker tells once, when it parks, what it has sent to other places: by a
// report, of one part here.
SPMD_TEST(Worker, TellsWhatItHasSentBeforeItParks) {
  Setting s;
  if (s.has_worker() && rma::rank() == 0) {
    EXPECT_EQ(costs_of([&] {
                s.worker.sends_to_place(3);
                s.worker.sends_to_place(5);
                s.worker.sends_to_place(3);
              }),
              Costs{});
    StandIn bag = {s.busy, s.workers(), 1};
    Costs costs = costs_of([&] { EXPECT_TRUE(s.worker.when_dry(bag)); });
    EXPECT_EQ(
        costs,
        (Costs{.gets = 2, .puts = 1, .fetch_adds = 2 + 3 + bag.from_manager}));
    bag = {s.busy, s.workers(), 1};
    costs = costs_of([&] { EXPECT_TRUE(s.worker.when_dry(bag)); });
    EXPECT_EQ(costs, (Costs{.gets = 2, .fetch_adds = 3 + bag.from_manager}));
  }
}

}  // namespace
}  // namespace magpie::glb
