#include "bench/tsp/tour.h"

#include <algorithm>

#include "gtest/gtest.h"

namespace magpie::tsp {
namespace {

Table table_of(const Cities& cities) {
  Table table = {};
  fill(cities, &table);
  return table;
}

// The tour that the search finds when it begins with a bound.
Tour search(const Table& table, uint64_t bound, uint64_t* nodes) {
  Tour best;
  Search(
      table,
      [&](uint64_t more) {
        *nodes += more;
        return bound;
      },
      [&](const Tour& tour) {
        EXPECT_LT(tour.length, best.length);
        EXPECT_TRUE(is_tour(table, tour));
        best = tour;
      })
      .run(Path::start(table));
  return best;
}

TEST(CitiesTest, DistancesAreRounded) {
  const Cities cities = {.n = 3, .at = {{{0, 0}, {40.5, 0}, {40.5, 30}}}};
  EXPECT_EQ(cities.distance(0, 1), 41u);
  // 50.4.
  EXPECT_EQ(cities.distance(0, 2), 50u);
  EXPECT_EQ(cities.distance(2, 2), 0u);
}

TEST(TourTest, SearchFindsTheShortest) {
  for (int n = kFewestCities; n <= 12; ++n) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const Table table = table_of(random_cities(n, seed));
      const uint64_t known = shortest_length(table);
      uint64_t nodes = 0, with_bound = 0;
      EXPECT_EQ(search(table, UINT64_MAX, &nodes).length, known);
      EXPECT_EQ(search(table, known + 1, &with_bound).length, known);
      EXPECT_LE(with_bound, nodes);
      // No tour is shorter.
      EXPECT_EQ(search(table, known, &with_bound).length, UINT64_MAX);
    }
  }
}

// Many cities in one place, and all in a line: distances of 0, and of one size.
TEST(TourTest, CitiesInOnePlace) {
  Cities cities = {.n = 9, .at = {}};
  uint64_t nodes = 0;
  EXPECT_EQ(search(table_of(cities), UINT64_MAX, &nodes).length, 0u);
  for (size_t i = 0; i < cities.n; ++i)
    cities.at[i].x = static_cast<double>(10 * i);
  EXPECT_EQ(search(table_of(cities), UINT64_MAX, &nodes).length, 160u);
}

TEST(TourTest, GoodTour) {
  for (const int n : {3, 4, 12, kMostCities}) {
    const Table table = table_of(random_cities(n, 3));
    const Tour tour = good_tour(table);
    EXPECT_TRUE(is_tour(table, tour));
    if (n <= 12) {
      EXPECT_GE(tour.length, shortest_length(table));
      EXPECT_LE(tour.length, shortest_length(table) * 5 / 4);
    }
  }
}

TEST(TourTest, IsTour) {
  const Table table = table_of(random_cities(5, 1));
  const Tour good = good_tour(table);
  Tour longer = good, twice = good, turned = good;
  ++longer.length;
  twice.cities[1] = twice.cities[2];
  std::rotate(turned.cities.begin(), turned.cities.begin() + 1,
              turned.cities.begin() + 5);
  EXPECT_FALSE(is_tour(table, longer));
  EXPECT_FALSE(is_tour(table, twice));
  EXPECT_FALSE(is_tour(table, turned));
}

}  // namespace
}  // namespace magpie::tsp
