// The memories of ranks. One region for all: what a rank has there stays its
// own, whichever rank ran meanwhile, and others can always reach it. Stacks
// outside the region: they are as large as told, and a rank that exhausts its
// own is told so.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/context/context.h"
#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

constexpr size_t kRegion = kLayout.region_bytes;
constexpr char kNet[] = "loopback";

std::byte* region() { return rma::self().region; }

// A byte that no other rank has there.
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

// A word of the calling rank's region.
uint64_t& word_of_region(size_t offset) {
  return *reinterpret_cast<uint64_t*>(region() + offset);
}
rma::RemotePtr<rma::Word> remote_word(int rank, size_t offset) {
  return {rank, offset};
}

// Lets the other ranks run, which use their regions.
void go_round() {
  for (int i = 0; i < 5; ++i) rma::idle(1 + (rma::rank() + i) % 3);
}

// Parts of up to `most` bytes overlap, grow, shrink, and are left and used
// again; every seventh rank uses none.
void expect_to_stay(int ranks, int rounds, size_t most) {
  simulate(on(ranks, kNet), [=] {
    const auto r = static_cast<size_t>(rma::rank()) % 7;
    std::mt19937 random(static_cast<unsigned>(rma::rank()));
    std::byte* const high =
        region() + (r == 6 ? kRegion : most + most / 13 * r);
    // The part from here on is filled.
    std::byte* low = high;
    for (int round = 0; round < rounds; ++round) {
      go_round();
      if (r == 3) continue;
      EXPECT_TRUE(is_filled(low, high)) << "in round " << round;
      if (round % 10 == 9) {
        rma::leave_region();
        low = high;
        go_round();
      }
      std::byte* const next = high - random() % most;
      rma::use_region(next, high);
      fill(next, low);
      low = next;
    }
  });
}

