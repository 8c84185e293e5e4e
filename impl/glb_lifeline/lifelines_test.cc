#include "impl/glb_lifeline/lifelines.h"

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {
namespace {

LifelineGraph graph_of(int radix) {
  return {rma::size(), radix, LifelineGraph::dimension_for(rma::size(), radix)};
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

}  // namespace
}  // namespace magpie::glb
