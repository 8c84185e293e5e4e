#include "bench/tsp/tour.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

namespace magpie::tsp {
namespace {

uint64_t length_of(const Table& table, const Tour& tour) {
  uint64_t length = 0;
  for (size_t i = 0; i < table.n; ++i)
    length += table.distance[tour.cities[i]][tour.cities[(i + 1) % table.n]];
  return length;
}

// Reverses one part of the tour where that makes it shorter. False: no part
// does.
bool shorten(const Table& table, Tour* tour) {
  for (size_t i = 1; i + 1 < table.n; ++i) {
    for (size_t j = i + 1; j < table.n; ++j) {
      Tour turned = *tour;
      std::reverse(turned.cities.begin() + static_cast<ptrdiff_t>(i),
                   turned.cities.begin() + static_cast<ptrdiff_t>(j) + 1);
      turned.length = length_of(table, turned);
      if (turned.length < tour->length) {
        *tour = turned;
        return true;
      }
    }
  }
  return false;
}

}  // namespace

uint32_t Cities::distance(size_t a, size_t b) const {
  const double length = std::hypot(at[a].x - at[b].x, at[a].y - at[b].y);
  return static_cast<uint32_t>(length + 0.5);
}

Cities random_cities(int n, uint64_t seed) {
  std::mt19937_64 random(seed);
  Cities cities;
  cities.n = static_cast<uint64_t>(n);
  for (size_t i = 0; i < cities.n; ++i) {
    const auto x = static_cast<double>(random() % 1000);
    cities.at[i] = {x, static_cast<double>(random() % 1000)};
  }
  return cities;
}

void fill(const Cities& cities, Table* table) {
  table->n = cities.n;
  for (size_t a = 0; a < cities.n; ++a) {
    auto& distance = table->distance[a];
    auto& nearest = table->nearest[a];
    size_t others = 0;
    for (size_t b = 0; b < cities.n; ++b) {
      distance[b] = cities.distance(a, b);
      if (a != b) nearest[others++] = static_cast<uint8_t>(b);
    }
    std::stable_sort(
        nearest.begin(), nearest.begin() + static_cast<ptrdiff_t>(others),
        [&](uint8_t b, uint8_t c) { return distance[b] < distance[c]; });
    table->least[a] = distance[nearest[0]];
    table->two_least[a] = table->least[a] + distance[nearest[1]];
  }
}

bool is_tour(const Table& table, const Tour& tour) {
  uint64_t visited = 0;
  for (size_t i = 0; i < table.n; ++i) {
    if (tour.cities[i] >= table.n) return false;
    visited |= uint64_t{1} << tour.cities[i];
  }
  return tour.cities[0] == 0 && visited == ~uint64_t{0} >> (64 - table.n) &&
         length_of(table, tour) == tour.length;
}

Tour good_tour(const Table& table) {
  Path path = Path::start(table);
  while (path.count < table.n) {
    const auto& nearest = table.nearest[path.last()];
    path.go_to(table, *std::find_if(nearest.begin(), nearest.end(),
                                    [&](uint8_t c) { return !path.has(c); }));
  }
  Tour tour = {0, path.cities};
  tour.length = length_of(table, tour);
  while (shorten(table, &tour)) {
  }
  return tour;
}

// shortest[set][last] is the length of the shortest path from city 0 over all
// cities of the set, a set of the others, to one of them.
uint64_t shortest_length(const Table& table) {
  const size_t others = table.n - 1;
  const size_t sets = size_t{1} << others;
  constexpr uint32_t kNone = UINT32_MAX / 2;
  std::vector<uint32_t> shortest(sets * others, kNone);
  for (size_t i = 0; i < others; ++i)
    shortest[(size_t{1} << i) * others + i] = table.distance[0][i + 1];
  for (size_t set = 1; set < sets; ++set) {
    for (size_t last = 0; last < others; ++last) {
      const uint32_t length = shortest[set * others + last];
      if (length == kNone) continue;
      for (size_t next = 0; next < others; ++next) {
        if ((set >> next & 1) != 0) continue;
        uint32_t& known = shortest[(set | size_t{1} << next) * others + next];
        known = std::min(known, length + table.distance[last + 1][next + 1]);
      }
    }
  }
  uint64_t least = UINT64_MAX;
  for (size_t last = 0; last < others; ++last)
    least = std::min<uint64_t>(least, shortest[(sets - 1) * others + last] +
                                          table.distance[last + 1][0]);
  return least;
}

Path Path::start(const Table& table) {
  Path path;
  for (size_t city = 1; city < table.n; ++city)
    path.rest += table.two_least[city];
  return path;
}

}  // namespace magpie::tsp
