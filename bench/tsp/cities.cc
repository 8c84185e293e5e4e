#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "bench/tsp/tour.h"

namespace magpie::tsp {
namespace {

// Greatest coordinate: beyond it, the distances of a tour of kMostCities could
// not be added up.
constexpr double kFarthest = 1e7;

struct Field {
  absl::string_view key, value;
};

// Parses "KEY: value", "KEY : value" or "KEY".
Field field_of(absl::string_view line) {
  const size_t colon = line.find(':');
  if (colon == absl::string_view::npos) return {line, ""};
  return {absl::StripAsciiWhitespace(line.substr(0, colon)),
          absl::StripAsciiWhitespace(line.substr(colon + 1))};
}

std::string take_header(const Field& field, int* n) {
  if (field.key == "TYPE" && field.value != "TSP")
    return absl::StrCat("TYPE is ", field.value, ", not TSP");
  if (field.key == "EDGE_WEIGHT_TYPE" && field.value != "EUC_2D")
    return absl::StrCat("EDGE_WEIGHT_TYPE is ", field.value, ", not EUC_2D");
  if (field.key == "DIMENSION" && (!absl::SimpleAtoi(field.value, n) ||
                                   *n < kFewestCities || *n > kMostCities))
    return absl::StrCat("DIMENSION is ", field.value, ", not ", kFewestCities,
                        " to ", kMostCities);
  return "";
}

// Parses "3 12.5 7": the city with number `number`, from 1.
std::string take_city(absl::string_view line, int number, City* city) {
  const std::vector<absl::string_view> words =
      absl::StrSplit(line, absl::ByAnyChar(" \t"), absl::SkipEmpty());
  int said = 0;
  const bool is_city = words.size() == 3 && absl::SimpleAtoi(words[0], &said) &&
                       said == number && absl::SimpleAtod(words[1], &city->x) &&
                       absl::SimpleAtod(words[2], &city->y) &&
                       std::abs(city->x) <= kFarthest &&
                       std::abs(city->y) <= kFarthest;
  if (is_city) return "";
  return absl::StrCat("must be the number and two coordinates of city ", number,
                      ": ", line);
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

std::string read_tsplib(std::istream& file, Cities* cities) {
  int n = 0, read = 0;
  bool in_header = true, has_weights = false;
  *cities = {};
  for (std::string whole; std::getline(file, whole);) {
    const absl::string_view line = absl::StripAsciiWhitespace(whole);
    if (line.empty()) continue;
    if (line == "EOF" || (!in_header && read == n)) break;
    std::string wrong;
    if (!in_header) {
      wrong = take_city(line, read + 1, &cities->at[static_cast<size_t>(read)]);
      ++read;
    } else {
      const Field field = field_of(line);
      wrong = take_header(field, &n);
      has_weights |= field.key == "EDGE_WEIGHT_TYPE";
      in_header = field.key != "NODE_COORD_SECTION";
    }
    if (!wrong.empty()) return wrong;
  }
  if (n == 0 || !has_weights || in_header)
    return "it must have DIMENSION, EDGE_WEIGHT_TYPE and NODE_COORD_SECTION";
  if (read < n) return absl::StrCat("it has ", read, " cities of ", n);
  cities->n = static_cast<uint64_t>(n);
  return "";
}

}  // namespace magpie::tsp
