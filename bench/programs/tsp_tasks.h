// Parts of the programs that look for the shortest tour: their tasks, which are
// beginnings of tours, and the answer.

#ifndef MAGPIE_BENCH_PROGRAMS_TSP_TASKS_H_
#define MAGPIE_BENCH_PROGRAMS_TSP_TASKS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "bench/any_program.h"
#include "bench/tsp/tour.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/shared_max.h"

namespace magpie::bench {

// Looking at the beginning of a tour.
inline const rma::Cost kSearchNode("tsp_node");

// The shortest tour that a rank has found, and the number of nodes that it has
// searched.
struct FoundTour {
  tsp::Tour tour;
  uint64_t nodes = 0;

  void merge(const FoundTour& other) {
    tour.merge(other.tour);
    nodes += other.nodes;
  }
};

// A base of the root.
struct TourSearch {
  tsp::Cities cities;
  uint64_t cutoff = 15;
  // Each rank has one.
  rma::RemotePtr<tsp::Table> table = {};
  // Minus the length of the shortest tour that is known.
  SharedMax bound = {};

  static size_t heap_bytes() {
    return rma::allocated_bytes<tsp::Table>() + SharedMax::heap_bytes();
  }
  void prepare() {
    table = rma::allocate<tsp::Table>();
    tsp::fill(cities, table.local());
    bound.allocate(-static_cast<int64_t>(first_tour().tour.length));
  }

  // The tour that the root begins with.
  FoundTour first_tour() const {
    return {.tour = tsp::good_tour(*table.local())};
  }
  tsp::Path start() const { return tsp::Path::start(*table.local()); }

  // Does the work of the task that has `path`: calls add(longer) for each
  // longer path that is to be a task, and returns what it has found by itself.
  template <typename Add>
  FoundTour extend(const tsp::Path& path, Add add) const {
    if (table.local()->n - path.count <= cutoff) return search(path);
    rma::charge(kSearchNode);
    branch(path, add);
    return {.tour = {}, .nodes = 1};
  }

 private:
  uint64_t shortest_known() const {
    return static_cast<uint64_t>(-bound.get());
  }

  // Searches all tours that begin with `path`.
  FoundTour search(const tsp::Path& path) const {
    FoundTour found;
    tsp::Search(
        *table.local(),
        [&](uint64_t nodes) {
          found.nodes += nodes;
          rma::charge(kSearchNode, nodes);
          return shortest_known();
        },
        [&](const tsp::Tour& tour) {
          found.tour = tour;
          bound.raise(-static_cast<int64_t>(tour.length));
        })
        .run(path);
    return found;
  }

  template <typename Add>
  void branch(const tsp::Path& path, Add add) const {
    // The nearest is added last, so that it is the next to run here.
    std::array<uint8_t, tsp::kMostCities> next;
    size_t count = 0;
    path.for_each_next(*table.local(),
                       [&](uint8_t city) { next[count++] = city; });
    const uint64_t best = shortest_known();
    while (count > 0) {
      const uint8_t city = next[--count];
      if (!path.may_beat(*table.local(), city, best)) continue;
      tsp::Path longer = path;
      longer.go_to(*table.local(), city);
      add(longer);
    }
  }
};

// Flags that choose the cities, and the part of the search that is one task.
class TourFlags {
 public:
  TourFlags(CLI::App& app, TourSearch& search);

  // To be called when the flags have been parsed: fills search.cities.
  void read();
  // The parameters that --json shows.
  Fields params() const;
  Fields result(const FoundTour& found) const;
  // Text that says what is wrong with a tour: it is no tour; or, where it
  // should be the shortest, the shortest is known to have another length.
  std::string mismatch(const tsp::Tour& tour, bool is_shortest) const;

 private:
  std::optional<uint64_t> known_length(const tsp::Table& table) const;

  TourSearch& search_;
  int cities_ = 20;
  uint64_t seed_ = 2;
};

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_TSP_TASKS_H_
