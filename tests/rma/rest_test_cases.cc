// Rests and wakes: no wake is lost, and a rank that is woken sees what came
// before.
//
// A rest that nobody ends lasts an hour, so that a wake which is lost shows as
// a hang; on the simulated network as a livelock.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;

// Work that ranks which wait for each other do now and then: hundreds of rounds
// without it pass for a livelock under exploration.
void work() { rma::compute(1); }

// Returns how often it rested.
template <typename Condition>
uint64_t rest_until(Condition condition) {
  uint64_t rests = 0;
  for (; !condition(); ++rests) rma::rest(kHour);
  work();
  return rests;
}

// Begins a case: wakes seen from here on are this case's.
void begin_case() {
  rma::barrier();
  rma::rest(1);
  rma::barrier();
}

// Sends a token `laps` times from rank to rank. Ranks that do not have it rest.
void send_token_round(uint64_t laps, void (*give)(rma::RemotePtr<rma::Word>)) {
  const auto token = rma::allocate<rma::Word>();
  const int next = neighbour(1);
  uint64_t rests = 0;
  begin_case();
  for (uint64_t lap = 1; lap <= laps; ++lap) {
    const auto pass_on = [&] {
      give(token.at(next));
      rma::wake(next);
    };
    if (rma::rank() == 0) pass_on();
    rests += rest_until([&] { return token.local()->load() == lap; });
    if (rma::rank() != 0) pass_on();
  }
  EXPECT_LE(rests, laps) << "a wake ends one rest";
  rma::barrier();
}

SPMD_TEST(RmaRest, WakesGoRound) {
  send_token_round(100, [](auto token) { rma::fetch_add(token, 1); });
}

SPMD_TEST(RmaRest, WhatWasPutBeforeTheWakeIsSeen) {
  send_token_round(100, [](auto token) {
    const uint64_t lap = rma::get_word(token) + 1;
    rma::put_word(token, lap);
    rma::flush(token.rank);
  });
}

// One rest for each wake: nothing else says that it came. The waker waits for
// the answer, so that no two wakes are seen as one.
SPMD_TEST(RmaRest, WakesAloneAreEnough) {
  constexpr int kRounds = 50;
  const int next = neighbour(1);
  const auto answers = rma::allocate<rma::Word>();
  begin_case();
  for (uint64_t round = 1; round <= kRounds; ++round) {
    rma::wake(next);
    rma::rest(kHour);
    rma::fetch_add(answers.at(neighbour(rma::size() - 1)), 1);
    wait_until([&] { return answers.local()->load() == round; });
    work();
  }
}

// All ranks wake all, whatever these do; the last wake is the one that counts.
SPMD_TEST(RmaRest, EveryoneWakesEveryone) {
  constexpr uint64_t kRounds = 40;
  const auto arrived = rma::allocate<rma::Word>();
  uint64_t rests = 0;
  begin_case();
  for (uint64_t round = 1; round <= kRounds; ++round) {
    for (int hop = 0; hop < rma::size(); ++hop) {
      const int r = neighbour(hop);
      rma::fetch_add(arrived.at(r), 1);
      rma::wake(r);
    }
    rests += rest_until(
        [&] { return arrived.local()->load() >= round * rank_count(); });
  }
  EXPECT_LE(rests, kRounds * rank_count());
}

SPMD_TEST(RmaRest, OwnWakesAreSeenAsOne) {
  begin_case();
  for (int i = 0; i < 3; ++i) rma::wake(rma::rank());
  rma::rest(kHour);
  rma::rest(1'000);
}

// Most ranks wake nobody: one that finds the flag down only raises the count of
// what it brought. Either it sees the flag, or the other sees the count.
SPMD_TEST(RmaRest, WakesOnlyWhoSaysThatItRests) {
  constexpr uint64_t kRounds = 100;
  const auto rests = rma::allocate<Line>(), brought = rma::allocate<Line>();
  const int next = neighbour(1);
  rma::Word& own_rests = word_of(rests).local()[0];
  rma::barrier();
  for (uint64_t round = 1; round <= kRounds; ++round) {
    rma::fetch_add(word_of(brought.at(next)), 1);
    if (rma::get_word(word_of(rests.at(next))) != 0) rma::wake(next);
    own_rests.store_relaxed(1);
    rma::Word::fence();
    rest_until([&] { return word_of(brought).local()->load() >= round; });
    own_rests.store_relaxed(0);
  }
}

// Ranks that never rest are woken while they compute, and those that rest all
// the time see all that was brought.
SPMD_TEST(RmaRest, BusyRanksAreWoken) {
  constexpr uint64_t kWakes = 100;
  const auto brought = rma::allocate<rma::Word>();
  rma::barrier();
  if (rma::rank() == 0) {
    for (uint64_t i = 0; i < kWakes; ++i) {
      for (int r = 1; r < rma::size(); ++r) {
        rma::fetch_add(brought.at(r), 1);
        rma::wake(r);
      }
      work();
    }
  } else if (rma::rank() == 1) {
    wait_until([&] { return brought.local()->load() == kWakes; });
  } else {
    rest_until([&] { return brought.local()->load() == kWakes; });
  }
}

}  // namespace
}  // namespace magpie
