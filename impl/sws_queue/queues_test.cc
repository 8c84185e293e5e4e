// Tests of what the concept does not say: what operations cost, which rank
// waits for which, and many owners and thieves at once, with fields as narrow
// as they may be.

#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "common/stealing/stealable_queue_suite.h"
#include "common/testing/costs.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie::sws_queue {
namespace {

using queue_suite::expect_pop;
using queue_suite::Item;
using queue_suite::item;
using queue_suite::number_of;
using queue_suite::Taken;

// Operations of each rank on its own queue and on its neighbour's, in turns.
template <typename Queue>
class Turns {
 public:
  explicit Turns(const QueueOptions& options) : queue_(options) {}

  Costs push(uint64_t first, uint64_t n) {
    rma::barrier();
    const Costs costs = costs_of([&] {
      for (uint64_t i = 0; i < n; ++i) queue_.push(item(first + i));
    });
    rma::barrier();
    return costs;
  }
  // Steals, and expects to find [first, first + n).
  Costs steal(Outcome outcome, uint64_t first = 0, uint64_t n = 0) {
    rma::barrier();
    std::vector<uint64_t> stolen, expected(n);
    for (uint64_t i = 0; i < n; ++i) expected[i] = first + i;
    const auto take = [&](std::span<const Item> items) {
      for (const Item& item : items) stolen.push_back(number_of(item));
    };
    const int neighbour = (rma::rank() + 1) % rma::size();
    const Costs costs = costs_of([&] {
      EXPECT_EQ(queue_.steal(queue_.remote(neighbour), take), outcome);
    });
    EXPECT_EQ(stolen, expected);
    rma::flush_all();
    rma::barrier();
    return costs;
  }
  // Pops, and expects to find n items, down from `last`.
  Costs pop(uint64_t last, uint64_t n) {
    rma::barrier();
    const Costs costs = costs_of([&] {
      for (uint64_t i = 0; i < n; ++i) expect_pop(queue_, last - i);
    });
    rma::barrier();
    return costs;
  }
  Queue& queue() { return queue_; }

