// The flags of the lifeline pools.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_OPTIONS_H_
#define MAGPIE_IMPL_GLB_LIFELINE_OPTIONS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace CLI {
class App;
}

namespace magpie::glb {

class LifelineGraph;

// Way in which a place gets tasks of a random victim's: it takes them itself,
// one-sided; or it asks, and the victim's manager sends them.
enum class StealBy : uint8_t { kAuto, kPulling, kAsking };

struct Options {
  // Ranks of a place that run tasks; 0: as many as the node has, but one.
  int workers_per_place = 0;
  StealBy steal_by = StealBy::kAuto;
  // w of the paper; fewer where there are fewer other places.
  int random_victims = 6;
  // l and z of the paper; 0: what the number of places asks for.
  int lifeline_radix = 0;
  int lifeline_dimension = 0;
  uint64_t loot_bytes = 16 << 10;
  // n of the paper.
  int tasks_per_step = 1;
  uint64_t period_us = 10'000;

  template <typename Task>
  size_t loot() const {
    return std::max<size_t>(loot_bytes / sizeof(Task), 1);
  }
  // Whether a manager asks.
  bool asks() const;
  // Lifelines between `places` places. Prints an error and ends the job where
  // radix and dimension do not tell so many apart.
  LifelineGraph graph(int places) const;
  // Most edges that a place has, whatever the number of places.
  size_t most_edges() const;
};

// The flags of all lifeline pools; and those of pools whose places have several
// ranks.
void add_options(CLI::App& app, Options& options);
void add_place_options(CLI::App& app, Options& options);

// Ends the process with status 2 and one line where --lifeline_radix is 1.
void require_base(const Options& options);

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_OPTIONS_H_
