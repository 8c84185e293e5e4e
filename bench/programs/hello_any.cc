// hello_any: n tasks, each of which tells at which place it was run
// (hybrid_glb_apgas18 Listing 1). They tell it by merging, and the program
// prints how many ran at each place.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "bench/pool_program.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {
namespace {

// Number of tasks that ran at each place; places from the last one on are
// counted as one.
struct Hellos {
  static constexpr int kMostPlaces = 256;

  std::array<uint64_t, kMostPlaces> at = {};
  int64_t places = 0;

  void merge(const Hellos& other) {
    for (size_t i = 0; i < at.size(); ++i) at[i] += other.at[i];
    places = std::max(places, other.places);
  }
};

void say_hello() {
  Hellos hello;
  ++hello.at[static_cast<size_t>(std::min(here(), Hellos::kMostPlaces - 1))];
  merge_async_any(hello);
}

}  // namespace

int hello_any_main(CLI::App& app, int argc, char** argv) {
  int64_t n = 1000;
  flags::add_integer(app, "--n", n, "number of tasks", 1, 1'000'000'000);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  Hellos hellos;
  return run_in_pool(
      arguments, {{"n", n}},
      [n] {
        finish_async_any([n] {
          merge_async_any(Hellos{.places = places()});
          for (int64_t i = 0; i < n; ++i) async_any([] { say_hello(); });
        });
      },
      &hellos,
      [&] {
        const auto end = hellos.at.begin() +
                         std::min<int64_t>(hellos.places, Hellos::kMostPlaces);
        uint64_t tasks = 0;
        for (const uint64_t count : hellos.at) tasks += count;
        const std::vector<uint64_t> at(hellos.at.begin(), end);
        return Answer{.result = {{"tasks", tasks},
                                 {"places", hellos.places},
                                 {"tasks_at", at}},
                      .mismatch = unless(tasks == static_cast<uint64_t>(n),
                                         "there are ", n, " tasks")};
      });
}

const Program kProgram("hello_any", "Counts the tasks that run at each place",
                       hello_any_main);

}  // namespace magpie::bench
