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

// A root that adds at each rank a task that adds `n` others: at `rank`, or
// where that is -1 at the rank after its own.
struct Crowd {
  int64_t n;
  int rank;

  void operator()() const {
    for (int r = 0; r < rma::size(); ++r) {
      add_at(r, [n = n, rank = rank] {
        for (int64_t i = 0; i < n; ++i)
          add_at(rank >= 0 ? rank : next_rank(), One{});
      });
    }
  }
};

void crowd(const Parameters& p, int rank) {
  const int64_t n = std::max(p.n / 4, int64_t{1});
  const auto ran = run(p, Crowd{n, rank});
  expect_equal("tasks", ran.result, ran.ranks * static_cast<uint64_t>(n));
}

// All ranks add at one rank, and wait for room there.
SCENARIO(funnel) {
  crowd(p, 0);
  crowd(p.with("--inbox_bytes=1"), 0);
}

// The ranks flood each other in a circle: a rank that waits for room in the
// next one's inbox makes room in its own, even if the bag is full.
SCENARIO(flood) {
  crowd(p.with("--inbox_bytes=1"), -1);
  crowd(p.with("--inbox_bytes=1").with("--queue_bytes=1K"), -1);
}

}  // namespace
}  // namespace magpie::pool_conformance
