// Servers of atomics between nodes (fetch_add=native, poll, thread): what
// serving costs which rank, and that no rank waits for ever.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;

constexpr Time kNs = 1'000, kUs = 1'000'000;
constexpr Time kUnhindered = kThere + kBusy + kBack;

// Runs `body` on all ranks, from the same time on.
using RankBody = std::function<void(RemotePtr<Word>, Time begin)>;
void on_ranks(int ranks, const std::string& machine, const RankBody& body) {
  with_words(on(ranks, machine), [&](RemotePtr<Word> words) {
    body(words, clock());
    rma::flush_all();
    rma::barrier();
  });
}

struct Case {
  const char* what;
  const char* machine;
  // What rank 0 does, and when rank 1 then knows of its atomic.
  void (*meanwhile)(RemotePtr<Word>);
  Time known;
};

// A rank that serves itself does so where it polls or waits, and at no other
// time. The barrier comes after 100 us, and it is served there at the latest.
const Case kCases[] = {
    {"BesideAnAdapter", "native", [](auto) { rma::compute(100'000); },
     kUnhindered},
    {"BesideAThread", "thread", [](auto) { rma::compute(100'000); },
     kUnhindered},
    {"WhileItComputes", "poll", [](auto) { rma::compute(100'000); },
     100 * kUs + kBusy + kBack},
    {"WhereItPolls", "poll",
     [](auto) {
       rma::compute(7'000);
       rma::poll();
       rma::compute(100'000);
     },
     7 * kUs + 5 * kNs + kBusy + kBack},
    {"WhileItLooksAtItsWords", "poll",
     [](RemotePtr<Word> words) {
       for (int i = 0; i < 100; ++i) {
         words.local()->load();
         Word::fence();
         rma::compute(100);
       }
     },
     10 * kUs + 200 * rma::sim::kWordTime + kBusy + kBack},
    {"InABarrier", "poll", [](auto) {}, kUnhindered},
    {"WhileItIdles", "poll", [](auto) { rma::idle(100); }, kUnhindered},
    {"WhileItRests", "poll", [](auto) { rma::rest(100'000); }, kUnhindered},
    // For an answer, from 20 ns on.
    {"WhileItWaitsForAGet", "poll",
     [](RemotePtr<Word> words) {
       rma::put_word(words.at(2) + 1, 1);
       rma::get_word(words.at(2));
     },
     kUnhindered},
    {"InAFlush", "poll",
     [](RemotePtr<Word> words) {
       rma::put_word(words.at(2) + 1, 1);
       rma::flush(2);
     },
     kUnhindered},
    // From 1,015 ns until its answer is there.
    {"InAFlushOfWhatHasTakenEffect", "poll",
     [](RemotePtr<Word> words) {
       rma::put_word(words.at(2) + 1, 1);
       rma::compute(1'005);
       words.local()->load();
       rma::flush(2);
       rma::compute(100'000);
     },
     1'015 * kNs + rma::sim::kWordTime + kBusy + kBack},
    // That one comes first.
    {"WhileItWaitsForItsOwnAtomicAtItself", "poll",
     [](RemotePtr<Word> words) { rma::fetch_add(words.at(0) + 1, 1); },
     kUnhindered + kBusy},
};

TEST(Serving, HappensWhereTheTargetPollsOrWaits) {
  for (const Case& c : kCases) {
    Time known = 0;
    on_ranks(3, served(c.machine), [&](RemotePtr<Word> words, Time begin) {
      if (rma::rank() == 0) c.meanwhile(words);
      if (rma::rank() != 1) return;
      EXPECT_EQ(rma::fetch_add(words.at(0), 1), 0u);
      known = clock() - begin;
    });
    EXPECT_EQ(known, c.known) << c.what;
  }
}

// Atomics that came before its end are served, too.
TEST(Serving, GoesOnWhenTheTargetHasEnded) {
  for (const auto& times : {std::pair{0, 1'000}, {50, 0}}) {
    const int computes = times.first, asks_at = times.second;
    Time known = 0;
    with_words(on(2, served("poll")), [&](RemotePtr<Word> words) {
      const Time begin = clock();
      rma::compute(1'000 * (rma::rank() == 0 ? computes : asks_at));
      if (rma::rank() == 0) return;
      rma::fetch_add(words.at(0), 1);
      known = clock() - begin;
    });
    EXPECT_EQ(known, asks_at > 0 ? asks_at * kUs + kUnhindered
                                 : computes * kUs + kBusy + kBack);
  }
}

TEST(Serving, TakesTheTargetsTimeForEachAtomicAndForNoTransfer) {
  on_ranks(4, served("poll"), [](RemotePtr<Word> words, Time begin) {
    const RemotePtr<Word> there = words.at(0);
    if (rma::rank() == 1) rma::fetch_add(there, 4);
    if (rma::rank() == 2) rma::swap(there + 1, 9);
    if (rma::rank() == 3) {
      rma::put_word(there + 2, 1);
      rma::flush(0);
      EXPECT_EQ(rma::get_word(there + 2), 1u);
      EXPECT_LT(clock() - begin, 5 * kUs);
      uint64_t before = 7;
      rma::fetch_add_nb(there, 1, &before);
      rma::flush(0);
      EXPECT_EQ(before, 4u);
    }
    if (rma::rank() != 0) return;
    EXPECT_EQ(took([] { rma::poll(); }), 5 * kNs);
    EXPECT_EQ(rma::self().counters.served, 0u);
    rma::compute(10'000);
    EXPECT_EQ(took([] { rma::poll(); }), 5 * kNs + 3 * kBusy);
    EXPECT_EQ(took([] { rma::poll(); }), 5 * kNs);
    EXPECT_EQ(words.local()[0].load(), 5u);
    EXPECT_EQ(words.local()[1].load(), 9u);
    EXPECT_EQ(rma::self().counters.served, 3u);
    EXPECT_EQ(rma::self().counters.serving_ns, 900u);
    EXPECT_EQ(rma::self().counters.poll_ns, 915u);
  });
}

// Atomics are served one after the other, as they came; those that come while
// the rank serves in a poll wait for the next.
TEST(Serving, GoesInTheOrderOfArrival) {
  std::vector<Time> known;
  on_ranks(6, served("poll"), [&](RemotePtr<Word> words, Time begin) {
    const auto r = static_cast<Time>(rma::rank());
    if (r == 0) {
      rma::compute(5'000);
      rma::poll();  // 5 us + 5 ns to 5,905 ns
      rma::compute(10'000);
      return;
    }
    // Ranks 1 to 3 arrive before 2 us, 4 when it serves the second, 5 when it
    // computes.
    wait_until(begin + (r == 4   ? 4'395 * kNs
                        : r == 5 ? 7 * kUs
                                 : r * 10 * kNs));
    EXPECT_EQ(rma::fetch_add(words.at(0), 1), r - 1);
    known.push_back(clock() - begin);
  });
  const Time first = 5'005 * kNs + kBusy + kBack;
  const Time second = 15'905 * kNs + kBusy + kBack;
  EXPECT_EQ(known, (std::vector<Time>{first, first + kBusy, first + 2 * kBusy,
                                      second, second + kBusy}));
}

const rma::Cost kNode("uts_node");

// Pieces of work that are charged in one step are served between as if they
// were charged one by one.
TEST(Serving, GoesOnBetweenPieces) {
  const auto times = [](uint64_t pieces, Time shift, bool in_one_step) {
    std::vector<std::vector<Time>> times(8);  // of each rank
    on_ranks(8, served("poll"), [&](RemotePtr<Word> words, Time) {
      const auto r = static_cast<Time>(rma::rank());
      for (Time i = 0; r > 0 && i < 9; ++i) {
        wait_until(clock() + (r * 7'919 + i * i * shift) % 9'000 * kNs);
        rma::fetch_add(words.at(0), 1);
        times[r].push_back(clock());
      }
      if (r > 0) return;
      rma::compute(7'000);  // some wait already
      const rma::Work all[] = {{kNode, 3 * pieces}, {kNode, 2 * pieces}};
      if (in_one_step) rma::charge_and_poll(all, pieces);
      for (uint64_t i = 0; !in_one_step && i < pieces; ++i) {
        rma::charge(kNode, 5);
        rma::poll();
      }
      const auto& counters = rma::self().counters;
      times[0] = {clock(), counters.served, counters.poll_ns};
    });
    return times;
  };
  for (uint64_t pieces : {1, 2, 10, 100}) {
    for (Time shift = 100; shift < 120; ++shift)
      EXPECT_EQ(times(pieces, shift, true), times(pieces, shift, false));
  }
}

// Serving makes a wait no longer, except at its end.
TEST(Serving, MakesAWaitLongerOnlyAtItsEnd) {
  const auto waits_for = [](Time later) {
    Time waited = 0;
    on_ranks(3, served("poll"), [&](RemotePtr<Word> words, Time begin) {
      if (rma::rank() == 0) waited = took([&] { rma::get_word(words.at(2)); });
      if (rma::rank() != 1) return;
      wait_until(begin + later);
      rma::fetch_add(words.at(0), 1);
    });
    return waited;
  };
  // The answer comes after 2,010 ns, the atomic after 1,010 and `later`.
  constexpr Time kAnswer = 2'010 * kNs;
  EXPECT_EQ(waits_for(700 * kNs), kAnswer);
  EXPECT_EQ(waits_for(701 * kNs), kAnswer + 1 * kNs);
  EXPECT_EQ(waits_for(1'100 * kNs), kAnswer);
}

// Atomics that wait already when the rank begins to wait are served then.
TEST(Serving, BeginsWithWhatHasCome) {
  on_ranks(4, served("poll"), [](RemotePtr<Word> words, Time) {
    if (rma::rank() == 0) {
      rma::compute(10'000);
      EXPECT_EQ(took([] { rma::idle(2); }), 3 * kBusy) << "more than 400 ns";
      EXPECT_EQ(took([] { rma::idle(2); }), 400 * kNs);
    } else {
      rma::fetch_add(words.at(0), 1);
    }
  });
}

TEST(Served, AreThoseThroughAdapters) {
  // Ranks 0 and 1 share a node, whose processors do their atomics.
  const std::string machine =
      served("poll") + ",node_size=2,node_latency=100ns,node_atomic=50ns";
  with_words(on(4, machine), [](RemotePtr<Word> words) {
    if (rma::rank() == 0) rma::compute(100'000);
    if (rma::rank() == 1) {
      EXPECT_EQ(took([&] { rma::fetch_add(words.at(0), 1); }), 260 * kNs);
      EXPECT_EQ(took([&] { rma::fetch_add(words.at(1), 1); }), 260 * kNs);
    }
    if (rma::rank() == 2) {
      EXPECT_GT(took([&] { rma::fetch_add(words.at(0), 1); }), 90 * kUs);
    }
    rma::barrier();
    EXPECT_EQ(rma::self().counters.served, rma::rank() == 0 ? 1u : 0u);
  });
}

TEST(Served, ARankMayWorkBetweenLoads) {
  with_words(on(2, served("poll")), [](RemotePtr<Word> words) {
    for (int i = 0; i < 3 && words.local()->load() == 0; ++i)
      rma::compute(2'000'000'000);  // longer than its patience
  });
}

TEST(ServedDeathTest, ALoopThatNeverIdlesIsFound) {
  const auto spins = [] {
    rma::sim::Options options = on(2, served("poll"));
    options.patience = 1e-3;
    with_words(options, [](RemotePtr<Word> words) {
      if (rma::rank() == 1) rma::fetch_add(words.at(0), 1);
      while (rma::rank() == 0 && words.local()->load() == 0) continue;
    });
  };
  EXPECT_EXIT(spins(), testing::ExitedWithCode(1),
              "rank 0: has only loaded words of its own since .*rma::idle");
}

}  // namespace
}  // namespace magpie::sim_test
