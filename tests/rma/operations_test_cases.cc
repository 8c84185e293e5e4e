// Operations by a rank whose memory nobody else uses: non-blocking ones, random
// programs against a model, and what is counted.

#include <algorithm>
#include <cstring>
#include <functional>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// ----------------------------------------------------- non-blocking operations
//
// Non-blocking operations are complete after the next flush: many at once, to
// many targets, results included. Their source may change from then on.

void flush_each() {
  for (int r = 0; r < rma::size(); ++r) rma::flush(r);
}

// Puts pieces of one source to all ranks in turn, of all sizes and at all
// offsets: only some 16,000 on all ranks, since a simulator takes long where
// very many are under way.
void scatter(void (*flush)()) {
  constexpr size_t kStride = 200;
  const size_t pieces =
      std::min<size_t>(1000, 16'000 / (rank_count() * rank_count()));
  const Arena arena = Arena::in_heap(rank_count() * pieces * kStride);
  const auto piece = [](size_t i) { return 1 + i * 37 % kStride; };
  const auto slot = [pieces](size_t writer, size_t i) {
    return (writer * pieces + i) * kStride;
  };
  const std::vector<std::byte> source =
      random_bytes(pieces + kStride, this_rank());
  rma::barrier();
  for (size_t i = 0; i < pieces; ++i) {
    for (int target = 0; target < rma::size(); ++target) {
      rma::put_nb(arena.on(target, slot(this_rank(), i)), &source[i], piece(i));
    }
  }
  flush();
  rma::barrier();
  for (size_t writer = 0; writer < rank_count(); ++writer) {
    const std::vector<std::byte> sent = random_bytes(pieces + kStride, writer);
    for (size_t i = 0; i < pieces; ++i) {
      std::vector<std::byte> expected(kStride);
      std::copy_n(&sent[i], piece(i), expected.begin());
      ASSERT_TRUE(equal_bytes(arena.local(slot(writer, i)), expected))
          << "piece " << i << " of rank " << writer;
    }
  }
  rma::barrier();
}

SPMD_TEST(RmaNonBlocking, ManyPutsToAllRanks) {
  scatter(&flush_each);
  scatter(&rma::flush_all);
}

// One buffer for all rounds: it is refilled right after each flush.
void reuse_source(std::byte* buffer, size_t bytes, int hop,
                  size_t rounds = 200) {
  const Arena arena = Arena::in_heap(rounds * bytes);
  const int target = neighbour(hop);
  const int writer = neighbour(rma::size() - hop % rma::size());
  rma::barrier();
  for (size_t round = 0; round < rounds; ++round) {
    const auto fill = random_bytes(bytes, round * 100 + this_rank());
    std::copy(fill.begin(), fill.end(), buffer);
    rma::put_nb(arena.on(target, round * bytes), buffer, bytes);
    rma::flush(target);
    std::memset(buffer, 0xFF, bytes);
  }
  rma::barrier();
  for (size_t round = 0; round < rounds; ++round) {
    const auto expected =
        random_bytes(bytes, round * 100 + static_cast<uint64_t>(writer));
    ASSERT_TRUE(equal_bytes(arena.local(round * bytes), expected))
        << "round " << round;
  }
  rma::barrier();
}

SPMD_TEST(RmaNonBlocking, SourceIsFreeAfterFlush) {
  for (int hop : {0, 1}) {
    for (size_t bytes : {1, 8, 100, 3000}) {
      std::vector<std::byte> buffer(bytes);
      reuse_source(buffer.data(), bytes, hop);
    }
  }
  std::vector<std::byte> large(1 << 20);
  reuse_source(large.data(), large.size(), 1, 1);
  std::byte* const region = rma::self().region;
  rma::use_region(region, region + 2000);
  reuse_source(region + 24, 1000, 1);
  reuse_source(rma::allocate_bytes(1000, 8).local(), 1000, 1);
}

// All ranks add at once, to two words of every rank. The previous values of one
// are each number below the total, exactly once; those of the other are not
// asked for.
SPMD_TEST(RmaNonBlocking, FetchAddsToAllRanks) {
  for (void (*flush)() : {&flush_each, &rma::flush_all}) {
    const auto words = rma::allocate<rma::Word>(2);
    const size_t mine = spmd::rounds(4000, 400) / rank_count(),
                 total = mine * rank_count();
    std::vector<uint64_t> results(total, ~uint64_t{0});
    std::vector<uint64_t> seen(rank_count() * total);
    rma::barrier();
    for (size_t i = 0; i < total; ++i) {
      const int target = static_cast<int>(i % rank_count());
      rma::fetch_add_nb(words.at(target), 1, &results[i]);
      rma::fetch_add_nb(words.at(target) + 1, 1, nullptr);
    }
    flush();
    for (size_t i = 0; i < total; ++i) {
      ASSERT_LT(results[i], total);
      ++seen[i % rank_count() * total + results[i]];
    }
    EXPECT_TRUE(all_ranks_sum_to(seen, 1));
    EXPECT_EQ(words.local()[0].load(), total);
    EXPECT_EQ(words.local()[1].load(), total);
  }
}

// Blocking operations may be done while others are outstanding, also to the
// same target.
SPMD_TEST(RmaNonBlocking, BlockingOnesInBetween) {
  const auto slow = rma::allocate<rma::Word>(rank_count());
  const auto quick = rma::allocate<rma::Word>(rank_count());
  const uint64_t me = this_rank();
  std::vector<uint64_t> sources(rank_count());
  rma::barrier();
  for (uint64_t round = 1; round <= 100; ++round) {
    for (int target = 0; target < rma::size(); ++target) {
      uint64_t& source = sources[target];
      source = round;
      rma::put_nb({target, (slow + me).offset}, &source, sizeof(source));
      ASSERT_EQ(rma::fetch_add(quick.at(target) + me, 1), round - 1);
    }
    rma::flush_all();
    for (int target = 0; target < rma::size(); ++target) {
      ASSERT_EQ(rma::get_word(slow.at(target) + me), round)
          << "on rank " << target;
    }
  }
}

// ------------------------------------------------------------- random programs
//
// Random programs against a sequential model.
//
// Every rank has a slice of every rank's segment to itself, so it can predict
// each result: a plain array per target is the whole model. Ranks run at the
// same time, their slices side by side.

// Not a multiple of a cache line: neighbours share lines.
constexpr size_t kSlice = 1000;

class RandomProgram {
 public:
  // Atomics are not for regions.
  RandomProgram(const Arena& arena, bool has_atomics, uint64_t seed)
      : arena_(arena),
        kinds_(has_atomics ? 7 : 3),
        random_(seed),
        model_(rma::size(), std::vector<std::byte>(kSlice)) {}

  void step() {
    const int target = below(rma::size());
    switch (below(kinds_)) {
      case 0:
        return get(target);
      case 1:
        return put(target);
      case 2:
        return put_nb(target);
      case 3:
        return atomic(target, fetch_add_nb, std::plus<uint64_t>());
      case 4:
        return atomic(target, rma::fetch_add, std::plus<uint64_t>());
      case 5:
        return atomic(target, rma::swap,
                      [](uint64_t, uint64_t b) { return b; });
      default:
        return rma::idle();
    }
  }

  void compare_all() {
    for (int r = 0; r < rma::size(); ++r) {
      std::vector<std::byte> slice(kSlice);
      rma::get(slice.data(), arena_.on(r, begin()), kSlice);
      EXPECT_EQ(slice, model_[r]) << "the slice on rank " << r;
    }
  }

 private:
  int below(int n) { return static_cast<int>(random_() % n); }
  size_t begin() const { return this_rank() * kSlice; }

  struct Range {
    size_t at, bytes;
  };
  Range range() {
    const size_t bytes = below(below(4) == 0 ? kSlice + 1 : 20);
    return {static_cast<size_t>(below(static_cast<int>(kSlice - bytes + 1))),
            bytes};
  }
  // Where bytes begin in memory of the rank's own: at any alignment.
  size_t own_at() { return 1 + static_cast<size_t>(below(8)); }
  size_t word_at() { return 8 * static_cast<size_t>(below(kSlice / 8)); }
  rma::RemotePtr<rma::Word> word(int target, size_t at) {
    return {target, arena_.on(target, begin() + at).offset};
  }
  uint64_t model_word(int target, size_t at) {
    uint64_t value;
    std::memcpy(&value, &model_[target][at], 8);
    return value;
  }
  void set_model_word(int target, size_t at, uint64_t value) {
    std::memcpy(&model_[target][at], &value, 8);
  }

  void get(int target) {
    const auto [at, bytes] = range();
    const size_t to = own_at();
    std::vector<std::byte> got(to + bytes + 1, std::byte{0xA5}), expected = got;
    std::copy_n(model_[target].data() + at, bytes, &expected[to]);
    const auto from = arena_.on(target, begin() + at);
    if (below(2) == 0) {
      rma::get(&got[to], from, bytes);
    } else {
      rma::get_nb(&got[to], from, bytes);
      rma::flush(target);
    }
    EXPECT_EQ(got, expected) << bytes << " bytes from " << at << " to " << to;
  }
  void put(int target) {
    const auto [at, bytes] = range();
    const size_t from = own_at();
    const auto data = random_bytes(from + bytes + 1, random_());
    rma::put(arena_.on(target, begin() + at), &data[from], bytes);
    rma::flush(target);
    std::copy_n(&data[from], bytes, model_[target].data() + at);
  }
  // Several puts at once, to disjoint places of two targets.
  void put_nb(int target) {
    const std::vector<std::byte> data = random_bytes(kSlice, random_());
    const size_t piece = 1 + static_cast<size_t>(below(kSlice / 4));
    for (int t : {target, (target + 1) % rma::size()}) {
      for (size_t at = 0; at + piece <= kSlice; at += 2 * piece) {
        rma::put_nb(arena_.on(t, begin() + at), &data[at], piece);
        std::copy_n(&data[at], piece, &model_[t][at]);
      }
    }
    rma::flush_all();
  }
  static uint64_t fetch_add_nb(rma::RemotePtr<rma::Word> word, uint64_t value) {
    uint64_t before = 0;
    rma::fetch_add_nb(word, value, &before);
    rma::flush(word.rank);
    return before;
  }
  template <typename Operation, typename Result>
  void atomic(int target, Operation operation, Result result) {
    const size_t at = word_at();
    const uint64_t value = random_(), before = model_word(target, at);
    EXPECT_EQ(operation(word(target, at), value), before);
    rma::flush(target);
    set_model_word(target, at, result(before, value));
  }

  const Arena arena_;
  const int kinds_;
  std::mt19937_64 random_;
  // Model of this rank's slice on each rank.
  std::vector<std::vector<std::byte>> model_;
};

SPMD_TEST(RmaModel, RandomPrograms) {
  const size_t bytes = kSlice * rank_count();
  for (uint64_t p = 0; p < 6; ++p) {
    const bool in_heap = p % 2 == 0;
    const Arena arena =
        in_heap ? Arena::in_heap(bytes) : Arena::in_region(bytes);
    std::memset(arena.local(), 0, bytes);
    rma::barrier();
    RandomProgram program(arena, in_heap, 1000 * p + this_rank());
    for (int i = 0; i < 2000; ++i) program.step();
    program.compare_all();
    rma::barrier();
  }
}

// -------------------------------------------------------------------- counters
//
// Each operation is counted once, under its kind, with its bytes; nothing else
// is counted.

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
                    [&] { rma::get(buffer.data(), arena.on(r), bytes); });
      expect_counts({{Op::kPut, 1, bytes}},
                    [&] { rma::put(arena.on(r), buffer.data(), bytes); });
      expect_counts({{Op::kGet, 1, bytes}},
                    [&] { rma::get_nb(buffer.data(), arena.on(r), bytes); });
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

}  // namespace
}  // namespace magpie
