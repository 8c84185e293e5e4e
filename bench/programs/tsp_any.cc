// tsp_any: looks for the shortest tour through cities, as tsp.cc does, by tasks
// that may be cancelable; with --limit only until a tour of at most that length
// was found (hybrid_glb_apgas18 §5).

#include <cstdint>

#include "bench/pool_program.h"
#include "bench/programs/cancelable.h"
#include "bench/programs/tsp_tasks.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {
namespace {

struct FoundAnywhere {
  FoundTour found;
  uint64_t cancels = 0;

  void merge(const FoundAnywhere& other) {
    found.merge(other.found);
    cancels += other.cancels;
  }
};

struct ExtendAnywhere {
  tsp::Path path;
  void operator()() const;
};

struct TspAnywhere : Limited, TourSearch {
  static constexpr uint32_t kTaskBytes = sizeof(ExtendAnywhere);

  void operator()() const {
    finish_async_any([this] {
      merge_async_any(FoundAnywhere{.found = first_tour()});
      add_any(ExtendAnywhere{start()});
    });
  }
};

void ExtendAnywhere::operator()() const {
  const TspAnywhere& root = pool_root<TspAnywhere>();
  merge_async_any(
      FoundAnywhere{.found = root.extend(path, [&](const tsp::Path& longer) {
        root.add_any(ExtendAnywhere{longer});
      })});
  root.look_at_result<FoundAnywhere>([&](const FoundAnywhere& all) {
    return all.found.tour.length <= root.limit;
  });
}

Answer answer_of(const TspAnywhere& root, const TourFlags& tour_flags,
                 const FoundAnywhere& all) {
  const bool is_cancelled = all.cancels > 0;
  const uint64_t length = all.found.tour.length;
  Answer answer = {
      .result = tour_flags.result(all.found),
      .mismatch = tour_flags.mismatch(all.found.tour, !is_cancelled)};
  answer.result.emplace_back("cancelled", is_cancelled);
  if (answer.mismatch.empty() && is_cancelled)
    answer.mismatch =
        unless(length <= root.limit, "cancelled with a tour of length ", length,
               ", above ", root.limit);
  return answer;
}

}  // namespace

int tsp_any_main(CLI::App& app, int argc, char** argv) {
  TspAnywhere root;
  TourFlags tour_flags(app, root);
  root.add_options(app,
                   "cancel when a tour was found that is not longer than this "
                   "(implies --cancelable); 0: never",
                   1'000'000'000'000);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  tour_flags.read();
  const Fields params = root.read_options(tour_flags.params());
  FoundAnywhere all;
  return run_in_pool(arguments, params, root, &all,
                     [&] { return answer_of(root, tour_flags, all); });
}

const Program kProgram(
    "tsp_any", "Finds the shortest tour through cities, or one up to a limit",
    tsp_any_main);

}  // namespace magpie::bench
