// Ways of a place to ask others for tasks: the graph of lifelines, requests on
// them, which are kept until they are answered, and requests to random victims.
//
// Source: hybrid_glb_apgas18 §2.2, which has the graph from GLB (X10); §4.1.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// The graph of lifelines, a cyclic hypercube over the places: which places a
// place asks when it has no tasks and random victims had none. A value.
//
// A place's number is written with `dimension` digits of base `radix`. On the
// edge d a place asks the one whose d-th digit is the next smaller (after the
// smallest the greatest) of those that there are. So any place reaches place 0
// digit by digit, and is reached from there beginning with the highest digit:
// on the way no number is greater than the place's own, so each stands for a
// place. The graph is strongly connected, for any number of places.
class LifelineGraph {
 public:
  // Greatest number of digits.
  static constexpr int kMostEdges = 30;

  // REQUIRES: radix >= 2, 1 <= dimension <= kMostEdges, and radix^dimension
  // numbers are enough for the places.
  LifelineGraph(int places, int radix, int dimension)
      : places_(places), radix_(radix), dimension_(dimension) {}

  // Number of edges, which are numbered from 0; a place asks at most one other
  // on each.
  int edges() const { return dimension_; }

  // The place that `place` asks on an edge, and the one that asks it there;
  // `place` itself where no other place differs from it in that digit alone.
  int buddy(int place, int edge) const { return next(place, edge, -1); }
  int thief(int place, int edge) const { return next(place, edge, 1); }

 private:
  int next(int place, int edge, int by) const {
    int64_t step = 1;
    for (int d = 0; d < edge && step < places_; ++d) step *= radix_;
    if (step >= places_) return place;  // that digit is 0 everywhere
    const int64_t digit = place / step % radix_;
    const int64_t first = place - digit * step;
    // Number of places that differ in this digit alone.
    const int64_t members =
        std::min<int64_t>(radix_, (places_ - 1 - first) / step + 1);
    return static_cast<int>(first + (digit + members + by) % members * step);
  }

  int places_;
  int radix_;
  int dimension_;
};

// Requests on lifelines: a place that found no tasks asks its buddies once, and
// each of them remembers that until it can send some (the paper: a queue of
// recorded thieves).
//
// Thread safety: an instance belongs to a place's manager; `asked` is added to
// by others. Invariants:
//   1. An edge has one request at most: a place asks again on an edge only when
//      it has received a load on it.
//   2. On the edge d of a place, `asked` counts the requests that it was sent
//      there, and is changed by atomics only; `served` counts the loads that
//      it has sent. They differ by 1 while a request waits.
//   3. Requests outlive the end of a run: a place that had no task then has
//      asked all its buddies, and has tasks only when one of them sends some.
//      So at the start, where one place has tasks, all requests have been made.
class Lifelines {
 public:
  // Makes the lifelines of the place `own`. Collective.
  Lifelines(const LifelineGraph& graph, const Places& places, int own)
      : asked_(rma::allocate<rma::Word>(static_cast<size_t>(graph.edges()),
                                        "lifeline")),
        own_asked_(asked_.local()) {
    for (int edge = 0; edge < graph.edges(); ++edge) {
      const int thief = graph.thief(own, edge);
      edges_.push_back(
          {places.place(graph.buddy(own, edge)), places.place(thief)});
      if (thief != own) own_asked_[edge] = rma::Word(1);  // invariant 3
    }
  }

  static size_t heap_bytes(size_t edges) {
    return rma::allocated_bytes<rma::Word>(edges);
  }

  size_t edges() const { return edges_.size(); }

  // Asks all buddies whom it has not asked yet. Cost: a fetch_add each, and
  // what it costs to wake them.
  void ask_all() {
    for (size_t edge = 0; edge < edges(); ++edge) {
      auto& [buddy, thief, served, is_waiting] = edges_[edge];
      if (std::exchange(is_waiting, true)) continue;
      rma::fetch_add(asked_.at(buddy.manager()) + edge, 1);
      wake_manager(buddy);
    }
  }
  // Notes that a load has come on the edge, from another place.
  void received(size_t edge) { edges_[edge].is_waiting = false; }

  // Whether anybody waits. Cost: none.
  bool is_asked(size_t edge) const {
    return own_asked_[edge].load() != edges_[edge].served;
  }
  bool is_asked() const {
    const rma::Word* asked = own_asked_;
    for (const Edge& edge : edges_)
      if ((asked++)->load() != edge.served) return true;
    return false;
  }
  // Place that asks on an edge. REQUIRES: is_asked(edge).
  const Place& thief(size_t edge) const { return edges_[edge].thief; }
  // Notes that the request is answered. REQUIRES: is_asked(edge).
  void serve(size_t edge) { ++edges_[edge].served; }

 private:
  // The places at the other ends of an edge's two directions; where there is no
  // other place the own one, which is never asked: it waits for ever.
  struct Edge {
    Place buddy, thief;
    uint64_t served = 0;
    bool is_waiting = true;
  };
  std::vector<Edge> edges_;
  const rma::RemotePtr<rma::Word> asked_;
  rma::Word* const own_asked_;
};

// Requests to random victims that answer themselves: the cooperative form, of
// places whose tasks nobody else can take.
//
// Each manager has one word, for one request at a time. A thief adds an
// attempt; the thief that has made the first one adds its number, and is
// answered with a load, maybe an empty one. All others know at once that they
// got nothing ("rejects", §2.2; GLB's victims have a queue of requests).
//
// Thread safety: an instance belongs to a place's manager; `request` is added
// to by others. Invariants:
//   1. The low half of `request` counts attempts, the high half is the thief
//      that waits, plus one. It is changed by atomics only.
//   2. The high half is added to by the one whose attempt was the first since
//      the owner cleared the word; the owner does so when both are there.
class Requests {
 public:
  // Collective.
  Requests()
      : request_(rma::allocate<rma::Word>(1, "request")),
        own_(request_.local()) {}

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // Asks the manager `victim`, which then sends a load. False: it answers
  // somebody else. REQUIRES: !awaits_answer(). Cost: fetch_add; one more
  // where it is true.
  bool ask(int victim) {
    if (rma::fetch_add(request_.at(victim), 1) != 0) return false;
    awaits_answer_ = true;
    rma::fetch_add(request_.at(victim), (static_cast<uint64_t>(rma::rank()) + 1)
                                            << kShift);
    return true;
  }

  // Whether the caller was not answered yet; answered() says that it was.
  bool awaits_answer() const { return awaits_answer_; }
  void answered() { awaits_answer_ = false; }

  // The manager that waits for an answer; -1: none. Cost: none.
  int thief() const { return static_cast<int>(own_->load() >> kShift) - 1; }
  // Says that the thief is answered: the next may ask. Cost: 1 swap.
  void clear() const { rma::swap(request_, 0); }

 private:
  static constexpr int kShift = 32;

  const rma::RemotePtr<rma::Word> request_;
  const rma::Word* const own_;
  bool awaits_answer_ = false;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LIFELINES_H_
