// tsp: the shortest tour through cities, by branch and bound
// (hybrid_glb_apgas18 §5). A task is the beginning of a tour. It adds one for
// each city that may come next; when --cutoff cities or fewer are left, it goes
// through all that is to come itself.
//
// All begin with the length of a good tour. Whoever finds a shorter one brings
// its length to all ranks (bench/tsp/bound.h), which look at their own memory
// every so often. How many nodes are searched depends on who finds what when;
// the length does not.

#include <array>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/pool_program.h"
#include "bench/programs/pool_programs.h"
#include "bench/tsp/bound.h"
#include "bench/tsp/cities.h"
#include "bench/tsp/search.h"
#include "bench/tsp/tour.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// The beginning of a tour is looked at.
const rma::Cost kSearchNode("search_node");

// The shortest tour that a rank has found, and how many nodes it has searched.
struct Found {
  tsp::Tour tour;
  uint64_t nodes = 0;

  void merge(const Found& other) {
    tour.merge(other.tour);
    nodes += other.nodes;
  }
};

struct Extend {
  tsp::Path path;
  void operator()() const;
};

struct Tsp {
  static constexpr uint32_t kTaskBytes = sizeof(Extend);

  tsp::Cities cities;
  uint64_t cutoff = 15;
  // Of each rank.
  rma::RemotePtr<tsp::Table> table = {};
  tsp::Bound bound = {};

  static size_t heap_bytes() {
    return rma::allocated_bytes<tsp::Table>() + tsp::Bound::heap_bytes();
  }
  void prepare() {
    table = rma::allocate<tsp::Table>();
    tsp::fill(cities, table.local());
    bound = tsp::Bound(tsp::good_tour(*table.local()).length);
  }
  void operator()() const {
    merge(Found{.tour = tsp::good_tour(*table.local())});
    add(Extend{tsp::Path::start(*table.local())});
  }
};

// Goes through all that begins with a path.
void search(const Tsp& root, const tsp::Path& path) {
  Found found;
  tsp::Search(
      *root.table.local(),
      [&](uint64_t nodes) {
        found.nodes += nodes;
        rma::charge(kSearchNode, nodes);
        return root.bound.known();
      },
      [&](const tsp::Tour& tour) {
        found.tour = tour;
        root.bound.lower(tour.length);
      })
      .run(path);
  merge(found);
}

void Extend::operator()() const {
  const Tsp& root = pool_root<Tsp>();
  const tsp::Table& table = *root.table.local();
  if (table.n - path.count <= root.cutoff) return search(root, path);
  merge(Found{.tour = {}, .nodes = 1});
  rma::charge(kSearchNode);
  // The nearest is added last, so that it is the next to run here.
  std::array<uint8_t, tsp::kMostCities> next;
  size_t count = 0;
  path.for_each_next(table, [&](uint8_t city) { next[count++] = city; });
  const uint64_t best = root.bound.known();
  while (count > 0) {
    const uint8_t city = next[--count];
    if (!path.may_beat(table, city, best)) continue;
    Extend longer = *this;
    longer.path.go_to(table, city);
    add(longer);
  }
}

// ----------------------------------------------------------------- the answer

tsp::Cities read_file(const std::string& path) {
  std::ifstream file(path);
  tsp::Cities cities;
  const std::string wrong =
      file ? tsp::read_tsplib(file, &cities) : "it cannot be opened";
  if (!wrong.empty()) flags::die(absl::StrCat("--file=", path, ": ", wrong));
  return cities;
}

// Of random cities, by tsp::shortest_length.
struct KnownLength {
  uint64_t cities, seed, length;
};
constexpr std::array<KnownLength, 6> kKnownLengths = {{{20, 1, 3533},
                                                       {20, 2, 4118},
                                                       {22, 1, 3954},
                                                       {22, 2, 4163},
                                                       {25, 1, 4430},
                                                       {25, 2, 4410}}};

// Nothing where it is not known. That of few cities is computed again.
std::optional<uint64_t> known_length(const tsp::Table& table,
                                     std::optional<uint64_t> seed) {
  if (table.n <= 16) return tsp::shortest_length(table);
  for (const KnownLength& known : kKnownLengths) {
    if (known.cities == table.n && known.seed == seed) return known.length;
  }
  return std::nullopt;
}

// What is wrong with a tour, in words; the seed is that of random cities.
std::string mismatch_of(const tsp::Cities& cities, std::optional<uint64_t> seed,
                        const tsp::Tour& tour) {
  tsp::Table table = {};
  tsp::fill(cities, &table);
  if (!tsp::is_tour(table, tour))
    return absl::StrCat("this is no tour of length ", tour.length);
  const auto known = known_length(table, seed);
  return known.value_or(tour.length) == tour.length
             ? ""
             : absl::StrCat("the shortest tour has length ", *known);
}

Answer answer_of(const tsp::Cities& cities, std::optional<uint64_t> seed,
                 const Found& found) {
  std::string tour;
  for (size_t i = 0; i < cities.n; ++i)
    absl::StrAppend(&tour, i == 0 ? "" : "-", found.tour.cities[i] + 1);
  return {.result = {{"length", found.tour.length},
                     {"tour", tour},
                     {"nodes", found.nodes}},
          .mismatch = mismatch_of(cities, seed, found.tour)};
}

}  // namespace

int tsp_main(int argc, char** argv) {
  flags::App app("Finds the shortest tour through cities.", "tsp");
  int cities = 20;
  uint64_t seed = 2;
  std::string file;
  Tsp root;
  flags::add_integer<int>(app, "--cities", cities,
                          "how many, at random; the paper: 25",
                          tsp::kFewestCities, tsp::kMostCities);
  flags::add_integer<uint64_t>(app, "--seed", seed, "of random cities", 0,
                               1'000'000'000);
  flags::add_text(app, "--file", file,
                  "cities of a TSPLIB file, EUC_2D, instead");
  flags::add_integer<uint64_t>(
      app, "--cutoff", root.cutoff,
      "the beginning of a tour that leaves so many cities, or fewer, is one "
      "task",
      0, tsp::kMostCities);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  root.cities =
      file.empty() ? tsp::random_cities(cities, seed) : read_file(file);
  const auto seed_of_cities = file.empty() ? std::optional(seed) : std::nullopt;
  Json params = {{"cities", root.cities.n}};
  if (seed_of_cities)
    params["seed"] = seed;
  else
    params["file"] = file;
  params["cutoff"] = root.cutoff;
  Found found;
  return run_in_pool(arguments, params, root, &found, [&] {
    return answer_of(root.cities, seed_of_cities, found);
  });
}

}  // namespace magpie::bench
