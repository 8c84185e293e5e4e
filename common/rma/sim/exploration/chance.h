// Choices that exploration leaves to chance: everything that a network, a
// processor or an operating system may do one way or the other.
//
// Each seed also draws how rough the run is: how often ranks are preempted and
// for how long, how uneven latencies are, how long stores stay unseen, how
// often operations take effect in parts, how often they wait for a flush.
// Protocols break in different corners of these.
//
// Thread safety: one thread. Invariants:
//   1. What is drawn follows from the seed and the draws before, on every
//      machine.
//   2. No message is faster than usual: look-ahead rests on it.
//   3. Without a seed nothing is drawn: there are no pauses, messages are as
//      fast as usual, events of one time come as they were scheduled.

#ifndef MAGPIE_COMMON_RMA_SIM_EXPLORATION_CHANCE_H_
#define MAGPIE_COMMON_RMA_SIM_EXPLORATION_CHANCE_H_

#include <cstddef>
#include <cstdint>
#include <random>

#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Chance {
 public:
  // Nothing is left to chance.
  Chance() = default;

  // `usual` is the way of a message on an unloaded network.
  Chance(uint64_t seed, Time usual)
      : explores_(true),
        random_(seed),
        usual_(usual),
        pause_one_in_(pick<uint64_t>({0, 2, 8, 32, 128})),
        longest_pause_(usual * pick<Time>({1, 4, 16, 64})),
        detour_one_in_(pick<uint64_t>({0, 2, 8})),
        longest_detour_(usual * pick<Time>({2, 8, 32})),
        longest_unseen_(usual * pick<Time>({0, 1, 4, 16})),
        part_one_in_(pick<uint64_t>({0, 1, 2, 8})),
        longest_apart_(usual * pick<Time>({1, 4, 16})),
        kept_one_in_(pick<uint64_t>({0, 1, 2, 8})) {}

  bool explores() const { return explores_; }

  // The time for which a rank is kept from its next step.
  Time pause() {
    if (!explores_) return 0;
    const Time jitter = below(usual_ / 16 + 1);
    return one_in(pause_one_in_) ? jitter + below(longest_pause_ + 1) : jitter;
  }

  // The time for which a rank rests that may rest for `longest`.
  Time rest(Time longest) {
    return explores_ && one_in(2) ? 1 + below(longest) : longest;
  }

  // The latency of one way of a message whose usual latency is given.
  Time latency(Time usual) {
    if (!explores_) return usual;
    const Time jitter = below(usual / 4 + 1);
    return usual + jitter +
           (one_in(detour_one_in_) ? below(longest_detour_ + 1) : 0);
  }

  // The time for which a store stays in the store buffer.
  Time unseen() { return explores_ ? below(longest_unseen_ + 1) : 0; }

  // The time between a part of an operation's effect and the next; 0: the
  // effect is not divided.
  Time apart() {
    return one_in(part_one_in_) ? 1 + below(longest_apart_ + 1) : 0;
  }

  // Whether an operation that nobody waits for is sent by the next flush only.
  bool keeps_back() { return explores_ && one_in(kept_one_in_); }

  // One of 0 to n - 1. REQUIRES: n > 0. Plain remainders: the standard's
  // distributions differ between libraries.
  uint64_t below(uint64_t n) { return random_() % n; }

  // The order, among events of the same time, of the event that was scheduled
  // as number `number`. Unique.
  uint64_t order(uint64_t number) {
    return explores_ ? random_() << 32 | (number & 0xffffffff) : number;
  }

  // Whether the source of a non-blocking put is read when it arrives, instead
  // of at once.
  bool reads_late() { return !explores_ || (random_() & 1) != 0; }

 private:
  bool one_in(uint64_t n) { return n != 0 && below(n) == 0; }
  template <typename T, size_t N>
  T pick(const T (&choices)[N]) {
    return choices[below(N)];
  }

  bool explores_ = false;
  std::mt19937_64 random_;
  Time usual_ = 0;
  uint64_t pause_one_in_ = 0;
  Time longest_pause_ = 0;
  uint64_t detour_one_in_ = 0;
  Time longest_detour_ = 0;
  Time longest_unseen_ = 0;
  uint64_t part_one_in_ = 0;
  Time longest_apart_ = 0;
  uint64_t kept_one_in_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_EXPLORATION_CHANCE_H_
