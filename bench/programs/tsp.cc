// tsp: the shortest tour through cities, by branch and bound
// (hybrid_glb_apgas18 §5). A task is the beginning of a tour. It adds a task
// for each city that may come next; when --cutoff cities or fewer are left, it
// searches the rest itself.
//
// All ranks begin with the length of a good tour. A rank that finds a shorter
// one tells all ranks its length (SharedMax); a search looks at it every so
// often, in its own rank's memory. The number of nodes that are searched
// depends on which rank finds what when; the length does not.

#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/tsp_tasks.h"

namespace magpie::bench {
namespace {

struct Extend {
  tsp::Path path;
  void operator()() const;
};

struct Tsp : TourSearch {
  static constexpr uint32_t kTaskBytes = sizeof(Extend);

  void operator()() const {
    merge(first_tour());
    add(Extend{start()});
  }
};

void Extend::operator()() const {
  merge(pool_root<Tsp>().extend(
      path, [](const tsp::Path& longer) { add(Extend{longer}); }));
}

}  // namespace

int tsp_main(CLI::App& app, int argc, char** argv) {
  Tsp root;
  TourFlags tour_flags(app, root);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  tour_flags.read();
  FoundTour found;
  return run_in_pool(arguments, tour_flags.params(), root, &found, [&] {
    return Answer{.result = tour_flags.result(found),
                  .mismatch = tour_flags.mismatch(found.tour, true)};
  });
}

const Program kProgram(
    "tsp", "Finds the shortest tour through cities, by branch and bound",
    tsp_main);

}  // namespace magpie::bench
