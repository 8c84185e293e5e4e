// The cost of a call, in operations. For tests that hold papers and comments to
// what they say about costs.
//
//   EXPECT_EQ(costs_of([&] { queue.push(entry); }), Costs{});
//   EXPECT_EQ(costs_of([&] { steal(); }), (Costs{.gets = 1, .fetch_adds = 1}));

#ifndef MAGPIE_COMMON_TESTING_COSTS_H_
#define MAGPIE_COMMON_TESTING_COSTS_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>

#include "common/rma/rma.h"

namespace magpie {

// Operations of the kinds that the mechanisms here use, except flushes.
struct Costs {
  uint64_t gets = 0, puts = 0, fetch_adds = 0, swaps = 0, fetch_adds_nb = 0;
  uint64_t puts_nb = 0;
  bool operator==(const Costs&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const Costs& c) {
  return out << c.gets << " gets, " << c.puts << " puts, " << c.fetch_adds
             << " fetch_adds, " << c.swaps << " swaps, " << c.fetch_adds_nb
             << " fetch_add_nbs, " << c.puts_nb << " put_nbs";
}

// Returns what a call costs the calling rank. Operations of other kinds fail
// the test.
template <typename Call>
Costs costs_of(Call call) {
  using rma::Op;
  const rma::OpCounters before = rma::self().counters;
  call();
  const rma::OpCounters done = rma::self().counters - before;
  const Costs costs = {
      done[Op::kGet].operations,        done[Op::kPut].operations,
      done[Op::kFetchAdd].operations,   done[Op::kSwap].operations,
      done[Op::kFetchAddNb].operations, done[Op::kPutNb].operations};
  EXPECT_EQ(done.operations(), costs.gets + costs.puts + costs.fetch_adds +
                                   costs.swaps + costs.fetch_adds_nb +
                                   costs.puts_nb);
  return costs;
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_TESTING_COSTS_H_
