// Whose turn it is. However far a rank runs ahead of others: what it sees of
// them at a time is what has happened by then, and what others see of it
// likewise. And how long a rest lasts that a wake ends, to the picosecond; that
// nothing depends on rests that have ended.
//
// Look-ahead is tested by random programs of puts, gets, swaps, stores and
// loads. The time of an effect follows from the time when its initiator knows
// of it; that of an unflushed put, on networks where nothing waits, from the
// time of its issue.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/topology.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using rma::sim::kMicrosecond;
using rma::sim::kNanosecond;
using rma::sim::Network;

constexpr size_t kSlots = 24;  // words of each rank

// A word, as (rank, slot).
using Place = std::pair<int, size_t>;

struct Change {
  Time time;  // of its effect
  uint64_t value;
};

struct Look {
  Place place;
  Time time;  // of its effect
  uint64_t value;
};

// Events that happened, in the order in which the simulator came to it.
struct History {
  std::map<Place, std::vector<Change>> changes;
  std::vector<Look> looks;
};

// One rank's part of the program.
class Actor {
 public:
  Actor(RemotePtr<Word> words, bool flushes, uint64_t seed, History* history)
      : words_(words),
        flushes_(flushes),
        net_(rma::sim::engine->net()),
        hops_(net_.topology, net_.node_of(rma::size() - 1) + 1),
        random_(seed * 1000 + static_cast<uint64_t>(rma::rank())),
        history_(*history) {}

