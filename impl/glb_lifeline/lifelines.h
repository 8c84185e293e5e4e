// Requests on lifelines: a place that found no tasks asks its buddies once, and
// each of them remembers that until it can send some.
//
// Source: hybrid_glb_apgas18 §2.2, §4.1 (there a queue of recorded thieves).
//
// Thread safety: an instance belongs to a place's manager; `asked` is added to
// by others. Invariants:
//   1. An edge has one request at most: a place asks again on an edge only when
//      it has received a load on it.
//   2. On the edge d of a place, `asked` counts the requests that it was sent
//      there, and is changed by atomics only; `served_` counts the loads that
//      it has sent. They differ by 1 while a request waits.
//   3. Requests outlive the end of a run: who had no task then has asked all
//      its buddies, and has tasks only when one of them sends some. So at the
//      start, where one place has tasks, all requests have been made.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "impl/glb_lifeline/lifeline_graph.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

class Lifelines {
 public:
  // Makes the lifelines of the place `own`. Collective.
  Lifelines(const LifelineGraph& graph, const Places& places, int own)
      : asked_(rma::allocate<rma::Word>(edges(graph))),
        own_asked_(asked_.local()),
        served_(edges(graph)),
        is_waiting_(edges(graph)) {
    rma::name_words(asked_, "lifeline", edges(graph));
    for (int edge = 0; edge < graph.edges(); ++edge) {
      const int buddy = graph.buddy(own, edge), thief = graph.thief(own, edge);
      Ends ends;
      if (buddy != own) ends.buddy = places.place(buddy);
      if (thief != own) ends.thief = places.place(thief);
      ends_.push_back(ends);
      const auto e = static_cast<size_t>(edge);
      if (thief != own) own_asked_[e] = rma::Word(1);  // invariant 3
      is_waiting_[e] = buddy != own;
    }
  }

  static size_t heap_bytes(size_t edges) {
    return rma::allocated_bytes<rma::Word>(edges);
  }

  size_t edges() const { return ends_.size(); }

  // ------------------------------------------------------------ who has none

  // Asks all buddies whom it has not asked yet. Cost: a fetch_add each, and
  // what it costs to wake them.
  void ask_all() {
    for (size_t edge = 0; edge < edges(); ++edge) {
      if (is_waiting_[edge] || !ends_[edge].buddy) continue;
      const Place& buddy = *ends_[edge].buddy;
      rma::fetch_add(asked_.at(buddy.manager()) + edge, 1);
      wake_manager(buddy);
      is_waiting_[edge] = true;
    }
  }
  // Notes that a load has come on the edge.
  void received(size_t edge) { is_waiting_[edge] = false; }

  // ------------------------------------------------------------ who has some

  // Whether anybody waits. Cost: none.
  bool is_asked(size_t edge) const {
    return own_asked_[edge].load() != served_[edge];
  }
  bool is_asked() const {
    for (size_t edge = 0; edge < edges(); ++edge) {
      if (is_asked(edge)) return true;
    }
    return false;
  }
  // Place that asks on an edge. REQUIRES: is_asked(edge).
  const Place& thief(size_t edge) const { return *ends_[edge].thief; }
  // Notes that the request is answered. REQUIRES: is_asked(edge).
  void serve(size_t edge) { ++served_[edge]; }

 private:
  static size_t edges(const LifelineGraph& graph) {
    return static_cast<size_t>(graph.edges());
  }

  // The places at the other ends of an edge's two directions, if any.
  struct Ends {
    std::optional<Place> buddy, thief;
  };
  std::vector<Ends> ends_;
  const rma::RemotePtr<rma::Word> asked_;
  rma::Word* const own_asked_;
  std::vector<uint64_t> served_;
  std::vector<bool> is_waiting_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_
