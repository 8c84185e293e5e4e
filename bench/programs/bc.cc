// bc: betweenness centrality of an R-MAT graph (hybrid_glb_apgas18 §5). A task
// is up to --sources vertices, from each of which it searches the whole graph.
// The sources are dealt out before anything is computed: every rank begins with
// equally many tasks, and load balancing evens out their different lengths.
//
// Each rank computes the graph from its seed, into its segment. A task adds up
// in an array of its own, which is merged when it ends, vertex by vertex.
//
// Neighbouring sources are likely to be alike, so sources are dealt out in
// another order. X10's GLB sample shuffles them, too.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bench/bc/brandes.h"
#include "bench/bc/rmat.h"
#include "bench/pool_program.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

// Following an edge, in one of the two passes.
const rma::Cost kEdge("bc_edge");

// The sources number first, ..., end - 1.
struct Search {
  uint32_t first, end;
  void operator()() const;
};

// Adds the searches that a rank begins with. Runs on that rank.
struct Deal {
  int32_t rank;
  void operator()() const;
};

struct Bc {
  static constexpr uint32_t kTaskBytes = sizeof(Search);

  bc::Rmat rmat = {.scale = 10, .edges_per_vertex = 8, .seed = 2};
  uint32_t sources_of_task = 32;
  // The graph; each rank has it.
  rma::RemotePtr<uint32_t> rows = {}, targets = {};

  size_t result_count() const { return rmat.vertices(); }
  size_t heap_bytes() const {
    return rma::allocated_bytes<uint32_t>(rmat.vertices() + size_t{1}) +
           rma::allocated_bytes<uint32_t>(rmat.edges());
  }
  void prepare() {
    rows = rma::allocate<uint32_t>(rmat.vertices() + size_t{1});
    targets = rma::allocate<uint32_t>(rmat.edges());
    rmat.fill({rows.local(), rmat.vertices() + size_t{1}},
              {targets.local(), rmat.edges()});
  }
  bc::Graph graph() const {
    return {{rows.local(), rmat.vertices() + size_t{1}},
            {targets.local(), rmat.edges()}};
  }
  // Each vertex is one of the sources 0, ..., vertices() - 1: the factor is
  // odd, and their number a power of two.
  uint32_t source(uint32_t i) const {
    return i * 0x9E3779B1u & (rmat.vertices() - 1);
  }

  void operator()() const {
    for (int rank = 0; rank < rma::size(); ++rank) add_at(rank, Deal{rank});
  }
};

void Deal::operator()() const {
  const Bc& root = pool_root<Bc>();
  const uint64_t n = root.rmat.vertices();
  const uint64_t most = root.sources_of_task;
  const uint64_t tasks = (n + most - 1) / most;
  const auto first_of = [&](int r) {
    return static_cast<uint64_t>(r) * tasks /
           static_cast<uint64_t>(rma::size());
  };
  for (uint64_t i = first_of(rank); i < first_of(rank + 1); ++i)
    add(Search{static_cast<uint32_t>(i * most),
               static_cast<uint32_t>(std::min(n, (i + 1) * most))});
}

void Search::operator()() const {
  const Bc& root = pool_root<Bc>();
  bc::Brandes brandes(root.graph());
  for (uint32_t i = first; i < end; ++i)
    rma::charge(kEdge, brandes.add_source(root.source(i)));
  for (uint32_t v = 0; v < root.rmat.vertices(); ++v) {
    const double sum = brandes.sums()[v];
    if (sum != 0) merge_at(v, sum);
  }
}

// ----------------------------------------------------------------- the answer

// Sums over all vertices, by bc::betweenness, of graphs of scale 12, 13, ...,
// with seed 2 and 8 edges a vertex.
constexpr std::array<uint64_t, 4> kKnownSums = {44955016, 185095063, 761531472,
                                                3065653005};

// Small graphs are computed again, one source after the other.
std::string mismatch_of(const bc::Rmat& rmat, const std::vector<double>& sums,
                        uint64_t sum) {
  if (rmat.scale <= 11) {
    std::vector<uint32_t> rows(rmat.vertices() + size_t{1}),
        targets(rmat.edges());
    rmat.fill(rows, targets);
    const std::vector<double> known = bc::betweenness({rows, targets});
    const uint32_t v = bc::first_difference(sums, known);
    if (v < sums.size())
      return absl::StrCat("vertex ", v, " has ", known[v], ", not ", sums[v]);
  }
  const auto i = static_cast<size_t>(rmat.scale - 12);
  if (i >= kKnownSums.size() || rmat.seed != 2 || rmat.edges_per_vertex != 8)
    return "";
  return unless(sum == kKnownSums[i], "the sum is ", kKnownSums[i]);
}

Answer answer_of(const bc::Rmat& rmat, const std::vector<double>& sums) {
  const auto largest = std::max_element(sums.begin(), sums.end());
  // The sum is a whole number but for rounding: each pair of vertices adds the
  // number of vertices between them.
  const auto sum = static_cast<uint64_t>(
      std::llround(std::accumulate(sums.begin(), sums.end(), 0.0)));
  return {.result = {{"sum", sum},
                     {"largest", std::llround(*largest)},
                     {"largest_of", largest - sums.begin()}},
          .mismatch = mismatch_of(rmat, sums, sum)};
}

}  // namespace

int bc_main(CLI::App& app, int argc, char** argv) {
  Bc root;
  flags::add_integer(
      app, "--scale", root.rmat.scale,
      "the graph has 2^scale vertices; each step takes 4 times as long", 1,
      bc::kMostScale);
  flags::add_integer(app, "--edges_per_vertex", root.rmat.edges_per_vertex,
                     "edges of a vertex, on average", 1,
                     bc::kMostEdgesPerVertex);
  flags::add_integer(app, "--seed", root.rmat.seed, "seed of the random graph",
                     0, 1'000'000'000);
  flags::add_integer(app, "--sources", root.sources_of_task,
                     "largest number of source vertices of a task", 1, 1 << 24);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const Fields params = {{"scale", root.rmat.scale},
                         {"edges_per_vertex", root.rmat.edges_per_vertex},
                         {"seed", root.rmat.seed},
                         {"sources", root.sources_of_task}};
  std::vector<double> sums(root.result_count());
  return run_in_pool(arguments, params, root, sums.data(),
                     [&] { return answer_of(root.rmat, sums); });
}

const Program kProgram(
    "bc",
    "Betweenness centrality: how many shortest paths lead over each vertex",
    bc_main);

}  // namespace magpie::bench
