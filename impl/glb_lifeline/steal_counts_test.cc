#include "impl/glb_lifeline/steal_counts.h"

#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie::glb {
namespace {

// A report about kPlaces places that its sender alone speaks of, of which the
// first is its own.
constexpr int kPlaces = 20;
int place_of(int sender, int i) { return sender * kPlaces + i; }
Counts report(int sender) {
  Counts counts;
  for (int i = 0; i < kPlaces; ++i)
    counts.add(place_of(sender, i), i == 0 ? -1 : 1);
  return counts;
}

// Expects that the sums tell of a report's own place when they tell of all
// others, and of these when they tell of the reports before it.
void expect_in_order(const Counts& sums) {
  for (int sender = 0; sender < rma::size(); ++sender) {
    const int64_t whole = -sums.of(place_of(sender, 0));
    for (int i = 1; i < kPlaces; ++i) {
      EXPECT_GE(sums.of(place_of(sender, i)), whole);
      EXPECT_LE(sums.of(place_of(sender, i)), whole + 1);
    }
  }
}

// All ranks send to rank 0 more than there is room for, and wait for nobody:
// what has no room is sent later.
SPMD_TEST(CountsInbox, AddsTheOwnPlaceLast) {
  const uint64_t reports = 2 * spmd::rounds(200, 12) + 1;
  const auto settled = rma::allocate<rma::Word>();
  CountsInbox inbox;
  rma::barrier();
  for (uint64_t number = 1; number <= reports; ++number)
    inbox.send(0, report(rma::rank()), place_of(rma::rank(), 0));
  EXPECT_FALSE(inbox.settle()) << "there was room for all";
  rma::barrier();
  Counts sums;
  for (bool is_counted = false;;) {
    if (inbox.settle() && !is_counted) {
      is_counted = true;
      rma::flush_all();
      rma::fetch_add(settled.at(0), 1);
    }
    if (rma::rank() == 0) {
      inbox.collect(&sums);
      expect_in_order(sums);
    }
    if (rma::get_word(settled.at(0)) == static_cast<uint64_t>(rma::size()))
      break;
    rma::idle();
  }
  rma::barrier();
  inbox.collect(&sums);
  expect_in_order(sums);
  for (int sender = 0; sender < rma::size(); ++sender) {
    EXPECT_EQ(-sums.of(place_of(sender, 0)),
              rma::rank() == 0 ? static_cast<int64_t>(reports) : 0);
  }
}

// An empty report is one, too, and so are some of few places and of many.
SPMD_TEST(CountsInbox, TakesReportsOfAnySize) {
  CountsInbox inbox;
  rma::barrier();
  int64_t expected = 0;
  for (int size = 0; size <= 13; ++size) {
    Counts counts;
    for (int place = 0; place < size; ++place) counts.add(place, size);
    inbox.send(0, counts, 3);
    expected += int64_t{size} * size * rma::size();
    while (!inbox.settle()) rma::idle();
    rma::flush_all();
    rma::barrier();
    Counts sums;
    inbox.collect(&sums);
    EXPECT_EQ(sums.size(),
              rma::rank() == 0 ? static_cast<size_t>(size) : size_t{0});
    for (const auto& [place, sum] : sums) {
      EXPECT_EQ(sum, int64_t{size} * rma::size());
      expected -= sum;
    }
    rma::barrier();
  }
  EXPECT_TRUE(rma::rank() != 0 || expected == 0);
}

// A report is a part for each seven places, the sender's own included; a part
// costs what Inbox::send does, the receiver nothing.
SPMD_TEST(CountsInbox, CostsTheSender) {
  CountsInbox inbox;
  rma::barrier();
  for (int places = 0; places <= 13; ++places) {
    Counts counts;
    for (int place = 0; place < places; ++place) counts.add(place, 1);
    const auto parts = static_cast<uint64_t>(places / 7 + 1);
    if (rma::rank() == rma::size() - 1) {
      EXPECT_EQ(costs_of([&] { inbox.send(0, counts, 100); }),
                (Costs{.puts = parts, .fetch_adds = 2 * parts}));
    }
  }
  rma::barrier();
  Counts sums;
  EXPECT_EQ(costs_of([&] { inbox.collect(&sums); }), Costs{});
  EXPECT_EQ(sums.all_zero(), rma::rank() != 0);
}

}  // namespace
}  // namespace magpie::glb
