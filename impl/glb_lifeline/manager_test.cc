// Steps of a manager: what it does in one, and what that costs. There are two
// places, or four, of as many ranks each, whose managers take steps in turn; no
// worker runs. The bag is a stand-in, whose steals are a fetch_add each.

#include "impl/glb_lifeline/manager.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/lifeline_scheme.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/worker.h"

namespace magpie::glb {
namespace {

using Task = uint64_t;

// Each rank's word says how many tasks its queue offers: a rank that looks pays
// a get, as of any queue. A steal takes two.
class StandIn {
 public:
  static constexpr uint64_t kLoot = 2;

  StandIn() : offered_(rma::allocate<rma::Word>()) {}

  void offer(uint64_t tasks) { *offered_.local() = rma::Word(tasks); }
  uint64_t offered(int rank) const { return rma::get_word(offered_.at(rank)); }
  template <typename Take>
  Outcome take_from(int victim, Take take, size_t most = SIZE_MAX) {
    EXPECT_GE(most, least);
    EXPECT_GE(rma::fetch_add(offered_.at(victim), ~kLoot + 1), kLoot);
    constexpr std::array<Task, kLoot> kTasks = {};
    take(std::span<const Task>(kTasks));
    return Outcome::kTaken;
  }

  void keep(std::span<const Task> loot) { kept += loot.size(); }
  bool empty() const { return kept == 0; }
  bool overflows() const { return has_no_room; }
  bool offer_all() { return false; }
  void take_mail() {}

  size_t kept = 0;
  bool has_no_room = false;
  // Least number of tasks that a steal is to be allowed.
  uint64_t least = kLoot;

 private:
  const rma::RemotePtr<rma::Word> offered_;
};

// Options with which nothing is tried again after a while.
Options options(StealBy steal_by) {
  Options options;
  options.steal_by = steal_by;
  options.period_us = 1'000'000'000;
  return options;
}

struct Setting {
  explicit Setting(StealBy steal_by) : Setting(options(steal_by), 2) {}
  Setting(const Options& options, int places)
      : own(Places({{.first_rank = 0,
                     .ranks_per_node = rma::size() / places,
                     .nodes = places}},
                   Places::kAllOfNode)),
        shared(own.place),
        scheme(options.graph(places), options.random_victims, 1,
               options.loot<Task>(), own),
        manager(options.asks(), options.period_us * 1000, own, scheme, shared) {
    rma::barrier();
  }

  // Has a place's manager do a call, which all ranks wait for.
  template <typename Call>
  void on(int place, Call call) {
    if (own.is_manager() && own.place.number == place) call();
    rma::barrier();
  }
  // Expects what a step costs.
  void expect_step(const char* what, int place, const Costs& costs) {
    on(place,
       [&] { EXPECT_EQ(costs_of([&] { manager.step(bag); }), costs) << what; });
  }
  void expect_kept(int place, size_t tasks) {
    on(place, [&] { EXPECT_EQ(bag.kept, tasks); });
  }
  // Gives tasks to the place's first worker.
  void offer(int place, uint64_t tasks) {
    if (rma::rank() == own.places.place(place).ranks.rank(0)) bag.offer(tasks);
    rma::barrier();
  }
  // Leaves a place without tasks: its workers are parked, and its manager has
  // none.
  void runs_out(int place) {
    offer(place, 0);
    on(place, [&] {
      *shared.busy.local() = rma::Word(0);
      bag.kept = 0;
    });
  }

