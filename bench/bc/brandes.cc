#include "bench/bc/brandes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace magpie::bc {
namespace {

constexpr uint32_t kFar = std::numeric_limits<uint32_t>::max();

}  // namespace

Brandes::Brandes(const Graph& graph)
    : graph_(graph),
      sums_(graph.vertices()),
      distance_(graph.vertices(), kFar),
      paths_(graph.vertices()),
      dependency_(graph.vertices()) {
  reached_.reserve(graph.vertices());
}

uint64_t Brandes::add_source(uint32_t source) {
  const uint64_t edges = search(source);
  accumulate(source);
  return 2 * edges;
}

uint64_t Brandes::search(uint32_t source) {
  uint64_t edges = 0;
  reached_.assign(1, source);
  distance_[source] = 0;
  paths_[source] = 1;
  for (size_t i = 0; i < reached_.size(); ++i) {
    const uint32_t v = reached_[i];
    const auto targets = graph_.targets_of(v);
    edges += targets.size();
    for (const uint32_t w : targets) {
      if (distance_[w] == kFar) {
        distance_[w] = distance_[v] + 1;
        reached_.push_back(w);
      }
      if (distance_[w] == distance_[v] + 1) paths_[w] += paths_[v];
    }
  }
  return edges;
}

void Brandes::accumulate(uint32_t source) {
  for (size_t i = reached_.size(); i-- > 0;) {
    const uint32_t v = reached_[i];
    double sum = 0;
    for (const uint32_t w : graph_.targets_of(v)) {
      if (distance_[w] == distance_[v] + 1)
        sum += (1 + dependency_[w]) / paths_[w];
    }
    dependency_[v] = sum * paths_[v];
    if (v != source) sums_[v] += dependency_[v];
  }
  for (const uint32_t v : reached_) {
    distance_[v] = kFar;
    paths_[v] = dependency_[v] = 0;
  }
}

std::vector<double> betweenness(const Graph& graph) {
  Brandes brandes(graph);
  for (uint32_t v = 0; v < graph.vertices(); ++v) brandes.add_source(v);
  return {brandes.sums().begin(), brandes.sums().end()};
}

uint32_t first_difference(std::span<const double> a,
                          std::span<const double> b) {
  size_t i = 0;
  while (i < a.size() &&
         std::abs(a[i] - b[i]) <= 1e-9 * std::max({1.0, a[i], b[i]}))
    ++i;
  return static_cast<uint32_t>(i);
}

}  // namespace magpie::bc
