// However far a rank runs ahead of others: what it sees of them at a time is
// what has happened by then, and what others see of it likewise.
//
// Random programs of puts, gets, stores and loads on a network without queues,
// where the time of each effect follows from that of its issue.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/machine/network.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using rma::sim::Network;

constexpr size_t kSlots = 16;  // words of each rank

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

// What happened, in the order in which the simulator came to it.
struct History {
  std::map<Place, std::vector<Change>> changes;
  std::vector<Look> looks;
};

// One rank's part of the program.
class Actor {
 public:
  Actor(RemotePtr<Word> words, uint64_t seed, History* history)
      : words_(words),
        net_(rma::sim::engine->net()),
        random_(seed * 1000 + static_cast<uint64_t>(rma::rank())),
        history_(*history) {}

  void act() {
    const uint64_t kind = below(6);
    const int me = rma::rank();
    const int other =
        static_cast<int>(below(static_cast<uint64_t>(rma::size())));
    // Words that their owner stores to, and words that others put to.
    const size_t own = below(kSlots / 2), put = kSlots / 2 + own;
    if (kind == 0) rma::compute(below(3000));
    if (kind == 1) rma::idle(1 + static_cast<int>(below(20)));
    if (kind == 2) {
      words_.local()[own].store(next_value());
      history_.changes[{me, own}].push_back({clock(), value_});
    }
    if (kind == 3) {
      const size_t slot = below(2) == 0 ? own : put;
      const uint64_t value = words_.local()[slot].load();
      history_.looks.push_back({{me, slot}, clock(), value});
    }
    if (kind == 4) {
      rma::put_word(words_.at(other) + put, next_value());
      history_.changes[{other, put}].push_back({clock() + way(other), value_});
    }
    if (kind == 5) {
      const size_t slot = below(2) == 0 ? own : put;
      const Time issued = clock() + net_.overhead;
      const uint64_t value = rma::get_word(words_.at(other) + slot);
      history_.looks.push_back({{other, slot}, issued + way(other), value});
    }
  }

 private:
  uint64_t below(uint64_t n) { return random_() % n; }
  Time way(int other) const { return net_.path(rma::rank(), other).latency; }
  uint64_t next_value() {
    return value_ = (value_ | static_cast<uint64_t>(rma::rank())) + 0x100;
  }

  const RemotePtr<Word> words_;
  const Network& net_;
  std::mt19937_64 random_;
  History& history_;
  uint64_t value_ = 0;
};

History run(int ranks, const std::string& net, uint64_t seed) {
  History history;
  with_words(on(ranks, net), [&](RemotePtr<Word> words) {
    Actor actor(words, seed, &history);
    for (int step = 0; step < 300; ++step) actor.act();
    rma::flush_all();
    rma::barrier();
  });
  return history;
}

// Values that a look may find: the last change before it, and any at the very
// time of either.
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
  for (const char* net :
       {"custom,latency=1us,node_latency=1us,overhead=10ns,node_size=1",
        "custom,latency=2us,node_latency=300ns,overhead=0s,node_size=2",
        "custom,latency=200ns,node_latency=3us,overhead=1us,node_size=3",
        "custom,latency=10ns,node_latency=10ns"}) {
    for (int ranks : {1, 2, 3, 6, 20}) {
      size_t looks = 0, certain = 0;
      for (uint64_t seed = 0; seed < 20; ++seed) {
        SCOPED_TRACE(testing::Message()
                     << ranks << " ranks on " << net << ", seed " << seed);
        History history = run(ranks, net, seed);
        for (const Look& look : history.looks) {
          const std::vector<uint64_t> values =
              allowed(history.changes[look.place], look.time);
          EXPECT_THAT(values, testing::Contains(look.value));
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

}  // namespace
}  // namespace magpie::sim_test
