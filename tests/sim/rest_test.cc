// Tests how long a rest lasts that a wake ends, to the picosecond; and that
// nothing depends on rests that have ended.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using rma::sim::kMicrosecond;
using rma::sim::kNanosecond;

constexpr uint64_t kHour = 3'600'000'000'000;

// Rank 0 does `rests`, at the time at which rank 1 does `wakes`, and others
// wait.
using Part = std::function<void(RemotePtr<Word>)>;
void meanwhile(const std::string& net, const Part& rests, const Part& wakes) {
  with_words(on(3, net), [&](RemotePtr<Word> words) {
    if (rma::rank() == 0) rests(words);
    if (rma::rank() == 1) wakes(words);
    rma::flush_all();
    rma::barrier();
  });
}

Time rest(uint64_t nanoseconds) {
  return took([=] { rma::rest(nanoseconds); });
}

// Where ranks serve, the wake is served first.
TEST(Rest, EndsWhenTheWakeTakesEffect) {
  for (const auto& [server, busy] :
       {std::pair("native", Time{0}), std::pair("poll", kBusy)}) {
    meanwhile(
        served(server),
        [busy = busy](auto) {
          EXPECT_EQ(rest(kHour), 5 * kMicrosecond + kThere + busy);
        },
        [](auto) {
          rma::compute(5'000);
          EXPECT_EQ(took([] { rma::wake(0); }), kThere + kBusy + kBack);
        });
  }
}

TEST(Rest, OfWhoWasWokenBeforeEndsAtOnce) {
  meanwhile(
      served("native"),
      [](auto) {
        rma::compute(50'000);
        EXPECT_EQ(rest(kHour), 0u) << "two wakes are seen as one";
        EXPECT_EQ(rest(77'000), 77 * kMicrosecond);
        rma::wake(0);
        EXPECT_EQ(rest(kHour), 0u) << "woken by itself";
      },
      [](auto) {
        rma::wake(0);
        rma::wake(0);
      });
}

// The rank ran ahead: by the simulator's order, the wake came when it rested
// already.
TEST(Rest, OfWhoRanAheadBeginsBeforeItEnds) {
  meanwhile(
      served("native"),
      [](auto) {
        rma::compute(3'000);
        EXPECT_EQ(rest(kHour), 0u);
        EXPECT_EQ(rest(kHour), 2 * kThere + kBusy + kBack - 3 * kMicrosecond);
      },
      [](auto) {
        rma::wake(0);
        rma::wake(0);
      });
}

// A rest may also be longer than a wait in which nobody works.
TEST(Rest, LastsAsLongAsItMayWhereNobodyWakes) {
  for (uint64_t nanoseconds :
       {uint64_t{1}, uint64_t{999'999}, uint64_t{1'000'001},
        uint64_t{77'777'777}, kHour}) {
    meanwhile(
        served("native"),
        [=](auto) { EXPECT_EQ(rest(nanoseconds), nanoseconds * kNanosecond); },
        [](auto) { rma::compute(2 * kHour); });
  }
}

// Long rests that were woken do not shorten later short ones, and leave nothing
// behind.
TEST(Rest, IsNotEndedByTheEndOfTheOneBefore) {
  Time end = 0;
  meanwhile(
      served("native"),
      [&](auto) {
        for (uint64_t longest : {uint64_t{9'000}, kHour, uint64_t{900'000}}) {
          rma::rest(longest);
          EXPECT_EQ(rest(70'000), 70 * kMicrosecond);
        }
        EXPECT_EQ(rest(5'000'000), 5'000 * kMicrosecond);
        end = clock();
      },
      [](auto) {
        for (int i = 0; i < 3; ++i) {
          rma::compute(1'000);
          rma::wake(0);
          rma::compute(100'000);
        }
        rma::compute(10'000'000);
      });
  EXPECT_LT(end, 6'000 * kMicrosecond);
}

// A thousand rests that were woken leave nothing that hides the deadlock.
TEST(RestDeathTest, ADeadlockAfterWakesIsSeenAtItsTime) {
  const auto stuck = [] {
    meanwhile(
        served("native"),
        [](auto) {
          for (int i = 0; i < 1000; ++i) rma::rest(kHour);
        },
        [](auto) {
          for (int i = 0; i < 1000; ++i) {
            rma::compute(1'000);
            rma::wake(0);
          }
          for (;;) rma::barrier();
        });
  };
  EXPECT_EXIT(stuck(), testing::ExitedWithCode(1),
              "^magpie: deadlock: .*, at 33[0-9]{2}\\.[0-9]+ us; 1 of 3 ");
}

}  // namespace
}  // namespace magpie::sim_test