  OwnPlace own;
  StandIn bag;
  PlaceShared shared;
  LifelineScheme<Task> scheme;
  Manager<Task> manager;
};

// A run in which one load goes each way. At the start both places wait on their
// lifelines, and the second is inactive. There are always fewer tasks than
// workers, and it takes a look at each rank to see that. As long as the other
// place waits, a step asks each worker for all its tasks, by a put.
SPMD_TEST(Manager, SendsLootAndPulls) {
  constexpr uint64_t kTwoLoads = 2 * StandIn::kLoot;
  Setting s(StealBy::kPulling);
  const auto r = static_cast<uint64_t>(s.own.place.ranks.size);
  const uint64_t workers = r - 1;
  ASSERT_LT(StandIn::kLoot, workers);
  s.on(1, [&] {
    EXPECT_EQ(costs_of([&] { EXPECT_TRUE(s.scheme.is_asked()); }), Costs{});
  });
  s.expect_step("is inactive, and has nothing for the place that waits", 1,
                {.gets = r, .puts = workers});
  s.expect_step("the same, lacks tasks, and pulls in vain", 0,
                {.gets = 3 * r, .puts = workers});
  s.expect_step("has asked its buddy before", 0,
                {.gets = 2 * r, .puts = workers});

  s.offer(0, kTwoLoads);
  s.expect_step("sends a load, wakes its receiver", 0,
                {.gets = 2 * r, .puts = 2, .fetch_adds = 1 + 2});
  s.expect_step("has a load, and pulls", 1,
                {.gets = 3 * r, .puts = workers, .fetch_adds = 1});
  s.expect_kept(1, kTwoLoads);

  s.offer(1, kTwoLoads);
  s.expect_step("sends a load, and pulls in vain", 1,
                {.gets = 3 * r, .puts = 2, .fetch_adds = 1 + 2});
  s.runs_out(1);
  s.expect_step("asks its buddy, reports, and wakes both", 1,
                {.gets = r, .puts = 1, .fetch_adds = 2 + 3});
  s.expect_step("is inactive, and nobody waits", 1, {});

  s.expect_step("has a load, and pulls in vain", 0,
                {.gets = 3 * r, .puts = workers});
  s.expect_kept(0, StandIn::kLoot);
  s.runs_out(0);
  s.expect_step("asks its buddy; the run is over", 0,
                {.gets = 2 * r, .puts = workers, .fetch_adds = 2 + 2});
  while (!s.own.end.poll()) rma::idle();
  rma::flush_all();
}

SPMD_TEST(Manager, Asks) {
  Setting s(StealBy::kAsking);
  const auto r = static_cast<uint64_t>(s.own.place.ranks.size);
  const uint64_t workers = r - 1;
  s.expect_step("asks, and wakes the victim", 0,
                {.gets = 2 * r, .puts = workers, .fetch_adds = 2 + 1});
  s.expect_step("waits", 0, {.gets = 2 * r, .puts = workers});
  s.expect_step(
      "has nothing to answer with, nor for the lifeline", 1,
      {.gets = 2 * r, .puts = 1 + workers, .fetch_adds = 2, .swaps = 1});
  s.expect_step("has asked its buddy before", 0,
                {.gets = 2 * r, .puts = workers});
}

// A manager whose queue is full asks nobody for more, however little it offers.
SPMD_TEST(Manager, GetsNoMoreThanItHasRoomFor) {
  Setting s(StealBy::kPulling);
  const auto r = static_cast<uint64_t>(s.own.place.ranks.size);
  const uint64_t workers = r - 1;
  s.bag.has_no_room = true;
  s.expect_step("looks for what it can send, and no further", 0,
                {.gets = r, .puts = workers});
  s.bag.has_no_room = false;
  s.expect_step("lacks tasks, and pulls in vain", 0,
                {.gets = 3 * r, .puts = workers});
}

// The lifelines of a place take turns, also where a thief asks again at once.
SPMD_TEST(Manager, ServesLifelinesInTurn) {
  Options o = options(StealBy::kPulling);
  o.random_victims = 0;
  o.lifeline_radix = 2;
  Setting s(o, 4);
  s.bag.least = 1;
  size_t kept = 0;
  const std::array thieves = {1, 2};
  for (const int place : thieves) s.runs_out(place);
  for (size_t load = 0; load < thieves.size(); ++load) {
    s.offer(0, StandIn::kLoot + 1);  // half of which is one
    s.on(0, [&] { s.manager.step(s.bag); });
    for (const int place : thieves) {
      s.on(place, [&] {
        s.manager.step(s.bag);
        kept += std::exchange(s.bag.kept, 0);
        s.manager.step(s.bag);
      });
    }
  }
  for (const int place : thieves) s.on(place, [&] { EXPECT_EQ(kept, 1u); });
}

// Place 0 has room for kCapacity reports that it has not seen. One more waits
// with its sender, which wakes place 0 when the report has gone.
SPMD_TEST(Manager, WakesPlace0ByALateReport) {
  Setting s(StealBy::kPulling);
  const auto r = static_cast<uint64_t>(s.own.place.ranks.size);
  const uint64_t workers = r - 1;
  s.runs_out(1);
  s.on(1, [&] {
    for (size_t report = 0; report <= CountsInbox::kCapacity; ++report) {
      EXPECT_FALSE(s.scheme.has_to_report());
      s.manager.mail_taken();
      s.manager.step(s.bag);  // pulls in vain
      s.manager.step(s.bag);  // asks its buddies, and reports
    }
    EXPECT_TRUE(s.scheme.has_to_report());
  });
  s.on(0, [&] { s.manager.step(s.bag); });
  s.expect_step("has no task to send, reports, and wakes place 0", 1,
                {.gets = r + 1, .puts = workers + 1, .fetch_adds = 2});
  s.on(1, [&] { EXPECT_FALSE(s.scheme.has_to_report()); });
}

}  // namespace
}  // namespace magpie::glb
