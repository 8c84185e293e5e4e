// Random cities of a travelling salesman; a tour to begin with, the least
// length of a tour that begins with given cities, and the shortest tour, by
// branch and bound and by dynamic programming.

#ifndef MAGPIE_BENCH_TSP_TOUR_H_
#define MAGPIE_BENCH_TSP_TOUR_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace magpie::tsp {

// Bounds of the number of cities. A set of cities fits into a 64-bit word.
inline constexpr int kFewestCities = 3, kMostCities = 64;

struct City {
  double x, y;
};

struct Cities {
  uint64_t n = 0;
  std::array<City, kMostCities> at = {};

  // The Euclidean distance, rounded to a whole number (TSPLIB's EUC_2D).
  uint32_t distance(size_t a, size_t b) const;
};

// Cities at whole coordinates from 0 to 999. REQUIRES: 0 <= n <= kMostCities.
Cities random_cities(int n, uint64_t seed);

// All distances, and what the search derives from them.
struct Table {
  template <typename T>
  using Matrix = std::array<std::array<T, kMostCities>, kMostCities>;

  uint64_t n;
  Matrix<uint32_t> distance;
  // For each city: the others, the nearest first.
  Matrix<uint8_t> nearest;
  // For each city: the distance to the nearest other; the sum of those to the
  // two nearest.
  std::array<uint32_t, kMostCities> least, two_least;
};

// REQUIRES: cities.n is from kFewestCities to kMostCities.
void fill(const Cities& cities, Table* table);

// The first n cities, in the order of the tour.
struct Tour {
  uint64_t length = UINT64_MAX;
  std::array<uint8_t, kMostCities> cities = {};

  // Keeps the shorter one.
  void merge(const Tour& other) {
    if (other.length < length) *this = other;
  }
};

// Whether the tour visits each city once, beginning with the first, and has the
// length that it says.
bool is_tour(const Table& table, const Tour& tour);

// Makes a tour by always going to the nearest city, and then reversing parts of
// the tour as long as that makes it shorter (2-opt).
Tour good_tour(const Table& table);

// The length of the shortest tour. Held and Karp 1962. REQUIRES: n <= 20.
// Cost: n^2 2^n.
uint64_t shortest_length(const Table& table);

// The beginning of a tour, from city 0.
struct Path {
  uint64_t visited = 1;
  uint64_t length = 0;
  // Sum of two_least over all cities that are not visited.
  uint64_t rest = 0;
  uint64_t count = 1;
  std::array<uint8_t, kMostCities> cities = {};

  static Path start(const Table& table);

  uint8_t last() const { return cities[count - 1]; }
  bool has(uint8_t city) const { return (visited >> city & 1) != 0; }
  void go_to(const Table& table, uint8_t city);
  void go_back(const Table& table);

  // Whether a tour that goes on from here with `city` may be shorter than
  // `best`. Each city that is left needs two edges, both ends of the path need
  // one, and an edge has two cities: so the rest of the tour is at least half
  // the sum of the least edges.
  bool may_beat(const Table& table, uint8_t city, uint64_t best) const;

  // Calls visit(city) with each city that the tour may go to next, the nearest
  // first. Of a tour and its reverse, only the one in which city 1 comes before
  // city 2 is looked for.
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
  // Unused places are 0, so that equal paths have equal bytes.
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

// Branch and bound below the beginning of a tour, by one rank: goes depth
// first through all tours that may be shorter than the shortest
// known one.
//
//   look(nodes)    Called after each kLook nodes or fewer, and at the end:
//                  returns the length of the shortest tour that others know.
//   found(tour)    Called with each tour that is shorter than all before it.
template <typename Look, typename Found>
class Search {
 public:
  static constexpr uint64_t kLook = 256;

  Search(const Table& table, Look look, Found found)
      : table_(table), look_(look), found_(found) {}

  void run(const Path& path) {
    path_ = path;
    best_ = look_(0);
    visit();
    look_(nodes_);
  }

 private:
  void visit() {
    if (++nodes_ == kLook) {
      best_ = std::min(best_, look_(nodes_));
      nodes_ = 0;
    }
    if (path_.count == table_.n) return close();
    path_.for_each_next(table_, [this](uint8_t city) {
      if (!path_.may_beat(table_, city, best_)) return;
      path_.go_to(table_, city);
      visit();
      path_.go_back(table_);
    });
  }

  void close() {
    const uint64_t length = path_.length + table_.distance[path_.last()][0];
    if (length >= best_) return;
    best_ = length;
    found_(Tour{length, path_.cities});
  }

  const Table& table_;
  Look look_;
  Found found_;
  Path path_ = {};
  uint64_t best_ = 0;
  // Nodes since the last look.
  uint64_t nodes_ = 0;
};

}  // namespace magpie::tsp

#endif  // MAGPIE_BENCH_TSP_TOUR_H_
