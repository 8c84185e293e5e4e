#include <sstream>
#include <string>

#include "bench/tsp/tour.h"
#include "gtest/gtest.h"

namespace magpie::tsp {
namespace {

constexpr char kGood[] = R"(NAME : four
TYPE: TSP
COMMENT : on a square
DIMENSION : 4
EDGE_WEIGHT_TYPE : EUC_2D
NODE_COORD_SECTION
1 0 0
2 0.0e0 30
  3 40.5   30
4	40.5 0
EOF
)";

std::string read(const std::string& text, Cities* cities) {
  std::istringstream file(text);
  return read_tsplib(file, cities);
}

// The complaint on the good file with one part replaced.
std::string complaint(const std::string& from, const std::string& to) {
  std::string text = kGood;
  text.replace(text.find(from), from.size(), to);
  Cities cities;
  return read(text, &cities);
}

TEST(CitiesTest, ReadsTsplib) {
  Cities cities;
  EXPECT_EQ(read(kGood, &cities), "");
  ASSERT_EQ(cities.n, 4u);
  EXPECT_EQ(cities.at[2], (City{40.5, 30}));
  EXPECT_EQ(cities.distance(0, 1), 30u);
  // 40.5 is rounded up, and 50.4 down.
  EXPECT_EQ(cities.distance(0, 3), 41u);
  EXPECT_EQ(cities.distance(0, 2), 50u);
  EXPECT_EQ(cities.distance(2, 2), 0u);
}

TEST(CitiesTest, EndsWithoutEof) { EXPECT_EQ(complaint("EOF\n", ""), ""); }

TEST(CitiesTest, RefusesOthers) {
  EXPECT_EQ(complaint("TYPE: TSP", "TYPE: ATSP"), "TYPE is ATSP, not TSP");
  EXPECT_EQ(complaint("EUC_2D", "GEO"), "EDGE_WEIGHT_TYPE is GEO, not EUC_2D");
  EXPECT_EQ(complaint("DIMENSION : 4", "DIMENSION : 65"),
            "DIMENSION is 65, not 3 to 64");
  EXPECT_EQ(complaint("DIMENSION : 4", "DIMENSION : many"),
            "DIMENSION is many, not 3 to 64");
  EXPECT_EQ(complaint("DIMENSION : 4", "DIMENSION : 5"),
            "it has 4 cities of 5");
  EXPECT_EQ(complaint("4\t40.5 0\nEOF\n", ""), "it has 3 cities of 4");
  EXPECT_EQ(complaint("2 0.0e0 30", "2 0.0e0"),
            "must be the number and two coordinates of city 2: 2 0.0e0");
  EXPECT_EQ(complaint("2 0.0e0 30", "3 0 30"),
            "must be the number and two coordinates of city 2: 3 0 30");
  EXPECT_EQ(complaint("2 0.0e0 30", "2 nan 30"),
            "must be the number and two coordinates of city 2: 2 nan 30");
  EXPECT_EQ(complaint("2 0.0e0 30", "2 1e300 30"),
            "must be the number and two coordinates of city 2: 2 1e300 30");
  const std::string lacking =
      "it must have DIMENSION, EDGE_WEIGHT_TYPE and NODE_COORD_SECTION";
  EXPECT_EQ(complaint("DIMENSION : 4\n", ""), lacking);
  EXPECT_EQ(complaint("EDGE_WEIGHT_TYPE : EUC_2D\n", ""), lacking);
  Cities cities;
  EXPECT_EQ(read("", &cities), lacking);
}

TEST(CitiesTest, RandomOnesAreTheSameAgain) {
  const Cities a = random_cities(64, 1), b = random_cities(64, 1),
               c = random_cities(64, 2);
  EXPECT_EQ(a.at, b.at);
  EXPECT_NE(a.at, c.at);
  for (const City& city : a.at) {
    EXPECT_GE(city.x, 0);
    EXPECT_LE(city.x, 999);
    EXPECT_GE(city.y, 0);
    EXPECT_LE(city.y, 999);
  }
}

}  // namespace
}  // namespace magpie::tsp
