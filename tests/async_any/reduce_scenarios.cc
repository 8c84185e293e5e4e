// Results, as they are after a finish and while tasks run.

#include <array>
#include <cstdint>
#include <limits>

#include "common/rma/rma.h"
#include "tests/async_any/suite.h"

namespace magpie::pool_conformance {
namespace {

// A value that is merged as a whole or not at all: its words are equal, unless
// a reduce has read half of a merge. Exploration lets others see these words
// late, unlike plain memory.
struct Even {
  std::array<rma::Word, 9> words = {};

  static Even of(uint64_t value) {
    Even even;
    even.words.fill(rma::Word(value));
    return even;
  }
  void merge(const Even& other) {
    for (size_t i = 0; i < words.size(); ++i)
      words[i].store_relaxed(words[i].own_value() + other.words[i].own_value());
  }
  uint64_t value() const {
    for (const rma::Word& word : words)
      expect_equal("a word of a result", word.own_value(),
                   words[0].own_value());
    return words[0].own_value();
  }
};

// A task that may reduce. The body has merged n, and each task draws before it
// merges: so no more is merged than n and what was drawn.
struct Counts {
  int64_t left;
  void operator()() const {
    draw();
    merge_async_any(Even::of(1));
    if (left % 3 == 0) {
      const uint64_t sum = reduce_async_any<Even>().value();
      const auto by_body = static_cast<uint64_t>(suite().n);
      expect_at_most("merged, of those that began", sum, by_body + draw());
      expect_at_most("merged before, of all", by_body + 1, sum);
    }
    if (left > 1) async_any(Counts{left / 2});
    if (left > 2) async_any(Counts{left - left / 2 - 1});
  }
};

// Reduces while a tree of n tasks runs: 1 + left / 2 + (left - left / 2 - 1).
SCENARIO(reduce_during) {
  const Even result = run_suite<Even>(p, [](const Suite& suite) {
    for (int i = 0; i < 3; ++i) {
      finish_async_any([&] {
        expect_equal("result at first", reduce_async_any<Even>().value(), 0);
        merge_async_any(Even::of(static_cast<uint64_t>(suite.n)));
        async_any(Counts{suite.n});
      });
      expect_equal("result", reduce_async_any<Even>().value(), 2 * suite.n);
      forget();
    }
  });
  expect_equal("result of the run", result.value(), 2 * p.n);
}

// A merge() that throws, whose task goes on.
struct Picky {
  static constexpr uint64_t kUnlucky = 1'000'000;
  uint64_t sum = 0;
  void merge(const Picky& other) {
    if (other.sum == kUnlucky) throw other;
    sum += other.sum;
  }
};

SCENARIO(reduce_throwing) {
  const Picky result = run_suite<Picky>(p, [](const Suite& suite) {
    finish_async_any([&] {
      for (int64_t i = 0; i < suite.n; ++i) {
        async_any([i] {
          try {
            merge_async_any(Picky{i % 2 == 0 ? Picky::kUnlucky : 1});
          } catch (const Picky&) {
            if (i % 4 == 0) merge_async_any(Picky{1});
          }
          if (i % 8 == 0) (void)reduce_async_any<Picky>();
        });
      }
    });
  });
  uint64_t lucky = 0;
  for (int64_t i = 0; i < p.n; ++i) lucky += i % 2 == 1 || i % 4 == 0;
  expect_equal("result", result.sum, lucky);
}

struct Largest {
  int64_t value = std::numeric_limits<int64_t>::min();
  void merge(const Largest& other) { value = std::max(value, other.value); }
};

// T{} is not 0 here. None of the numbers is above the finish's.
SCENARIO(reduce_largest) {
  run_suite<Largest>(p, [](const Suite& suite) {
    for (int64_t most : {int64_t{-5}, int64_t{-7}, int64_t{3}}) {
      finish_async_any([&] {
        for (int64_t i = 0; i < suite.n; ++i)
          async_any([value = most - i] { merge_async_any(Largest{value}); });
      });
      expect_equal("largest", reduce_async_any<Largest>().value, most);
    }
  });
}

// A result of several values: a second finish begins with none of the first
// one's.
struct Several {
  static constexpr size_t kValues = 5;

  int64_t n;
  size_t result_count() const { return kValues; }
  void operator()() const {
    for (int finish = 0; finish < 2; ++finish) {
      finish_async_any([&] {
        for (int64_t i = 0; i < n; ++i)
          async_any([i] { merge_at(i % kValues, uint64_t{1}); });
      });
    }
  }
};

SCENARIO(reduce_several) {
  std::array<uint64_t, Several::kValues> results;
  run_into(p, Several{p.n}, results.data());
  for (size_t i = 0; i < Several::kValues; ++i)
    expect_equal("one of the results", results[i],
                 (p.n + Several::kValues - 1 - i) / Several::kValues);
}

}  // namespace
}  // namespace magpie::pool_conformance
