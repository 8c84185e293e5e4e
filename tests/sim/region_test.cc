// One region for all ranks: what a rank has there stays its own, whoever ran
// meanwhile, and others reach it all the time.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <functional>
#include <numeric>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/context/context.h"
#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

constexpr size_t kRegion = kLayout.region_bytes;
constexpr char kNet[] = "loopback";

std::byte* region() { return rma::self().region; }

// Bytes that no other rank has there.
std::byte byte_of(int rank, size_t at) {
  return static_cast<std::byte>(static_cast<size_t>(rank) * 31 + at * 7 + 1);
}

void fill(std::byte* low, const std::byte* high) {
  for (std::byte* b = low; b < high; ++b)
    *b = byte_of(rma::rank(), static_cast<size_t>(b - region()));
}

bool is_filled(const std::byte* low, const std::byte* high) {
  return std::all_of(low, high, [](const std::byte& b) {
    return b == byte_of(rma::rank(), static_cast<size_t>(&b - region()));
  });
}

// Both lie in the calling rank's region.
uint64_t& word_of_region(size_t offset) {
  return *reinterpret_cast<uint64_t*>(region() + offset);
}
rma::RemotePtr<rma::Word> remote_word(int rank, size_t offset) {
  return {rank, offset};
}

// Lets the others run, which use their own.
void go_round() {
  for (int i = 0; i < 5; ++i) rma::idle(1 + (rma::rank() + i) % 3);
}

// ----------------------------------------------------------- what is in memory

