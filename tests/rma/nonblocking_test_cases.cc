// Non-blocking operations are complete after the next flush: many at once, to
// many targets, results included. Their source may change from then on.

#include <algorithm>
#include <cstring>

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

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

}  // namespace
}  // namespace magpie
