// Values that tasks merge, and those that they find on each rank.

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/task_pool/scenario.h"

namespace magpie::pool_conformance {
namespace {

// Runs f(0), ..., f(n - 1) as tasks, of one task, placed in turn at all ranks.
template <typename F>
void for_each(int64_t n, F f) {
  add([n, f] {
    for (int64_t i = 0; i < n; ++i) {
      const auto rank = static_cast<int>(i % rma::size());
      add_at(rank, [i, f] { f(i); });
    }
  });
}

struct alignas(64) Extent {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  uint64_t count = 0;

  void merge(const Extent& other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
    count += other.count;
  }
};

// A root whose number of values is not known when it is compiled.
template <typename AddTasks>
struct Many {
  uint64_t values;
  AddTasks add_tasks;

  size_t result_count() const { return values; }
  void operator()() const { add_tasks(); }
};

template <typename T, typename AddTasks>
std::vector<T> run_many(const Parameters& p, uint64_t values,
                        AddTasks add_tasks) {
  std::vector<T> results(values);
  run_into(p, Many<AddTasks>{values, add_tasks}, results.data());
  return results;
}

// Task i adds i to one of the counters, so every rank merges into all of them.
// There are more counters than go through the tree at a time.
SCENARIO(counters) {
  for (const uint64_t values : {uint64_t{1}, uint64_t{7}, uint64_t{20'001}}) {
    const auto n = static_cast<uint64_t>(p.n);
    const auto sums = run_many<uint64_t>(p, values, [n = p.n, values] {
      for_each(n, [values](int64_t i) {
        const auto value = static_cast<uint64_t>(i);
        merge_at(value % values, value);
        // Merges into the last one, too.
        merge_at(values - 1, uint64_t{1} << 40);
      });
    });
    std::vector<uint64_t> expected(values);
    for (uint64_t i = 0; i < n; ++i) expected[i % values] += i;
    expected[values - 1] += n << 40;
    for (uint64_t i = 0; i < values; ++i)
      expect_equal("a counter", sums[i], expected[i]);
  }
}

// Values with a merge of their own, of which some remain neutral; merge()
// concerns the first.
SCENARIO(extents) {
  constexpr uint64_t kValues = 1500;
  const auto extents = run_many<Extent>(p, kValues, [n = p.n] {
    for_each(n, [](int64_t i) {
      const auto x = static_cast<double>(i + 1);
      merge(Extent{x, x, 1});
      merge_at(kValues - 2, Extent{x, x, 2});
    });
  });
  for (uint64_t i = 0; i < kValues; ++i) {
    const bool merged = i == 0 || i == kValues - 2;
    expect_equal("how many", extents[i].count,
                 merged ? (i == 0 ? p.n : 2 * p.n) : 0);
    if (!merged) continue;
    expect_equal("lowest", static_cast<uint64_t>(extents[i].low), 1);
    expect_equal("highest", static_cast<uint64_t>(extents[i].high), p.n);
  }
}

// The root and tasks change values of their ranks in place, and merge, too.
SCENARIO(in_place) {
  constexpr uint64_t kValues = 5;
  const auto sums = run_many<uint64_t>(p, kValues, [n = p.n] {
    partial<uint64_t>() += 1000;
    for_each(n, [](int64_t i) {
      const auto value = static_cast<uint64_t>(i);
      uint64_t& mine = partial<uint64_t>(value % kValues);
      mine += value;
      merge_at(value % kValues, uint64_t{1});
      mine += 10;
    });
  });
  std::vector<uint64_t> expected = {1000, 0, 0, 0, 0};
  for (uint64_t i = 0; i < static_cast<uint64_t>(p.n); ++i)
    expected[i % kValues] += i + 11;
  for (uint64_t i = 0; i < kValues; ++i)
    expect_equal("a value", sums[i], expected[i]);
}

// A result that is too large to be made anew by each task that adds to it.
struct Bins {
  std::array<uint64_t, 1024> of = {};

  void merge(const Bins& other) {
    for (size_t i = 0; i < of.size(); ++i) of[i] += other.of[i];
  }
};
SCENARIO(large_in_place) {
  const auto ran = run<Bins>(p, [n = p.n] {
    for_each(n, [](int64_t i) { ++partial<Bins>().of[i % 1024]; });
  });
  for (int64_t i = 0; i < 1024; ++i)
    expect_equal("a bin", ran.result.of[i], p.n / 1024 + (i < p.n % 1024));
}

// A word on every rank, and what else prepare() has made there.
struct Words {
  int64_t n;
  void (*add_tasks)(int64_t n);
  rma::RemotePtr<rma::Word> words = {};
  int prepared_by = -1;

  size_t heap_bytes() const { return rma::allocated_bytes<rma::Word>(); }
  void prepare() {
    words = rma::allocate<rma::Word>();
    prepared_by = rma::rank();
  }
  void operator()() const {
    expect_equal("the root was prepared by rank", prepared_by, 0);
    add_tasks(n);
  }
};

// Each task draws a number. Each rank has its own copy of what the root has
// prepared.
void draw_numbers(int64_t n) {
  for_each(n, [](int64_t) {
    const Words& here = pool_root<Words>();
    expect_equal("prepared by rank", here.prepared_by, rma::rank());
    merge(rma::fetch_add(here.words.at(rma::size() - 1), 1));
  });
}

SCENARIO(numbers) {
  const auto ran = run(p, Words{p.n, draw_numbers});
  expect_equal("numbers", ran.result, sum_below(p.n));
}

// A run without merges: each task of a chain finds what earlier ones have left.
struct Round {
  int64_t i, n;

  void operator()() const {
    const int64_t size = rma::size();
    const auto word = pool_root<Words>().words.at(static_cast<int>(i % size));
    expect_equal("a word", rma::fetch_add(word, 1), i / size);
    rma::flush(word.rank);
    if (i + 1 < n) add_at((rma::rank() + 1) % rma::size(), Round{i + 1, n});
  }
};

SCENARIO(no_result) {
  run_without_result(p, Words{p.n, [](int64_t n) { add(Round{0, n}); }});
}

}  // namespace
}  // namespace magpie::pool_conformance