TEST(Region, ContentsStayWhoeverRuns) {
  simulate(on(7, kNet), [] {
    const auto r = static_cast<size_t>(rma::rank());
    // Overlapping, of different sizes; rank 3 uses none.
    std::byte* const low = region() + 4096 * (5 - std::min<size_t>(r, 5)) + r;
    std::byte* const high = region() + (r == 6 ? kRegion : 40'000 + 3000 * r);
    if (r == 3) return go_round();
    rma::use_region(low, high);
    fill(low, high);
    for (int round = 0; round < 20; ++round) {
      go_round();
      EXPECT_TRUE(is_filled(low, high)) << "in round " << round;
    }
    rma::leave_region();
    go_round();
  });
}

TEST(Region, PartsInUseGrowAndShrink) {
  simulate(on(4, kNet), [] {
    std::byte* const high = region() + kRegion;
    size_t bytes = 1000 * static_cast<size_t>(rma::rank() + 1);
    rma::use_region(high - bytes, high);
    fill(high - bytes, high);
    for (int round = 0; round < 30; ++round) {
      const bool grow = (round + rma::rank()) % 3 != 0;
      const size_t next = grow ? bytes + 7777 : bytes / 2;
      rma::use_region(high - next, high);
      if (grow) fill(high - next, high - bytes);
      bytes = next;
      go_round();
      EXPECT_TRUE(is_filled(high - bytes, high)) << "in round " << round;
    }
  });
}

TEST(Region, MayBeLeftAndUsedAgain) {
  simulate(on(3, kNet), [] {
    for (int round = 0; round < 10; ++round) {
      rma::use_region(region(), region() + 5000);
      fill(region(), region() + 5000);
      go_round();
      EXPECT_TRUE(is_filled(region(), region() + 5000));
      rma::leave_region();
      go_round();
    }
  });
}

// --------------------------------------------------------------- a stack in it

// Lets others run at each depth, and finds its frames unchanged.
uint64_t deep(int depth) {
  std::array<uint64_t, 20> frame;
  std::iota(frame.begin(), frame.end(),
            static_cast<uint64_t>(1000 * rma::rank() + depth));
  volatile uint64_t* const memory = frame.data();
  rma::idle(1 + depth % 3);
  const uint64_t below = depth == 0 ? 0 : deep(depth - 1);
  rma::idle(1 + rma::rank() % 2);
  uint64_t sum = below;
  for (size_t i = 0; i < frame.size(); ++i) {
    EXPECT_EQ(memory[i], static_cast<uint64_t>(1000 * rma::rank() + depth) + i);
    sum += memory[i];
  }
  return sum;
}

// Sum of all frames.
uint64_t deep_sum(int depth) {
  uint64_t sum = 0;
  for (int d = 0; d <= depth; ++d)
    sum += 20 * static_cast<uint64_t>(1000 * rma::rank() + d) + 190;
  return sum;
}

TEST(Region, StacksOfAllRanksAtTheSameAddresses) {
  simulate(on(6, kNet), [] {
    std::byte* const top = region() + kRegion;
    // Nothing but what is below, down to the stack pointer.
    rma::use_region(top, top);
    const int depth = 10 + 5 * rma::rank();
    struct Call {
      int depth;
      uint64_t sum;
    } call = {depth, 0};
    for (int round = 0; round < 3; ++round) {
      context::call_on_stack(
          top,
          [](void* c) {
            auto& call = *static_cast<Call*>(c);
            call.sum = deep(call.depth);
          },
          &call);
      EXPECT_EQ(call.sum, deep_sum(depth));
    }
    rma::leave_region();
    go_round();
  });
}

// --------------------------------------------------------------- remote access

// Calls `access` on rank 0 while rank 1, whose first words of the region are 0,
// 10, 20, ..., sleeps, and rank 2's is in place. Then rank 1 calls `check`.
void on_switched_out(const std::function<void()>& access,
                     const std::function<void()>& check) {
  simulate(on(3, kNet), [&] {
    rma::use_region(region(), region() + 256);
    for (uint64_t i = 0; i < 32; ++i)
      word_of_region(8 * i) = rma::rank() == 1 ? 10 * i : 7;
    rma::barrier();
    if (rma::rank() == 0) access();
    // Rank 2 keeps coming back.
    for (int i = 0; i < 100 && rma::rank() == 2; ++i) rma::idle();
    rma::barrier();
    if (rma::rank() == 1) check();
    for (uint64_t i = 0; i < 32 && rma::rank() == 2; ++i)
      EXPECT_EQ(word_of_region(8 * i), 7u) << "not its own any more";
  });
}

TEST(Region, IsReadWhileAnotherIsInPlace) {
  on_switched_out(
      [] {
        for (size_t i = 0; i < 32; ++i)
          EXPECT_EQ(rma::get_word(remote_word(1, 8 * i)), 10 * i);
        std::array<uint64_t, 32> all;
        rma::get(all.data(), rma::region_ptr(1, region()), sizeof(all));
        for (size_t i = 0; i < 32; ++i) EXPECT_EQ(all[i], 10 * i);
      },
      [] {});
}

TEST(Region, IsWrittenWhileAnotherIsInPlace) {
  on_switched_out(
      [] {
        const uint64_t value = 3;
        rma::put_word(remote_word(1, 0), 1);
        rma::put_nb({1, 8}, &value, sizeof(value));
        EXPECT_EQ(rma::fetch_add(remote_word(1, 16), 5), 20u);
        EXPECT_EQ(rma::swap(remote_word(1, 24), 4), 30u);
        EXPECT_EQ(rma::fetch_or(remote_word(1, 32), 1), 40u);
        EXPECT_EQ(rma::compare_swap(remote_word(1, 40), 50, 6), 50u);
        rma::flush_all();
      },
      [] {
        const std::array<uint64_t, 7> expected = {1, 3, 25, 4, 41, 6, 60};
        for (size_t i = 0; i < expected.size(); ++i)
          EXPECT_EQ(word_of_region(8 * i), expected[i]) << i;
      });
}

// The bytes of a get come when the caller runs again, into its own region.
TEST(Region, HoldsBuffersOfItsRank) {
  with_words(on(5, kNet), [](rma::RemotePtr<rma::Word> words) {
    const auto r = static_cast<uint64_t>(rma::rank());
    for (uint64_t i = 0; i < 8; ++i) words.local()[i].store(100 * r + i);
    rma::use_region(region(), region() + 128);
    fill(region(), region() + 128);
    rma::barrier();
    const int next = (rma::rank() + 1) % rma::size();
    for (int round = 0; round < 10; ++round) {
      rma::get(&word_of_region(0), bytes_of(words.at(next)), 64);
      for (uint64_t i = 0; i < 8; ++i)
        EXPECT_EQ(word_of_region(8 * i), 100 * static_cast<uint64_t>(next) + i);
      EXPECT_TRUE(is_filled(region() + 64, region() + 128));
      go_round();
    }
    rma::barrier();
    // Results, too.
    word_of_region(8) = 77;
    rma::fetch_add_nb(words.at(next) + 20, 5, &word_of_region(8));
    go_round();
    rma::flush_all();
    EXPECT_EQ(word_of_region(8), 0u);
    rma::barrier();
    EXPECT_EQ(words.local()[20].load(), 5u);
  });
}

TEST(Region, SourceOfALatePutIsReadInTheSavedCopy) {
  // A way of a millisecond, in which the others' regions come and go.
  with_words(on(3, "custom,latency=1ms"), [](rma::RemotePtr<rma::Word> words) {
    rma::use_region(region(), region() + 64);
    word_of_region(0) = 40 + static_cast<uint64_t>(rma::rank());
    rma::barrier();
    if (rma::rank() == 0) {
      rma::put_nb(bytes_of(words.at(1)), region(), 8);
      word_of_region(0) = 50;
      rma::flush(1);
      word_of_region(0) = 60;
    } else {
      for (int i = 0; i < 100; ++i) rma::idle(10'000);
    }
    rma::barrier();
    EXPECT_EQ(words.local()->load(), rma::rank() == 1 ? 50u : 0u);
  });
}

// -------------------------------------------------------------------- refusals

// How rank 0 ends when it does `step` while rank 1 uses [0x1000, 0x2000) and
// rank 2 nothing: with words on its operation on rank `target`.
void expect_refusal(const std::function<void()>& step, const char* operation,
                    int target, const std::string& why) {
  const auto body = [&](rma::RemotePtr<rma::Word> words) {
    EXPECT_EQ(words.offset, kRegion);
    if (rma::rank() == 1) rma::use_region(region() + 0x1000, region() + 0x2000);
    rma::barrier();
    if (rma::rank() == 0) step();
    rma::flush_all();
    rma::barrier();
  };
  EXPECT_EXIT(with_words(on(3, kNet), body), testing::ExitedWithCode(1),
              absl::StrCat("^magpie: rank 0: ", operation, " of rank ", target,
                           ": ", why, "\n$"));
}

TEST(RegionDeathTest, OutsideThePartInUse) {
  constexpr char kWhy[] =
      "the bytes there are not in the part of the region in use, 0x1000 to "
      "0x2000";
  expect_refusal([] { rma::get_word(remote_word(1, 0xff8)); },
                 "get of 8 bytes at region\\+0xff8", 1, kWhy);
  expect_refusal([] { rma::fetch_add(remote_word(1, 0x2000), 1); },
                 "fetch_add of 8 bytes at region\\+0x2000", 1, kWhy);
  expect_refusal(
      [] {
        const std::array<std::byte, 0x1001> bytes = {};
        rma::put({1, 0x1000}, bytes.data(), bytes.size());
      },
      "put of 4097 bytes at region\\+0x1000", 1, kWhy);
  expect_refusal([] { rma::swap(remote_word(2, 0x1000), 1); },
                 "swap of 8 bytes at region\\+0x1000", 2,
                 "the bytes there are in the region, which is not in use");
}

TEST(RegionDeathTest, OutsideTheSegment) {
  constexpr uint64_t kEnd = kRegion + kLayout.heap_bytes;
  constexpr char kWhy[] = "the bytes there are outside the segment";
  expect_refusal([] { rma::get_word(remote_word(1, kEnd - 7)); },
                 "get of 8 bytes at heap\\+0x1ffff9", 1, kWhy);
  expect_refusal([] { rma::put_word(remote_word(1, kEnd + (1 << 20)), 1); },
                 "put of 8 bytes at heap\\+0x300000", 1, kWhy);
  expect_refusal([] { rma::get_word(remote_word(1, ~uint64_t{7})); },
                 "get of 8 bytes at heap\\+0x[0-9a-f]+", 1, kWhy);
}

TEST(RegionDeathTest, TheSourceOfAPutIsGone) {
  const std::pair<void (*)(), const char*> ends[] = {
      {[] { rma::leave_region(); }, "in the region, which is not in use"},
      {[] { rma::use_region(region() + 0x80, region() + 0x100); },
       "not in the part of the region in use, 0x80 to 0x100"}};
  for (const auto& [end, why] : ends) {
    expect_refusal(
        [end = end] {
          rma::use_region(region(), region() + 0x100);
          rma::put_nb({1, kRegion}, region(), 8);
          end();
        },
        "put of 8 bytes at heap\\+0", 1, absl::StrCat("its buffer .* ", why));
  }
}

// ------------------------------------------------------------- the C++ runtime

// What is being handled is a thread's, and so a rank's.
TEST(Ranks, HandleTheirOwnExceptions) {
  simulate(on(5, kNet), [] {
    for (int round = 0; round < 10; ++round) {
      try {
        try {
          throw 10 * rma::rank() + round;
        } catch (int) {
          go_round();
          try {
            throw std::string("another");
          } catch (const std::string& text) {
            go_round();
            EXPECT_EQ(text, "another");
          }
          go_round();
          throw;
        }
      } catch (int value) {
        EXPECT_EQ(value, 10 * rma::rank() + round);
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

}  // namespace
}  // namespace magpie::sim_test