TEST(Region, ContentsStayWhoeverRuns) {
  expect_to_stay(7, 40, 40'000);
  // So many ranks that the simulator looks ahead (Turns::look_ahead).
  expect_to_stay(3000, 12, 200);
}

// --------------------------------------------------------------- remote access

// Rank 0 operates on the region of rank 1, which sleeps, while rank 2's is in
// place. (//tests/rma tests long transfers.)
TEST(Region, IsReadAndWrittenWhileAnotherIsInPlace) {
  simulate(on(3, kNet), [&] {
    rma::use_region(region(), region() + 32);
    for (uint64_t i = 0; i < 4; ++i)
      word_of_region(8 * i) = rma::rank() == 1 ? 10 * i : 7;
    rma::barrier();
    if (rma::rank() == 0) {
      rma::put_word(remote_word(1, 0), 1);
      EXPECT_EQ(rma::get_word(remote_word(1, 8)), 10u);
      EXPECT_EQ(rma::fetch_add(remote_word(1, 16), 5), 20u);
      EXPECT_EQ(rma::swap(remote_word(1, 24), 4), 30u);
      rma::flush_all();
    }
    // Rank 2 keeps coming back.
    for (int i = 0; i < 100 && rma::rank() == 2; ++i) rma::idle();
    rma::barrier();
    const std::array<uint64_t, 4> changed = {1, 10, 25, 4};
    for (size_t i = 0; i < 4; ++i)
      EXPECT_EQ(word_of_region(8 * i), rma::rank() == 1 ? changed[i] : 7u) << i;
  });
}

// The bytes of a get, and results, come when the caller runs again, into its
// own region. (//tests/rma tests the source of a late put.)
TEST(Region, HoldsBuffersOfItsRank) {
  with_words(on(5, kNet), [](rma::RemotePtr<rma::Word> words) {
    const int next = (rma::rank() + 1) % rma::size();
    for (uint64_t i = 0; i < 8; ++i)
      words.local()[i].store(static_cast<uint64_t>(100 * rma::rank()) + i);
    rma::use_region(region(), region() + 128);
    fill(region(), region() + 128);
    rma::barrier();
    for (uint64_t round = 0; round < 10; ++round) {
      rma::get(&word_of_region(0), bytes_of(words.at(next)), 56);
      rma::fetch_add_nb(words.at(next) + 20, 5, &word_of_region(56));
      go_round();
      rma::flush_all();
      for (uint64_t i = 0; i < 7; ++i)
        EXPECT_EQ(word_of_region(8 * i), static_cast<uint64_t>(100 * next) + i);
      EXPECT_EQ(word_of_region(56), 5 * round);
      EXPECT_TRUE(is_filled(region() + 64, region() + 128));
    }
  });
}

// A step of rank 0 while rank 1 uses [0x1000, 0x2000) and rank 2 nothing.
struct Refusal {
  std::function<void()> step;
  // "get of 8 bytes at heap+8 of rank 2", and why not.
  std::string operation, why;
};

void expect_refusals(const std::vector<Refusal>& refusals) {
  for (const auto& [step, operation, why] : refusals) {
    const auto body = [&step = step](rma::RemotePtr<rma::Word> words) {
      EXPECT_EQ(words.offset, kRegion);
      if (rma::rank() == 1)
        rma::use_region(region() + 0x1000, region() + 0x2000);
      rma::barrier();
      if (rma::rank() == 0) step();
      rma::flush_all();
      rma::barrier();
    };
    EXPECT_EXIT(with_words(on(3, kNet), body), testing::ExitedWithCode(1),
                absl::StrCat("^magpie: rank 0: ", operation, ": ", why, "\n$"));
  }
}

TEST(RegionDeathTest, OutsideThePartInUseAndOutsideTheSegment) {
  constexpr uint64_t kEnd = kRegion + kLayout.heap_bytes;
  constexpr char kPart[] =
      "the bytes there are not in the part of the region in use, 0x1000 to "
      "0x2000";
  constexpr char kSegment[] = "the bytes there are outside the segment";
  static constexpr std::byte kBytes[0x1001] = {};
  expect_refusals({
      {[] { rma::get_word(remote_word(1, 0xff8)); },
       "get of 8 bytes at region\\+0xff8 of rank 1", kPart},
      {[] { rma::fetch_add(remote_word(1, 0x2000), 1); },
       "fetch_add of 8 bytes at region\\+0x2000 of rank 1", kPart},
      {[] {
         rma::put({1, 0x1000}, kBytes, sizeof(kBytes));
       },
       "put of 4097 bytes at region\\+0x1000 of rank 1", kPart},
      {[] { rma::swap(remote_word(2, 0x1000), 1); },
       "swap of 8 bytes at region\\+0x1000 of rank 2",
       "the bytes there are in the region, which is not in use"},
      {[] { rma::get_word(remote_word(1, kEnd + 1025)); },
       "get of 8 bytes at heap\\+0x200401 of rank 1", kSegment},
      {[] { rma::put_word(remote_word(1, kEnd + (1 << 20)), 1); },
       "put of 8 bytes at heap\\+0x300000 of rank 1", kSegment},
      {[] { rma::get_word(remote_word(1, ~uint64_t{7})); },
       "get of 8 bytes at heap\\+0x[0-9a-f]+ of rank 1", kSegment},
  });
}

TEST(RegionDeathTest, TheSourceOfAPutIsGone) {
  const auto put = [] {
    rma::use_region(region(), region() + 0x100);
    rma::put_nb({1, kRegion}, region(), 8);
  };
  constexpr char kPut[] = "put of 8 bytes at heap\\+0 of rank 1";
  expect_refusals(
      {{[=] {
          put();
          rma::leave_region();
        },
        kPut, "its buffer is in the region, which is not in use"},
       {[=] {
          put();
          rma::use_region(region() + 0x80, region() + 0x100);
        },
        kPut,
        "its buffer is not in the part of the region in use, 0x80 to 0x100"}});
}

// Exceptions that are being handled are a thread's, and so a rank's.
TEST(Ranks, HandleTheirOwnExceptions) {
  simulate(on(5, kNet), [] {
    for (int round = 0; round < 10; ++round) {
      const int thrown = 10 * rma::rank() + round;
      try {
        throw thrown;
      } catch (int) {
        go_round();
        try {
          throw;
        } catch (int value) {
          EXPECT_EQ(value, thrown);
        }
      }
      EXPECT_EQ(std::current_exception(), nullptr);
    }
  });
}

// ---------------------------------------------------------------------- stacks

constexpr char kFar[] = "ito_a,node_size=1";
constexpr char kWords[] = "^magpie: rank 1: .*raise --rank_stack_bytes.*";

// Fills the stack below, by a kilobyte a call.
int descend(int calls) {
  volatile char frame[1000];
  for (volatile char& c : frame) c = static_cast<char>(calls);
  return calls == 0 ? frame[7] : descend(calls - 1) + frame[7];
}

void exhaust() { descend(300); }

// Switches often: each idle() of 20 is longer than the look-ahead.
void switch_often() {
  for (int i = 0; i < 1000; ++i) rma::idle(20);
}

TEST(Stacks, AreAsLargeAsTold) {
  simulate(on(3, kFar), [] { descend(200); });
  rma::sim::Options options = on(3, kFar);
  options.stack_bytes = 2 << 20;
  simulate(options, [] { descend(1800); });
}

TEST(StacksDeathTest, OneIsExhausted) {
  const auto body = [] {
    const rlimit none = {};
    setrlimit(RLIMIT_CORE, &none);
    if (rma::rank() == 1) exhaust();
    rma::barrier();
  };
  EXPECT_EXIT(simulate(on(3, kFar), body), testing::KilledBySignal(SIGSEGV),
              kWords);
}

// With more ranks than can have guard pages: the end of a stack is noticed
// after some switches, even in the rank's region, and at the rank's end. Until
// then the rank whose stack lies below is not harmed.
TEST(StacksDeathTest, OneOfManyIsExhausted) {
  void (*const ways[])() = {exhaust,
                            [] {
                              exhaust();
                              switch_often();
                              std::_Exit(0);  // unnoticed
                            },
                            [] {
                              exhaust();
                              std::byte* const top = region() + kRegion;
                              rma::use_region(top, top);
                              context::call_on_stack(
                                  top, [](void*) { switch_often(); }, nullptr);
                              std::_Exit(0);
                            }};
  for (const auto& way : ways) {
    const auto body = [&] {
      rma::barrier();
      if (rma::rank() == 0) rma::idle(40);  // meanwhile 1 exhausts its stack
      if (rma::rank() == 1) way();
      if (rma::rank() == 2) switch_often();  // from and to 1
    };
    EXPECT_EXIT(simulate(on(20'000, kFar), body), testing::ExitedWithCode(1),
                kWords);
  }
}

}  // namespace
}  // namespace magpie::sim_test
