#include "bench/bc/rmat.h"

#include <algorithm>

namespace magpie::bc {
namespace {

// A probability as a share of 2^32.
constexpr uint32_t share(double probability) {
  return static_cast<uint32_t>(probability * 4294967296.0);
}
constexpr uint32_t kUpperLeft = share(0.55), kUpper = share(0.65),
                   kNotLowerRight = share(0.75);

// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
uint64_t next_random(uint64_t* state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

// Adds a bit to both ends of the edge, chosen by 32 random bits.
Edge into_quarter(Edge edge, uint32_t random) {
  const bool lower = random >= kUpper;
  const bool right = lower ? random >= kNotLowerRight : random >= kUpperLeft;
  return {2 * edge.from + (lower ? 1u : 0u), 2 * edge.to + (right ? 1u : 0u)};
}

}  // namespace

Edge Rmat::edge(uint64_t number) const {
  uint64_t state = seed;
  state = next_random(&state) + number;
  state = next_random(&state);
  Edge edge = {0, 0};
  for (int level = 0; level < scale; level += 2) {
    const uint64_t random = next_random(&state);
    edge = into_quarter(edge, static_cast<uint32_t>(random));
    if (level + 1 < scale)
      edge = into_quarter(edge, static_cast<uint32_t>(random >> 32));
  }
  return edge;
}

void Rmat::fill(std::span<uint32_t> rows, std::span<uint32_t> targets) const {
  std::fill(rows.begin(), rows.end(), 0);
  for (size_t i = 0; i < edges(); ++i) ++rows[edge(i).from];
  // Sets the end of each row, which becomes its begin as its edges are put.
  uint32_t end = 0;
  for (uint32_t& row : rows) row = end += row;
  for (size_t i = 0; i < edges(); ++i) {
    const Edge e = edge(i);
    targets[--rows[e.from]] = e.to;
  }
}

}  // namespace magpie::bc
