#include "bench/programs/tsp_tasks.h"

#include "absl/strings/str_cat.h"

namespace magpie::bench {
namespace {

// Shortest lengths for random cities, by tsp::shortest_length.
struct KnownLength {
  uint64_t cities, seed, length;
};
constexpr std::array<KnownLength, 6> kKnownLengths = {{{20, 1, 3533},
                                                       {20, 2, 4118},
                                                       {22, 1, 3954},
                                                       {22, 2, 4163},
                                                       {25, 1, 4430},
                                                       {25, 2, 4410}}};

}  // namespace

TourFlags::TourFlags(CLI::App& app, TourSearch& search) : search_(search) {
  flags::add_integer(app, "--cities", cities_,
                     "number of random cities; the paper: 25",
                     tsp::kFewestCities, tsp::kMostCities);
  flags::add_integer(app, "--seed", seed_, "seed of the random cities", 0,
                     1'000'000'000);
  flags::add_integer(app, "--cutoff", search.cutoff,
                     "the beginning of a tour with this number of "
                     "cities left, or fewer, is one task",
                     0, tsp::kMostCities);
}

void TourFlags::read() { search_.cities = tsp::random_cities(cities_, seed_); }

Fields TourFlags::params() const {
  return {{"cities", cities_}, {"seed", seed_}, {"cutoff", search_.cutoff}};
}

Fields TourFlags::result(const FoundTour& found) const {
  std::string tour;
  for (size_t i = 0; i < search_.cities.n; ++i)
    absl::StrAppend(&tour, i == 0 ? "" : "-", found.tour.cities[i] + 1);
  return {
      {"length", found.tour.length}, {"tour", tour}, {"nodes", found.nodes}};
}

// Returns nothing where the length is not known. For few cities it is computed
// again.
std::optional<uint64_t> TourFlags::known_length(const tsp::Table& table) const {
  if (table.n <= 16) return tsp::shortest_length(table);
  for (const KnownLength& known : kKnownLengths) {
    if (known.cities == table.n && known.seed == seed_) return known.length;
  }
  return std::nullopt;
}

std::string TourFlags::mismatch(const tsp::Tour& tour, bool is_shortest) const {
  tsp::Table table = {};
  tsp::fill(search_.cities, &table);
  if (!tsp::is_tour(table, tour))
    return absl::StrCat("this is no tour of length ", tour.length);
  if (!is_shortest) return "";
  const auto known = known_length(table);
  return unless(known.value_or(tour.length) == tour.length,
                "the shortest tour has length ", known.value_or(0));
}

}  // namespace magpie::bench
