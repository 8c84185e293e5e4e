// Trees, chains and crowds of tasks; full queues and empty bags.

#include <cstdint>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

// Splits a range, unevenly, down to single numbers, which it merges.
struct Split {
  int64_t first, last;

  void operator()() const {
    const int64_t n = last - first;
    if (n == 1) return merge(static_cast<uint64_t>(first));
    const int64_t middle = first + (n + 2) / 3;
    add(Split{first, middle});
    add(Split{middle, last});
  }
};

SCENARIO(tree) {
  const auto ran = run(p, [n = p.n] { add(Split{0, n}); });
  expect_equal("tasks", ran.tasks, 2 * p.n - 1);
  expect_equal("their sum", ran.result, sum_below(p.n));
}

struct Link {
  int64_t left;

  void operator()() const {
    merge(uint64_t{1});
    if (left > 1) add(Link{left - 1});
  }
};

SCENARIO(chain) {
  const auto ran = run(p, [n = p.n] { add(Link{n}); });
  expect_equal("links", ran.result, p.n);
}

// One task adds all others: more than a bag holds, unless they are to be few.
SCENARIO(wide) {
  const int64_t n = p.n < 1000 ? p.n : 100 * p.n;
  const auto ran = run(p, [n] {
    add([n] {
      for (int64_t i = 0; i < n; ++i) add(One{});
    });
  });
  expect_equal("tasks", ran.result, n);
}

// Queues that hold only a few tasks each.
SCENARIO(full) {
  tree(p.with("--queue_bytes=1K"));
  chain(p.with("--queue_bytes=1K"));
  wide(p.with("--queue_bytes=1K"));
}

// The result is what the root has merged, or T{}, whatever it was before.
SCENARIO(empty) {
  expect_equal("of nothing", run(p, [] {}).result, 0);
  expect_equal("of the root", run(p, [] { merge(uint64_t{7}); }).result, 7);
}

// Tasks with the numbers [first, last), in the order in which a rank that runs
// its youngest task first comes to them.
struct Numbered {
  int64_t first, last;
  void operator()() const;
};

struct YoungestFirst {
  int64_t n;
  rma::RemotePtr<rma::Word> next = {};

  size_t heap_bytes() const { return rma::allocated_bytes<rma::Word>(); }
  void prepare() { next = rma::allocate<rma::Word>(); }
  void operator()() const {
    // Others steal the oldest.
    if (rma::size() == 1) add(Numbered{0, n});
  }
};

void Numbered::operator()() const {
  rma::Word& next = *pool_root<YoungestFirst>().next.local();
  expect_equal("the youngest task", first, next.load());
  next.store(next.load() + 1);
  merge(uint64_t{1});
  const int64_t middle = first + 1 + (last - first) / 2;
  if (middle < last) add(Numbered{middle, last});
  if (first + 1 < middle) add(Numbered{first + 1, middle});
}

SCENARIO(youngest_first) {
  const auto ran = run(p, YoungestFirst{p.n});
  expect_equal("tasks", ran.result, ran.ranks == 1 ? p.n : 0);
  const auto full = run(p.with("--queue_bytes=1K"), YoungestFirst{p.n});
  expect_equal("tasks", full.result, full.ranks == 1 ? p.n : 0);
}

}  // namespace
}  // namespace magpie::pool_conformance
