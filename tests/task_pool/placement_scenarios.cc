// Tasks that are added at other ranks, through inboxes with and without room.

#include <algorithm>
#include <cstdint>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

int next_rank() { return (rma::rank() + 1) % rma::size(); }

// Every rank's tasks are placed at all ranks.
SCENARIO(everywhere) {
  const auto ran = run(p, [] {
    for (int from = 0; from < rma::size(); ++from) {
      add_at(from, [from] {
        for (int to = 0; to < rma::size(); ++to) {
          const uint64_t letter =
              static_cast<uint64_t>(from) * static_cast<uint64_t>(rma::size()) +
              static_cast<uint64_t>(to);
          add_at(to, [letter] { merge(letter); });
        }
      });
    }
  });
  const uint64_t letters = ran.ranks * ran.ranks;
  expect_equal("tasks", ran.tasks, ran.ranks + letters);
  expect_equal("their sum", ran.result, sum_below(letters));
}
SCENARIO(everywhere_in_turn) { everywhere(p.with("--inbox_bytes=1")); }

// The ranks flood each other in a circle: a rank that waits for room in the
// next one's inbox makes room in its own, even if the queue is full.
void flood_a_circle(const Parameters& p) {
  const int64_t n = std::max(p.n / 4, int64_t{1});
  const auto ran = run(p.with("--inbox_bytes=1"), [n] {
    for (int r = 0; r < rma::size(); ++r) {
      add_at(r, [n] {
        for (int64_t i = 0; i < n; ++i) add_at(next_rank(), One{});
      });
    }
  });
  expect_equal("tasks", ran.result, ran.ranks * static_cast<uint64_t>(n));
}
SCENARIO(flood) {
  flood_a_circle(p);
  flood_a_circle(p.with("--queue_bytes=1K"));
}

}  // namespace
}  // namespace magpie::pool_conformance
