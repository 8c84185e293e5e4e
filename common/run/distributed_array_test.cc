#include "common/run/distributed_array.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/costs.h"
#include "common/testing/spmd.h"

namespace magpie {
namespace {

// No power of two, so that blocks end within words.
struct Element {
  std::array<uint8_t, 12> bytes;
  bool operator==(const Element&) const = default;
};
static_assert(std::is_trivially_copyable_v<DistributedArray<Element>>);

size_t rank_count() { return static_cast<size_t>(rma::size()); }

// Sizes that leave ranks without elements, with some and with a full block.
std::vector<size_t> sizes() {
  const size_t n = rank_count();
  return {0, 1, n - 1, n, n + 1, 7 * n - 1, 7 * n, 100};
}

template <typename T>
DistributedArray<T> array_of(size_t size) {
  DistributedArray<T> array;
  array.allocate(size);
  rma::barrier();
  return array;
}

// A range of an array, drawn: none or all of it now and then.
struct Range {
  Range(std::mt19937_64& random, size_t size) {
    first = random() % (size + 1);
    count = random() % (size - first + 1);
    if (random() % 8 == 0) first = 0, count = size;
  }
  size_t first, count;
};

SPMD_TEST(DistributedArray, EachElementLiesOnOneRank) {
  for (const size_t size : sizes()) {
    const auto array = array_of<Element>(size);
    EXPECT_EQ(array.size(), size);
    size_t next = 0;
    for (int r = 0; r < rma::size(); ++r) {
      EXPECT_EQ(array.first_on(r), next);
      for (; next < array.first_on(r + 1); ++next) {
        EXPECT_EQ(array.at(next).rank, r);
        if (r == rma::rank()) {
          EXPECT_EQ(array.at(next).local(),
                    &array.local()[next - array.first_on(r)]);
        }
      }
    }
    EXPECT_EQ(next, size);
    for (const Element& element : array.local()) EXPECT_EQ(element, Element());
  }
}

// Each rank in turn puts a range, and all get some: as from a plain vector. All
// draw the same numbers.
template <typename T>
void compare_with_a_vector(size_t size) {
  std::mt19937_64 random(size);
  const auto array = array_of<T>(size);
  std::vector<T> model(size);
  for (int round = 0; round < 3 * rma::size(); ++round) {
    const Range range(random, size);
    for (size_t i = range.first; i < range.first + range.count; ++i)
      model[i] = T{static_cast<uint8_t>(random())};
    if (round % rma::size() == rma::rank()) {
      array.put(range.first, range.count, model.data() + range.first);
      rma::flush_all();
    }
    rma::barrier();
    const Range a(random, size), b(random, size);
    std::vector<T> got(a.count + b.count), expected;
    for (const Range& each : {a, b}) {
      const auto begin = model.begin() + static_cast<ptrdiff_t>(each.first);
      expected.insert(expected.end(), begin,
                      begin + static_cast<ptrdiff_t>(each.count));
    }
    array.get(a.first, a.count, got.data());
    array.get(b.first, b.count, got.data() + a.count);
    EXPECT_EQ(got, expected);
    got.assign(got.size(), T{});
    array.get_nb(a.first, a.count, got.data());
    array.get_nb(b.first, b.count, got.data() + a.count);
    rma::flush_all();
    EXPECT_EQ(got, expected);
    rma::barrier();
  }
}

SPMD_TEST(DistributedArray, RangesAreThoseOfAVector) {
  for (const size_t size : sizes()) {
    compare_with_a_vector<uint8_t>(size);
    compare_with_a_vector<uint64_t>(size);
    compare_with_a_vector<Element>(size);
  }
}

SPMD_TEST(DistributedArray, ARangeCostsATransferWithEachRank) {
  const size_t size = 5 * rank_count();
  const auto array = array_of<int>(size);
  std::vector<int> all(size);
  const uint64_t ranks = rank_count();
  EXPECT_EQ(costs_of([&] { array.get(0, size, all.data()); }),
            (Costs{.gets = ranks}));
  EXPECT_EQ(costs_of([&] { array.get_nb(0, size, all.data()); }),
            (Costs{.gets = ranks}));
  EXPECT_EQ(costs_of([&] { array.put(size - 5, 5, all.data()); }),
            (Costs{.puts = 1}));
  EXPECT_EQ(costs_of([&] { array.get(size, 0, nullptr); }), Costs{});
  rma::flush_all();
  rma::barrier();
}

}  // namespace
}  // namespace magpie
