#include "impl/glb_lifeline/places.h"

#include <algorithm>
#include <climits>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie::glb {
namespace {

[[noreturn]] void scattered(int rank) {
  rma::fatal(absl::StrCat(
      "rank ", rank,
      " is on the node of ranks that are not its neighbours: a "
      "place is made of ranks next to each other on one node; have the "
      "launcher fill one node after the other (Open MPI: mpirun --map-by slot; "
      "MPICH: mpiexec -ppn with as many as a node has)"));
}

}  // namespace

std::vector<Places::Stretch> Places::stretches(int ranks,
                                               int (*node_of)(int rank)) {
  std::vector<Stretch> stretches;
  std::set<int> nodes;
  for (int first = 0; first < ranks;) {
    const int node = node_of(first);
    if (!nodes.insert(node).second) scattered(first);
    int end = first + 1;
    while (end < ranks && node_of(end) == node) ++end;
    if (stretches.empty() || stretches.back().ranks_per_node != end - first)
      stretches.push_back({first, end - first, 0});
    ++stretches.back().nodes;
    first = end;
  }
  return stretches;
}

Places Places::of_single_ranks() {
  return Places({{.first_rank = 0, .ranks_per_node = 1, .nodes = rma::size()}},
                kAllOfNode);
}

Places Places::of_nodes(int workers_per_place) {
  std::vector<Stretch> all;
  if (rma::rank() == 0) all = stretches(rma::size(), &rma::node_of);
  size_t count = all.size();
  rma::broadcast(&count, sizeof(count), 0);
  all.resize(count);
  rma::broadcast(all.data(), count * sizeof(Stretch), 0);
  return Places(std::move(all), workers_per_place);
}

Places::Places(std::vector<Stretch> stretches, int workers_per_place)
    : stretches_(std::move(stretches)),
      ranks_in_place_(workers_per_place == kAllOfNode ? INT_MAX
                                                      : workers_per_place + 1) {
  for (const Stretch& stretch : stretches_) {
    first_places_.push_back(count_);
    count_ += stretch.nodes * places_in_node(stretch);
  }
}

int Places::places_in_node(const Stretch& stretch) const {
  const int full = stretch.ranks_per_node / ranks_in_place_;
  const bool has_smaller = stretch.ranks_per_node % ranks_in_place_ > 1;
  return std::max(full + (has_smaller ? 1 : 0), 1);
}

Place Places::place(int number) const {
  check(0 <= number && number < count_, "a place that there is not");
  const auto after =
      std::upper_bound(first_places_.begin(), first_places_.end(), number);
  const auto i = static_cast<size_t>(after - first_places_.begin() - 1);
  const Stretch& stretch = stretches_[i];
  const int in_node = places_in_node(stretch);
  const int node = (number - first_places_[i]) / in_node;
  const int nth = (number - first_places_[i]) % in_node;
  const int node_end = stretch.first_rank + (node + 1) * stretch.ranks_per_node;
  const int first = node_end - stretch.ranks_per_node + nth * ranks_in_place_;
  const int end = nth == in_node - 1 ? node_end : first + ranks_in_place_;
  return {number, {.first = first, .size = end - first}};
}

Place Places::of(int rank) const {
  const auto after = std::upper_bound(
      stretches_.begin(), stretches_.end(), rank,
      [](int r, const Stretch& stretch) { return r < stretch.first_rank; });
  const auto i = static_cast<size_t>(after - stretches_.begin() - 1);
  const Stretch& stretch = stretches_[i];
  const int in_node = places_in_node(stretch);
  const int node = (rank - stretch.first_rank) / stretch.ranks_per_node;
  const int nth =
      (rank - stretch.first_rank) % stretch.ranks_per_node / ranks_in_place_;
  return place(first_places_[i] + node * in_node + std::min(nth, in_node - 1));
}

}  // namespace magpie::glb