  void act() {
    const uint64_t kind = below(9);
    const int me = rma::rank();
    const int other =
        static_cast<int>(below(static_cast<uint64_t>(rma::size())));
    // Words that their owner stores to, that others put to, that all swap.
    const size_t own = below(kSlots / 3), put = kSlots / 3 + own,
                 swapped = kSlots / 3 + put;
    if (kind == 0) rma::compute(below(3000));
    if (kind == 1) rma::idle(1 + static_cast<int>(below(20)));
    if (kind == 7) rma::rest(1 + below(3000));
    if (kind == 8) rma::wake(other);
    if (kind == 2) {
      words_.local()[own].store(next_value());
      history_.changes[{me, own}].push_back({clock(), value_});
    }
    if (kind == 3) {
      const size_t slot = own + below(3) * kSlots / 3;
      const uint64_t value = words_.local()[slot].load();
      history_.looks.push_back({{me, slot}, clock(), value});
    }
    if (kind == 4) {
      rma::put_word(words_.at(other) + put, next_value());
      Time effect = clock() + latency(other, false);
      if (flushes_) {
        rma::flush(other);
        effect = clock() - net_.puts.service - latency(other, false);
      }
      history_.changes[{other, put}].push_back({effect, value_});
    }
    if (kind == 5) {
      const size_t slot = own + below(3) * kSlots / 3;
      const uint64_t value = rma::get_word(words_.at(other) + slot);
      const Time effect = clock() - net_.gets.service - latency(other, false);
      history_.looks.push_back({{other, slot}, effect, value});
    }
    if (kind == 6) {
      const uint64_t value =
          rma::swap(words_.at(other) + swapped, next_value());
      const bool by_processors = same_node(other) && net_.node_atomics;
      const Time service =
          (by_processors ? *net_.node_atomics : net_.atomics).service;
      const Time effect = clock() - service - latency(other, true);
      history_.looks.push_back({{other, swapped}, effect, value});
      history_.changes[{other, swapped}].push_back({effect, value_});
    }
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  bool same_node(int other) const {
    return net_.node_of(rma::rank()) == net_.node_of(other);
  }
  Time latency(int other, bool atomic) const {
    const int hops =
        hops_.between(net_.node_of(rma::rank()), net_.node_of(other));
    const bool within = same_node(other) && (!atomic || net_.node_atomics);
    return (within ? net_.within_node : net_.between_nodes).latency +
           static_cast<Time>(hops) * net_.hop;
  }
  uint64_t next_value() {
    return value_ = (value_ | static_cast<uint64_t>(rma::rank())) + 0x100;
  }

  const RemotePtr<Word> words_;
  const bool flushes_;
  const Network& net_;
  const rma::sim::Hops hops_;
  std::mt19937_64 random_;
  History& history_;
  uint64_t value_ = 0;
};

struct Machine {
  const char* net;
  // Whether operations may wait; puts are flushed then.
  bool things_wait = false;
};

History run(int ranks, const Machine& machine, uint64_t seed) {
  History history;
  with_words(on(ranks, machine.net), [&](RemotePtr<Word> words) {
    Actor actor(words, machine.things_wait, seed, &history);
    for (int step = 0; step < 300; ++step) actor.act();
    rma::flush_all();
    rma::barrier();
  });
  return history;
}

// Values that a look may find: that of the last change before it, and those of
// changes at the very time of either.
std::vector<uint64_t> allowed(std::vector<Change> changes, Time time) {
  const auto by_time = [](const Change& a, const Change& b) {
    return a.time < b.time;
  };
  std::stable_sort(changes.begin(), changes.end(), by_time);
  std::vector<uint64_t> allowed = {0};
  Time last = 0;
  for (const Change& change : changes) {
    if (change.time > time) break;
    if (change.time < time && change.time != last) allowed.clear();
    last = change.time;
    allowed.push_back(change.value);
  }
  return allowed;
}

TEST(LookAhead, EveryLookFindsWhatHasHappenedByThen) {
  for (const Machine& machine : std::vector<Machine>{
           {"custom,latency=1us,node_latency=1us,overhead=10ns,node_size=1"},
           {"custom,latency=2us,node_latency=300ns,overhead=0s,node_size=2"},
           {"custom,latency=200ns,node_latency=3us,overhead=1us,node_size=3"},
           {"custom,latency=10ns,node_latency=10ns"},
           {"custom,latency=10ns,hop=300ns,topology=torus:5x4"},
           {"custom,latency=100ns,node_latency=700ns,hop=1us,topology=tree:2,"
            "node_size=2,node_atomic=adapter"},
           {"custom,latency=300ns,node_latency=2us,node_size=99,"
            "node_atomic=adapter"},
           {"custom,latency=1us,node_latency=300ns,overhead=10ns,node_size=3,"
            "message=400ns,get=100ns,put=150ns,atomic=500ns,atomic_server=node",
            true},
           {"custom,latency=1us,overhead=10ns,node_size=4,message=90ns,"
            "get=300ns,node_atomic=adapter,atomic=1us",
            true},
           {"custom,latency=1us,node_latency=1us,overhead=10ns,node_size=1,"
            "fetch_add=poll"},
           {"custom,latency=1us,node_latency=300ns,overhead=10ns,node_size=3,"
            "message=400ns,get=100ns,put=150ns,fetch_add=poll",
            true}}) {
    for (int ranks : {1, 2, 3, 6, 20}) {
      size_t looks = 0, certain = 0;
      for (uint64_t seed = 0; seed < 12; ++seed) {
        SCOPED_TRACE(testing::Message() << ranks << " ranks on " << machine.net
                                        << ", seed " << seed);
        History history = run(ranks, machine, seed);
        for (const Look& look : history.looks) {
          const std::vector<uint64_t> values =
              allowed(history.changes[look.place], look.time);
          EXPECT_GT(std::ranges::count(values, look.value), 0);
          ++looks;
          certain += values.size() == 1;
        }
      }
      // There is something to check.
      EXPECT_GT(looks, 1000u * static_cast<size_t>(ranks));
      EXPECT_GT(certain, looks / 2);
    }
  }
}

// ----------------------------------------------------------------------- rests

constexpr uint64_t kHour = 3'600'000'000'000;

// Rank 0 does `rests`, at the time at which rank 1 does `wakes`, and others
// wait.
using Body = std::function<void(RemotePtr<Word>)>;
void meanwhile(const Body& rests, const Body& wakes,
               const std::string& server = "native") {
  with_words(on(3, served(server)), [&](RemotePtr<Word> words) {
    if (rma::rank() == 0) rests(words);
    if (rma::rank() == 1) wakes(words);
    rma::flush_all();
    rma::barrier();
  });
}

Time rest(uint64_t nanoseconds) {
  return took([=] { rma::rest(nanoseconds); });
}

void wake_twice(RemotePtr<Word>) {
  rma::wake(0);
  rma::wake(0);
}

// Where ranks serve, the wake is served first.
TEST(Rest, EndsWhenTheWakeTakesEffect) {
  for (const auto& [server, busy] :
       {std::pair("native", Time{0}), std::pair("poll", kBusy)}) {
    meanwhile(
        [busy = busy](auto) {
          EXPECT_EQ(rest(kHour), 5 * kMicrosecond + kThere + busy);
        },
        [](auto) {
          rma::compute(5'000);
          EXPECT_EQ(took([] { rma::wake(0); }), kThere + kBusy + kBack);
        },
        server);
  }
}

// Also after a rest that has lasted its time.
TEST(Rest, OfWhoWasWokenBeforeEndsAtOnce) {
  meanwhile(
      [](auto) {
        EXPECT_EQ(rest(3'000), 3 * kMicrosecond);
        EXPECT_EQ(took([] { rma::idle(100); }), 20 * kMicrosecond);
        EXPECT_EQ(rest(kHour), 0u) << "two wakes are seen as one";
        EXPECT_EQ(rest(77'000), 77 * kMicrosecond);
        rma::wake(0);
        EXPECT_EQ(rest(kHour), 0u) << "woken by itself";
      },
      [](auto words) {
        rma::compute(5'000);
        wake_twice(words);
      });
}

// The rank ran ahead: by the simulator's order, the wake came when it rested
// already.
TEST(Rest, OfWhoRanAheadBeginsBeforeItEnds) {
  meanwhile(
      [](auto) {
        rma::compute(3'000);
        EXPECT_EQ(rest(kHour), 0u);
        EXPECT_EQ(rest(kHour), 2 * kThere + kBusy + kBack - 3 * kMicrosecond);
      },
      wake_twice);
}

// A rest may also be longer than a wait in which nobody works.
TEST(Rest, LastsAsLongAsItMayWhereNobodyWakes) {
  for (uint64_t nanoseconds :
       {uint64_t{1}, uint64_t{999'999}, uint64_t{1'000'001},
        uint64_t{77'777'777}, kHour}) {
    meanwhile(
        [=](auto) { EXPECT_EQ(rest(nanoseconds), nanoseconds * kNanosecond); },
        [](auto) { rma::compute(2 * kHour); });
  }
}

// A thousand rests that were woken leave nothing that hides the deadlock.
TEST(RestDeathTest, ADeadlockAfterWakesIsSeenAtItsTime) {
  const auto stuck = [] {
    meanwhile(
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
