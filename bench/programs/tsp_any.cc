// tsp_any: looks for the shortest tour through cities, as tsp.cc does, by tasks
// that may be cancelable; with --limit only until a tour of at most that length
// was found (hybrid_glb_apgas18 §5).

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "bench/pool_program.h"
#include "bench/programs/async_programs.h"
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

struct TspAnywhere {
  static constexpr uint32_t kTaskBytes = sizeof(ExtendAnywhere);

  TourSearch tours = {};
  // Length of a tour at which it stops; 0: no limit.
  uint64_t limit = 0;
  bool cancelable = false;
  ReducePeriod period = {};

  static size_t heap_bytes() { return TourSearch::heap_bytes(); }
  void prepare() { tours.prepare(); }

  void add(const tsp::Path& path) const {
    if (cancelable)
      cancelable_async_any(ExtendAnywhere{path});
    else
      async_any(ExtendAnywhere{path});
  }
  void operator()() const {
    finish_async_any([this] {
      merge_async_any(FoundAnywhere{.found = tours.first_tour()});
      add(tours.start());
    });
  }

  // Looks once in a while. It costs the same without a limit, as when the
  // paper's overhead is measured.
  void look_at_result() const {
    if (!cancelable || !period.is_over()) return;
    const uint64_t length = reduce_async_any<FoundAnywhere>().found.tour.length;
    if (length > limit || cancelled()) return;
    cancel_all_cancelable_async_any();
    merge_async_any(FoundAnywhere{.found = {}, .cancels = 1});
  }
};

void ExtendAnywhere::operator()() const {
  const TspAnywhere& root = pool_root<TspAnywhere>();
  merge_async_any(FoundAnywhere{
      .found = root.tours.extend(
          path, [&](const tsp::Path& longer) { root.add(longer); })});
  root.look_at_result();
}

Answer answer_of(const TspAnywhere& root, const TourFlags& tour_flags,
                 const FoundAnywhere& all) {
  const bool is_cancelled = all.cancels > 0;
  const uint64_t length = all.found.tour.length;
  Answer answer = {
      .result = tour_flags.result(all.found),
      .mismatch = tour_flags.mismatch(all.found.tour, !is_cancelled)};
  answer.result["cancelled"] = is_cancelled;
  if (answer.mismatch.empty() && is_cancelled && length > root.limit) {
    answer.mismatch = absl::StrCat("cancelled with a tour of length ", length,
                                   ", above ", root.limit);
  }
  return answer;
}

}  // namespace

int tsp_any_main(int argc, char** argv) {
  flags::App app("Finds the shortest tour through cities, or a short one.",
                 "tsp_any");
  TspAnywhere root;
  TourFlags tour_flags(app, root.tours);
  flags::add_switch(
      app, "--cancelable", root.cancelable,
      "make tasks cancelable, and look at the result during the run");
  flags::add_integer<uint64_t>(
      app, "--limit", root.limit,
      "cancel when a tour was found that is not longer than this (implies "
      "--cancelable); 0: never",
      0, 1'000'000'000'000);
  add_option(app, root.period);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  tour_flags.read();
  root.cancelable |= root.limit > 0;
  Json params = tour_flags.params();
  params.update({{"cancelable", root.cancelable},
                 {"limit", root.limit},
                 {"reduce_every_ms", root.period.milliseconds}});
  FoundAnywhere all;
  return run_in_pool(arguments, params, root, &all,
                     [&] { return answer_of(root, tour_flags, all); });
}

}  // namespace magpie::bench
