// Ranks that wait, rest and look at the clock.

#include "common/testing/spmd.h"
#include "tests/rma/helpers.h"

namespace magpie {
namespace {

// -------------------------------------------------------------------- progress
//
// Operations complete whatever their target is doing.
//
// RmaOneSided: the target computes, outside the shim. It cannot hold on a
// network that needs the target's help; such a configuration leaves the suite
// out with --gtest_filter=-RmaOneSided.*
//
// RmaProgress: the target polls, idles or rests. It holds everywhere.
//
// A failure is a hang, which the test's time limit ends.

struct Target {
  alignas(64) std::array<std::byte, 5000> data;
  alignas(64) rma::Word word;
  // Number of ranks that have finished.
  alignas(64) rma::Word finished;
};

// Does each kind of operation, and waits for it.
void all_kinds_at(rma::RemotePtr<Target> target) {
  const auto data = target.field(&Target::data);
  const auto word = target.field(&Target::word);
  std::array<std::byte, 5000> buffer{};
  uint64_t before = 0;
  for (int i = 0; i < 20; ++i) {
    for (size_t bytes : {size_t{1}, size_t{8}, buffer.size()}) {
      rma::put(as_bytes(data), buffer.data(), bytes);
      rma::get(buffer.data(), as_bytes(data), bytes);
      rma::put_nb(as_bytes(data), buffer.data(), bytes);
      rma::flush(target.rank);
    }
    rma::fetch_add(word, 1);
    rma::swap(word, 0);
    rma::fetch_add_nb(word, 1, &before);
    rma::flush_all();
  }
}

// Each rank in turn is the target of all others; it does `meanwhile` until they
// have finished.
template <typename Meanwhile>
void bother_each_rank(Meanwhile meanwhile) {
  const auto targets = rma::allocate<Target>();
  const uint64_t others = rank_count() - 1;
  for (int busy = 0; busy < rma::size(); ++busy) {
    rma::barrier();
    if (rma::rank() == busy) {
      while (targets.local()->finished.load() < others) meanwhile();
    } else {
      all_kinds_at(targets.at(busy));
      rma::fetch_add(targets.at(busy).field(&Target::finished), 1);
    }
    rma::barrier();
  }
}

SPMD_TEST(RmaOneSided, TargetComputes) {
  volatile uint64_t work = 0;
  bother_each_rank([&work] { work = work + 1; });
}

SPMD_TEST(RmaProgress, TargetPolls) {
  volatile uint64_t work = 0;
  bother_each_rank([&work] {
    work = work + 1;
    rma::poll();
  });
}

SPMD_TEST(RmaProgress, TargetIdles) {
  bother_each_rank([] { rma::idle(); });
}

// The target rests for shorter and for longer than an operation takes.
SPMD_TEST(RmaProgress, TargetRests) {
  for (uint64_t nanoseconds : {1'000, 200'000})
    bother_each_rank([=] { rma::rest(nanoseconds); });
}

// The target is busy with its own memory through the shim, and with a third
// rank's.
SPMD_TEST(RmaProgress, TargetOperatesOnItself) {
  const auto own = rma::allocate<rma::Word>(rank_count());
  bother_each_rank([&] {
    rma::fetch_add(own.at(rma::rank()) + this_rank(), 1);
    rma::get_word(own.at(neighbour(1)) + this_rank());
    rma::idle();
  });
}

// ------------------------------------------------------------- rests and wakes
//
// Rests and wakes: no wake is lost, and a rank that is woken sees what came
// before.
//
// A rest that nobody ends lasts an hour, so that a wake which is lost shows as
// a hang; on the simulated network as a livelock.

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

// ------------------------------------------------------------- the rank itself
//
// The rank itself: numbers, nodes, clock.

SPMD_TEST(RmaRank, NumbersAreDense) {
  EXPECT_TRUE(same_on_all_ranks({rank_count()}));
  std::vector<uint64_t> present(rank_count());
  ++present.at(this_rank());
  EXPECT_TRUE(all_ranks_sum_to(present, 1));
}

// All ranks have the same idea of which ranks share memory.
SPMD_TEST(RmaRank, Nodes) {
  std::vector<uint64_t> nodes;
  for (int r = 0; r < rma::size(); ++r) {
    EXPECT_GE(rma::node_of(r), 0);
    EXPECT_LT(rma::node_of(r), rma::size());
    nodes.push_back(static_cast<uint64_t>(rma::node_of(r)));
  }
  EXPECT_TRUE(same_on_all_ranks(nodes));
}

SPMD_TEST(RmaRank, ComputeTakesItsTime) {
  for (uint64_t nanoseconds : {0, 1, 1000, 2'000'000}) {
    const uint64_t begin = rma::now();
    rma::compute(nanoseconds);
    EXPECT_GE(rma::now() - begin, nanoseconds);
  }
}

// A message does not arrive before it was sent, by the clock that the ranks of
// a node share.
SPMD_TEST(RmaRank, ClockIsCommonToANode) {
  const auto sent = rma::allocate<rma::Word>();
  const bool same_node =
      rma::node_of(neighbour(rma::size() - 1)) == rma::node_of(rma::rank());
  uint64_t last = 0;
  for (int round = 0; round < 50; ++round) {
    rma::put_word(sent.at(neighbour(1)), rma::now() + 1);
    wait_until([&] { return sent.local()->load() != 0; });
    const uint64_t arrival = rma::now(), departure = sent.local()->load() - 1;
    if (same_node) {
      ASSERT_GE(arrival, departure);
    }
    ASSERT_GE(arrival, last);
    last = arrival;
    complete_all();
    sent.local()->store(0);  // nobody sends between the barriers
    rma::barrier();
  }
}

}  // namespace
}  // namespace magpie
