// The graph of lifelines, a cyclic hypercube over the places: which places a
// place asks when it has no tasks and random victims had none.
//
// A place's number is written with `dimension` digits of base `radix`. On the
// edge d a place asks the one whose d-th digit is the next smaller (after the
// smallest the greatest) of those that there are. So any place reaches place 0
// digit by digit, and is reached from there beginning with the highest digit:
// on the way no number is greater than the place's own, so each stands for a
// place. The graph is strongly connected, for any number of places.
//
// Source: hybrid_glb_apgas18 §2.2, which has it from GLB (X10).

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_GRAPH_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_GRAPH_H_

#include <algorithm>
#include <cstdint>

#include "common/rma/check.h"

namespace magpie::glb {

// A value.
class LifelineGraph {
 public:
  // Greatest number of digits.
  static constexpr int kMostEdges = 30;

  // REQUIRES: radix >= 2, 1 <= dimension <= kMostEdges, and radix^dimension
  // numbers are enough for the places.
  LifelineGraph(int places, int radix, int dimension)
      : places_(places), radix_(radix), dimension_(dimension) {
    check(reaches(places, radix, dimension), "more places than numbers");
  }

  static bool reaches(int places, int radix, int dimension) {
    int64_t numbers = 1;
    for (int d = 0; d < dimension && numbers < places; ++d) numbers *= radix;
    return numbers >= places;
  }
  // Smallest base in which `dimension` digits are enough.
  static int radix_for(int places, int dimension) {
    int radix = 2;
    while (!reaches(places, radix, dimension)) ++radix;
    return radix;
  }
  // Smallest number of digits that is enough in base `radix`. REQUIRES: radix
  // >= 2.
  static int dimension_for(int places, int radix) {
    int dimension = 1;
    while (!reaches(places, radix, dimension)) ++dimension;
    return dimension;
  }

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

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LIFELINE_GRAPH_H_
