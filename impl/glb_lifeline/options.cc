#include "impl/glb_lifeline/options.h"

#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "impl/glb_lifeline/lifelines.h"

namespace magpie::glb {
namespace {

// Radix where neither flag is given: with it the paper's 12 places get 2
// digits, as in its system.
constexpr int kUsualRadix = 4;

bool reaches(int places, int radix, int dimension) {
  int64_t numbers = 1;
  for (int d = 0; d < dimension && numbers < places; ++d) numbers *= radix;
  return numbers >= places;
}
// Smallest base in which `dimension` digits are enough.
int radix_for(int places, int dimension) {
  int radix = 2;
  while (!reaches(places, radix, dimension)) ++radix;
  return radix;
}
// Smallest number of digits that is enough in base `radix`. REQUIRES: radix
// >= 2.
int dimension_for(int places, int radix) {
  int dimension = 1;
  while (!reaches(places, radix, dimension)) ++dimension;
  return dimension;
}

}  // namespace

bool Options::asks() const {
  return steal_by == StealBy::kAsking ||
         (steal_by == StealBy::kAuto && rma::self().poll_at_spawn);
}

size_t Options::most_edges() const {
  if (lifeline_dimension > 0) return static_cast<size_t>(lifeline_dimension);
  const int radix = lifeline_radix > 1 ? lifeline_radix : kUsualRadix;
  return static_cast<size_t>(
      dimension_for(std::numeric_limits<int>::max(), radix));
}

LifelineGraph Options::graph(int places) const {
  int radix = lifeline_radix, dimension = lifeline_dimension;
  if (radix == 0) {
    radix = dimension == 0 ? kUsualRadix : radix_for(places, dimension);
  }
  if (dimension == 0) dimension = dimension_for(places, radix);
  if (!reaches(places, radix, dimension)) {
    rma::fatal(absl::StrCat("--lifeline_radix=", radix,
                            " and --lifeline_dimension=", dimension,
                            " tell fewer than ", places,
                            " places apart; with that dimension the "
                            "radix is at least ",
                            radix_for(places, dimension)));
  }
  return LifelineGraph(places, radix, dimension);
}

void require_base(const Options& options) {
  if (options.lifeline_radix != 1) return;
  flags::die(
      "--lifeline_radix=1: allowed: 2 to 1073741824, or 0 for as needed");
}

void add_options(CLI::App& app, Options& options) {
  flags::add_integer(
      app, "--random_victims", options.random_victims,
      "w: number of random places that a place without tasks tries before it "
      "asks on its lifelines; at most all others",
      0, 1 << 10);
  flags::add_integer(app, "--lifeline_radix", options.lifeline_radix,
                     "l: the base in which places are numbered; by default 4, "
                     "or what --lifeline_dimension needs",
                     0, 1 << 30);
  flags::add_integer(app, "--lifeline_dimension", options.lifeline_dimension,
                     "z: number of digits of a place's number, and largest "
                     "number of its lifelines; by default as many as needed",
                     0, LifelineGraph::kMostEdges);
  flags::add_bytes(
      app, "--loot_bytes", options.loot_bytes,
      "memory for the tasks that are sent to another place at once", 1,
      1ull << 30);
  flags::add_integer(app, "--tasks_per_step", options.tasks_per_step,
                     "n: number of tasks that a rank which is a place by "
                     "itself runs before it looks for requests of others",
                     1, 1 << 30);
}

void add_place_options(CLI::App& app, Options& options) {
  flags::add_integer(app, "--workers_per_place", options.workers_per_place,
                     "number of ranks of a place that run tasks, beside the "
                     "one that manages it; by default all others of the node",
                     0, 1 << 20);
  static constexpr std::array kWays = {"auto", "pulling", "asking"};
  flags::add_choice(app, "--steal_by", options.steal_by,
                    "how a place gets tasks of a random victim: it takes them, "
                    "or it asks the victim's manager; auto: it takes them if "
                    "the network does that without the victim",
                    kWays);
  flags::add_integer(app, "--period_us", options.period_us,
                     "longest time that a manager rests between two looks at "
                     "its place, in microseconds",
                     uint64_t{1}, uint64_t{10'000'000});
}

}  // namespace magpie::glb
