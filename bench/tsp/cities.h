// Cities of a travelling salesman: random ones, or those of a TSPLIB file.

#ifndef MAGPIE_BENCH_TSP_CITIES_H_
#define MAGPIE_BENCH_TSP_CITIES_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <string>

namespace magpie::tsp {

// Bounds of the number of cities. A set of cities fits into a 64-bit word.
inline constexpr int kFewestCities = 3, kMostCities = 64;

struct City {
  double x, y;
  friend bool operator==(const City&, const City&) = default;
};

struct Cities {
  uint64_t n = 0;
  std::array<City, kMostCities> at = {};

  // TSPLIB's EUC_2D: the Euclidean distance, rounded to a whole number.
  uint32_t distance(size_t a, size_t b) const;
};

// Cities at whole coordinates from 0 to 999. REQUIRES: 0 <= n <= kMostCities.
Cities random_cities(int n, uint64_t seed);

// Reads a TSPLIB file: type TSP, edge weights EUC_2D. Returns what is wrong
// with it, in words; empty where *cities is set.
std::string read_tsplib(std::istream& file, Cities* cities);

}  // namespace magpie::tsp

#endif  // MAGPIE_BENCH_TSP_CITIES_H_
