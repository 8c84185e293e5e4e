#include "impl/glb_lifeline/places.h"

#include "common/rma/rma.h"
#include "common/testing/spmd.h"

namespace magpie::glb {
namespace {

// Expects that each rank is in the place that it finds itself in, and that all
// see the same places: the least that they see is the most.
void expect_agreed(const Places& places) {
  uint64_t count = static_cast<uint64_t>(places.count());
  rma::reduce(&count, 1, rma::Reduction::kMax);
  EXPECT_EQ(count, static_cast<uint64_t>(places.count()));
  for (int rank = 0; rank < rma::size(); ++rank) {
    const Place place = places.of(rank);
    EXPECT_TRUE(place.ranks.has(rank));
    EXPECT_EQ(places.place(place.number).ranks, place.ranks);
    uint64_t first = static_cast<uint64_t>(place.ranks.first);
    rma::broadcast(&first, sizeof(first), 0);
    EXPECT_EQ(first, static_cast<uint64_t>(place.ranks.first));
  }
}

SPMD_TEST(Places, OfSingleRanks) {
  const Places places = Places::of_single_ranks();
  expect_agreed(places);
  EXPECT_EQ(places.count(), rma::size());
  EXPECT_TRUE(places.of(rma::rank()).is_alone());
  EXPECT_EQ(places.of(rma::rank()).manager(), rma::rank());
}

// No place lies on two nodes; with kAllOfNode each node is one place.
SPMD_TEST(Places, OfNodes) {
  for (int workers = 0; workers <= rma::size(); ++workers) {
    const Places places = Places::of_nodes(workers);
    expect_agreed(places);
    const Place place = places.of(rma::rank());
    for (int i = 0; i < place.ranks.size; ++i) {
      const int rank = place.ranks.rank(i);
      EXPECT_EQ(rma::node_of(rank), rma::node_of(rma::rank()));
    }
    if (workers == Places::kAllOfNode) {
      for (int rank = 0; rank < rma::size(); ++rank)
        EXPECT_EQ(place.ranks.has(rank),
                  rma::node_of(rank) == rma::node_of(rma::rank()));
    }
  }
}

}  // namespace
}  // namespace magpie::glb
