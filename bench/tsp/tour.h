// Tours of a travelling salesman: distances, a tour to begin with, how long a
// tour can be at least that begins with given cities, and the shortest one by
// dynamic programming.

#ifndef MAGPIE_BENCH_TSP_TOUR_H_
#define MAGPIE_BENCH_TSP_TOUR_H_

#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/tsp/cities.h"

namespace magpie::tsp {

// All distances, and what the search asks of them.
struct Table {
  template <typename T>
  using Matrix = std::array<std::array<T, kMostCities>, kMostCities>;

  uint64_t n;
  Matrix<uint32_t> distance;
  // Of each city: the others, the nearest first.
  Matrix<uint8_t> nearest;
  // The distance of the nearest one; of the two nearest, added up.
  std::array<uint32_t, kMostCities> least, two_least;
};

// REQUIRES: cities.n is from kFewestCities to kMostCities.
void fill(const Cities& cities, Table* table);

// The first n cities in an order.
struct Tour {
  uint64_t length = UINT64_MAX;
  std::array<uint8_t, kMostCities> cities = {};

  // Keeps the shorter one.
  void merge(const Tour& other) {
    if (other.length < length) *this = other;
  }
};

// Whether it visits each city once, beginning with the first, and is as long as
// it says.
bool is_tour(const Table& table, const Tour& tour);

// By always going to the nearest city, and then turning round parts of the tour
// as long as that makes it shorter (2-opt).
Tour good_tour(const Table& table);

// The length of the shortest. Held and Karp 1962. REQUIRES: n <= 20.
// Cost: n^2 2^n.
uint64_t shortest_length(const Table& table);

// The beginning of a tour, from city 0.
struct Path {
  uint64_t visited = 1;
  uint64_t length = 0;
  // Of all cities that are not visited, two_least.
  uint64_t rest = 0;
  uint64_t count = 1;
  std::array<uint8_t, kMostCities> cities = {};

  static Path start(const Table& table);

  uint8_t last() const { return cities[count - 1]; }
  bool has(uint8_t city) const { return (visited >> city & 1) != 0; }
  void go_to(const Table& table, uint8_t city);
  void go_back(const Table& table);

  // Whether a tour that goes on from here with `city` may be shorter than
  // `best`. Each city that is left needs two edges, both ends of the path one,
  // and an edge has two cities: so what is to come is at least half the sum of
  // the least.
  bool may_beat(const Table& table, uint8_t city, uint64_t best) const;

  // Calls visit(city) with each city that the tour may go to next, the nearest
  // first. Of a tour and the same backwards only that is looked for where city
  // 1 comes before city 2.
  template <typename Visit>
  void for_each_next(const Table& table, Visit visit) const {
    const auto& nearest = table.nearest[last()];
    for (size_t i = 0; i + 1 < table.n; ++i) {
      const uint8_t city = nearest[i];
      if (!has(city) && (city != 2 || has(1))) visit(city);
    }
  }
};

inline void Path::go_to(const Table& table, uint8_t city) {
  length += table.distance[last()][city];
  rest -= table.two_least[city];
  visited |= uint64_t{1} << city;
  cities[count++] = city;
}

inline void Path::go_back(const Table& table) {
  const uint8_t city = last();
  // What is not in use is 0, so that equal paths have equal bytes.
  cities[--count] = 0;
  visited &= ~(uint64_t{1} << city);
  rest += table.two_least[city];
  length -= table.distance[last()][city];
}

inline bool Path::may_beat(const Table& table, uint8_t city,
                           uint64_t best) const {
  const uint64_t twice = 2 * (length + table.distance[last()][city]) + rest -
                         table.two_least[city] + table.least[city] +
                         table.least[0];
  return (twice + 1) / 2 < best;
}

}  // namespace magpie::tsp

#endif  // MAGPIE_BENCH_TSP_TOUR_H_
