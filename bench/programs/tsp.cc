// tsp: the shortest tour through cities, by branch and bound
// (hybrid_glb_apgas18 §5). A task is the beginning of a tour. It adds a task
// for each city that may come next; when --cutoff cities or fewer are left, it
// searches the rest itself.
//
// All ranks begin with the length of a good tour. A rank that finds a shorter
// one tells all ranks its length (SharedMax), which look at their own memory
// every so often. The number of nodes that are searched depends on
// which rank finds what when; the length does not.

#include <cstddef>
#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/programs.h"
#include "bench/programs/tsp_tasks.h"

namespace magpie::bench {
namespace {

struct Extend {
  tsp::Path path;
  void operator()() const;
};

struct Tsp {
  static constexpr uint32_t kTaskBytes = sizeof(Extend);

  TourSearch tours = {};

  static size_t heap_bytes() { return TourSearch::heap_bytes(); }
  void prepare() { tours.prepare(); }
  void operator()() const {
    merge(tours.first_tour());
    add(Extend{tours.start()});
  }
};

void Extend::operator()() const {
  merge(pool_root<Tsp>().tours.extend(
      path, [](const tsp::Path& longer) { add(Extend{longer}); }));
}

}  // namespace

int tsp_main(int argc, char** argv) {
  flags::App app("Finds the shortest tour through cities.", "tsp");
  Tsp root;
  TourFlags tour_flags(app, root.tours);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  tour_flags.read();
  FoundTour found;
  return run_in_pool(arguments, tour_flags.params(), root, &found, [&] {
    return Answer{.result = tour_flags.result(found),
                  .mismatch = tour_flags.mismatch(found.tour, true)};
  });
}

}  // namespace magpie::bench