 private:
  Queue queue_;
};

constexpr Costs kSdcSteal = {
    .gets = 2, .puts = 1, .fetch_adds = 1, .swaps = 1, .fetch_adds_nb = 1};
constexpr Costs kSwsSteal = {.gets = 1, .fetch_adds = 1, .fetch_adds_nb = 1};

// icpp21 §3.1: six communications, five of them blocking.
SPMD_TEST(SdcQueue, Costs) {
  Turns<SdcQueue<Item>> turns({.capacity = 8, .empty_check = false});
  // Push releases the first item, which thieves can have at once; no operation.
  EXPECT_EQ(turns.push(0, 5), Costs{});
  EXPECT_EQ(turns.steal(Outcome::kTaken, 0, 1), kSdcSteal);
  EXPECT_EQ(turns.steal(Outcome::kEmpty),
            (Costs{.gets = 1, .fetch_adds = 1, .swaps = 1}));
  // A release of 2 of 4; 2 are left.
  EXPECT_EQ(turns.pop(4, 2), Costs{});
  // An acquire: 1 of the 2 goes back.
  EXPECT_EQ(turns.pop(2, 1), (Costs{.fetch_adds = 1, .swaps = 1}));
  EXPECT_EQ(turns.steal(Outcome::kTaken, 1, 1), kSdcSteal);
  // Places 2 to 8, and 0: the last but one is released with what it has, 1.
  EXPECT_EQ(turns.push(2, 1), Costs{});
  EXPECT_EQ(turns.push(3, 6), Costs{});
  EXPECT_EQ(turns.steal(Outcome::kTaken, 2, 1), kSdcSteal);
  EXPECT_EQ(turns.pop(8, 1), Costs{});  // a release of 3 of 5
  EXPECT_EQ(turns.steal(Outcome::kTaken, 3, 1), kSdcSteal);
}

// icpp21 §4.1: three communications, two of them blocking; §4.3: one for a
// search that finds nothing, which is a fetch where nothing was found before.
SPMD_TEST(SwsQueue, Costs) {
  Turns<SwsQueue<Item>> turns({.capacity = 8, .empty_check = false});
  EXPECT_EQ(turns.steal(Outcome::kEmpty), (Costs{.fetch_adds = 1}));
  EXPECT_EQ(turns.steal(Outcome::kEmpty), (Costs{.gets = 1}));
  EXPECT_EQ(turns.steal(Outcome::kEmpty), (Costs{.gets = 1}));
  // A release of the first.
  EXPECT_EQ(turns.push(0, 5), (Costs{.swaps = 1}));
  // The thief looks first, since the victim was empty before.
  EXPECT_EQ(turns.steal(Outcome::kTaken, 0, 1),
            (Costs{.gets = 2, .fetch_adds = 1, .fetch_adds_nb = 1}));
  // A release of 2 of 4 that are left, and an acquire of 1 of them.
  EXPECT_EQ(turns.pop(4, 2), (Costs{.swaps = 1}));
  EXPECT_EQ(turns.pop(2, 1), (Costs{.swaps = 2}));
  EXPECT_EQ(turns.steal(Outcome::kTaken, 1, 1), kSwsSteal);
  EXPECT_EQ(turns.steal(Outcome::kEmpty), (Costs{.fetch_adds = 1}));
  // The second block of places 3 to 7 and 0 to 2 wraps.
  turns.push(2, 1);
  turns.steal(Outcome::kTaken, 2, 1);
  turns.push(3, 8);
  EXPECT_TRUE(turns.queue().offer_all());
  EXPECT_EQ(turns.steal(Outcome::kTaken, 3, 4), kSwsSteal);
  EXPECT_EQ(turns.steal(Outcome::kTaken, 7, 2),
            (Costs{.gets = 2, .fetch_adds = 1, .fetch_adds_nb = 1}));
}

// With volume one the notice has arrived when the steal returns
// (split_queue.h).
template <typename Queue>
uint64_t flushes_of_a_steal() {
  Queue queue({.capacity = 8, .empty_check = false});
  queue.push(item(0));
  queue.push(item(1));
  rma::barrier();
  const rma::OpCounters before = rma::self().counters;
  EXPECT_EQ(queue.steal(queue.remote((rma::rank() + 1) % rma::size()),
                        [](std::span<const Item>) {}),
            Outcome::kTaken);
  const rma::OpCounters steal = rma::self().counters - before;
  rma::flush_all();
  rma::barrier();
  return steal[rma::Op::kFlush].operations;
}
SPMD_TEST(Volume, OfOneFlushesItsNotices) {
  EXPECT_EQ((flushes_of_a_steal<SwsQueue<Item, One>>()),
            flushes_of_a_steal<SwsQueue<Item>>() + 1);
  EXPECT_EQ((flushes_of_a_steal<SdcQueue<Item, One>>()),
            flushes_of_a_steal<SdcQueue<Item>>() + 1);
}

// An owner that has to wait for a thief calls idle() meanwhile: in an acquire,
// and in quiesce. (Explored, with less patience than the thief takes.) With two
// epochs it need not wait in an acquire, and can offer anew (icpp21 §4.2).
template <typename Queue>
void meets_a_slow_thief(bool waits) {
  if (rma::size() == 1) GTEST_SKIP() << "nobody steals";
  Queue queue({.capacity = 8, .empty_check = false});
  const auto taking = rma::allocate<rma::Word>().at(0);
  uint64_t mine = 0;
  const auto pop = [&] {
    if (queue.pop() != nullptr) ++mine;
  };
  const auto steal = [&](auto meanwhile) {
    const auto take = [&](std::span<const Item> items) {
      mine += items.size();
      meanwhile();
    };
    EXPECT_EQ(queue.steal(queue.remote(0), take), Outcome::kTaken);
    rma::flush(0);
  };
  for (uint64_t i = 0; rma::rank() == 0 && i < 8; ++i) queue.push(item(i));
  rma::barrier();
  if (rma::rank() == 1) steal([] {});  // the one that was offered
  rma::barrier();
  if (rma::rank() == 0) pop();  // offers 3 more
  rma::barrier();
  if (rma::rank() == 1) {
    steal([&] {
      rma::put_word(taking, 1);
      rma::flush(0);
      if (waits) {
        for (int i = 0; i < 100; ++i) rma::compute(2'000);
        rma::put_word(taking, 2);
        rma::flush(0);
      } else {
        // Waits for the owner, as no `take` may: so an owner that waits for
        // this thief does so for ever.
        while (rma::get_word(taking) < 2) rma::idle();
      }
    });
  } else if (rma::rank() == 0) {
    while (rma::get_word(taking) == 0) rma::idle();
    while (!queue.empty()) pop();
    if (waits) {
      EXPECT_EQ(rma::get_word(taking), 2u);
    } else {
      queue.push(item(8));
      rma::Word::fence();
      EXPECT_GT(queue.offered(queue.remote(0)), 0u);
      pop();
      --mine;
      rma::put_word(taking, 2);
      rma::flush(0);
    }
    queue.quiesce();
    EXPECT_FALSE(queue.full());
  }
  rma::reduce(&mine, 1, rma::Reduction::kSum);
  EXPECT_EQ(mine, 8u);
}
SPMD_TEST(SlowThief, Sdc) { meets_a_slow_thief<SdcQueue<Item>>(false); }
SPMD_TEST(SlowThief, Sws) { meets_a_slow_thief<SwsQueue<Item>>(false); }
SPMD_TEST(SlowThief, FirstVersion) {
  meets_a_slow_thief<SwsQueue<Item, Half, FirstVersion>>(true);
}

// None of a thief's loot is offered before it has taken the youngest.
template <typename Queue>
void pushes_all() {
  Queue queue({.capacity = 8, .empty_check = false});
  const auto thief = queue.remote(rma::rank());
  uint64_t stolen = 0;
  const auto take = [&](std::span<const Item> items) {
    for (const Item& item : items) EXPECT_EQ(number_of(item), stolen++);
  };
  uint64_t next = 0;
  for (const uint64_t n : {5, 8, 1, 7}) {
    stolen = next;
    std::vector<Item> loot;
    for (uint64_t i = 0; i < n; ++i) loot.push_back(item(next++));
    EXPECT_EQ(queue.room(), 8u);
    EXPECT_EQ(costs_of([&] { queue.push_all(loot); }), Costs{});
    EXPECT_EQ(queue.room(), 8 - n);
    EXPECT_EQ(queue.steal(thief, take), Outcome::kEmpty);
    expect_pop(queue, next - 1);
    const auto steal = [&] {
      rma::Word::fence();  // or the thief may not see what the owner did
      return queue.steal(thief, take);
    };
    while (steal() == Outcome::kTaken) {
      rma::flush_all();
      queue.share();
    }
    EXPECT_EQ(stolen, next - 1);
    EXPECT_EQ(queue.pop(), nullptr);
    queue.quiesce();
  }
  rma::barrier();
}
SPMD_TEST(SdcQueue, PushesAll) { pushes_all<SdcQueue<Item>>(); }
SPMD_TEST(SwsQueue, PushesAll) { pushes_all<SwsQueue<Item>>(); }

// Nothing can be offered while a thief copies in the only epoch.
SPMD_TEST(FirstVersion, OffersNothingWhileAThiefCopies) {
  SwsQueue<Item, Half, FirstVersion> queue({.capacity = 8});
  queue.push(item(0));
  rma::Word::fence();  // or the thief may not see what the owner did
  const auto take = [&](std::span<const Item>) {
    queue.push(item(1));
    EXPECT_FALSE(queue.offer_all());
  };
  EXPECT_EQ(queue.steal(queue.remote(rma::rank()), take), Outcome::kTaken);
  queue.quiesce();
}

// Everybody owns, and everybody robs everybody, slowly: many steals are under
// way at once. Rings wrap every few items.
template <typename Queue>
void everybody_steals(size_t capacity) {
  Queue queue = queue_suite::made<Queue>(
      QueueOptions{.capacity = capacity, .empty_check = false});
  std::minstd_rand random(static_cast<unsigned>(rma::rank()) + 1);
  const auto one_of = [&](uint64_t n) { return random() % n; };
  const auto ranks = static_cast<uint64_t>(rma::size());
  const uint64_t steps = spmd::rounds(100000, 150);
  Taken taken;
  uint64_t pushed = 0;
  Item mine;
  rma::barrier();
  for (uint64_t step = 0; step < steps; ++step) {
    const int victim = static_cast<int>(one_of(ranks));
    const auto take = [&](std::span<const Item> items) {
      // The owner may go on meanwhile, and must not use their places.
      for (uint64_t pauses = one_of(3); pauses > 0; --pauses) rma::idle();
      for (const Item& item : items) taken.add(item);
    };
    const Item next = item(pushed * ranks + static_cast<uint64_t>(rma::rank()));
    switch (one_of(4)) {
      case 0:
        if (queue.push_at_once([&](Item* place) { *place = next; })) {
          ++pushed;
          break;
        }
        [[fallthrough]];
      case 1:
        if (queue.full()) break;
        queue.push(next);
        ++pushed;
        break;
      case 2:
        if (pop_some_way(queue, &mine, one_of(2) == 0)) taken.add(mine);
        break;
      case 3:
        queue.steal(queue.remote(victim), take);
        if (one_of(2) == 0) rma::flush(victim);
        if (spmd::simulated() || step % 16 == 0) rma::idle();
    }
  }
  rma::flush_all();
  while (const Item* const left = queue.pop()) taken.add(*left);
  EXPECT_TRUE(queue.empty());
  queue.quiesce();
  EXPECT_FALSE(queue.full());
  rma::barrier();
  taken.expect_each_once_of_all(pushed);
}

// Layouts with as few bits as up to 8 ranks and rings of 8 allow, and as 3
// ranks do.
using Narrow = Stealval<4, 2, 3, 3, 2>;
using NarrowFirst = Stealval<4, 1, 3, 3, 1>;
using NarrowOfOne = Stealval<5, 2, 3, 3, 2>;

SPMD_TEST(EverybodySteals, Sdc) { everybody_steals<SdcQueue<Item>>(8); }
SPMD_TEST(EverybodySteals, SdcOfOne) {
  everybody_steals<SdcQueue<Item, One>>(4);
}
SPMD_TEST(EverybodySteals, Sws) { everybody_steals<SwsQueue<Item>>(8); }
SPMD_TEST(EverybodySteals, SwsOfOne) {
  everybody_steals<SwsQueue<Item, One>>(4);
}
SPMD_TEST(EverybodySteals, Narrow) {
  everybody_steals<SwsQueue<Item, Half, Narrow>>(8);
}
SPMD_TEST(EverybodySteals, NarrowFirst) {
  everybody_steals<SwsQueue<Item, Half, NarrowFirst>>(8);
}
SPMD_TEST(EverybodySteals, NarrowOfOne) {
  everybody_steals<SwsQueue<Item, One, NarrowOfOne>>(8);
}

}  // namespace
}  // namespace magpie::sws_queue
