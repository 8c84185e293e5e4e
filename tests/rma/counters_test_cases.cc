// Each operation is counted once, under its kind, with its bytes; nothing else
// is counted.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

using rma::Op;

struct Expected {
  Op op;
  uint64_t operations, bytes;
};

// Runs `action`, and compares what it counted.
template <typename Action>
void expect_counts(std::vector<Expected> expected, Action action) {
  const rma::OpCounters before = rma::self().counters;
  action();
  const rma::OpCounters counted = rma::self().counters - before;
  rma::OpCounters model;
  for (const Expected& e : expected)
    model.of[static_cast<size_t>(e.op)] = {e.operations, e.bytes};
  for (size_t i = 0; i < counted.of.size(); ++i) {
    EXPECT_EQ(counted.of[i].operations, model.of[i].operations)
        << rma::kOpNames[i];
    EXPECT_EQ(counted.of[i].bytes, model.of[i].bytes)
        << "bytes of " << rma::kOpNames[i];
  }
  EXPECT_EQ(counted.operations(), model.operations());
}

SPMD_TEST(RmaCounters, EachKind) {
  const Arena arena = Arena::in_heap(100'000);
  const auto word = rma::allocate<rma::Word>();
  std::vector<std::byte> buffer(70'000);
  rma::barrier();
  for (int hop : {0, 1}) {
    const int r = neighbour(hop);
    const auto w = word.at(r);
    uint64_t result;
    for (size_t bytes : {0, 1, 8, 70'000}) {
      expect_counts({{Op::kGet, 1, bytes}},
                    [&] { rma::get(buffer.data(), arena.const_on(r), bytes); });
      expect_counts({{Op::kPut, 1, bytes}},
                    [&] { rma::put(arena.on(r), buffer.data(), bytes); });
      expect_counts({{Op::kGet, 1, bytes}}, [&] {
        rma::get_nb(buffer.data(), arena.const_on(r), bytes);
      });
      expect_counts({{Op::kPutNb, 1, bytes}, {Op::kFlush, 1, 0}}, [&] {
        rma::put_nb(arena.on(r), buffer.data(), bytes);
        rma::flush(r);
      });
    }
    expect_counts({{Op::kGet, 1, 8}}, [&] { rma::get_word(w); });
    expect_counts({{Op::kPut, 1, 8}}, [&] { rma::put_word(w, 1); });
    expect_counts({{Op::kFetchAdd, 1, 8}}, [&] { rma::fetch_add(w, 1); });
    expect_counts({{Op::kFetchAdd, 1, 8}}, [&] { rma::wake(r); });
    expect_counts({{Op::kSwap, 1, 8}}, [&] { rma::swap(w, 1); });
    expect_counts({{Op::kFetchAddNb, 3, 24}, {Op::kFlush, 1, 0}}, [&] {
      rma::fetch_add_nb(w, 1, nullptr);
      rma::fetch_add_nb(w, 1, nullptr);
      rma::fetch_add_nb(w, 1, &result);
      rma::flush_all();
    });
    rma::barrier();
  }
}

const rma::Cost kSpawn("spawn");

SPMD_TEST(RmaCounters, NothingElseCounts) {
  const auto word = rma::allocate<rma::Word>();
  std::vector<uint64_t> values(1000);
  expect_counts({}, [&] {
    rma::barrier();
    rma::broadcast(values.data(), 8 * values.size(), 0);
    rma::reduce(values.data(), values.size(), rma::Reduction::kSum);
    rma::allocate<rma::Word>(10);
    rma::idle();
    rma::rest(1);
    rma::poll();
    rma::compute(100);
    rma::now();
    rma::charge(kSpawn);
    rma::node_of(0);
    word.local()->store(1);
    word.local()->load();
    rma::Word::fence();
    rma::Word::order_stores();
  });
}

// Others' operations on this rank's memory are theirs.
SPMD_TEST(RmaCounters, TargetsCountNothing) {
  const auto word = rma::allocate<rma::Word>();
  rma::barrier();
  expect_counts({{Op::kFetchAdd, 10, 80}}, [&] {
    for (int i = 0; i < 10; ++i) rma::fetch_add(word.at(0), 1);
    rma::barrier();
  });
}

}  // namespace
}  // namespace magpie
