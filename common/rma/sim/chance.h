// What exploration leaves to chance: everything that a network, a processor or
// an operating system may do one way or the other.
//
// Each seed also draws how rough it is: how often ranks are preempted and for
// how long, how uneven latencies are, how long stores stay unseen. Protocols
// break in different corners of these.

#ifndef MAGPIE_COMMON_RMA_SIM_CHANCE_H_
#define MAGPIE_COMMON_RMA_SIM_CHANCE_H_

#include <array>
#include <cstdint>
#include <random>

#include "common/rma/sim/time.h"

namespace magpie::rma::sim {

class Chance {
 public:
  // `usual` is the way of a message on an unloaded network.
  Chance(uint64_t seed, Time usual)
      : random_(seed),
        usual_(usual),
        pause_one_in_(pick<uint64_t>({0, 2, 8, 32, 128})),
        longest_pause_(usual * pick<Time>({1, 4, 16, 64})),
        detour_one_in_(pick<uint64_t>({0, 2, 8})),
        longest_detour_(usual * pick<Time>({2, 8, 32})),
        longest_unseen_(usual * pick<Time>({0, 1, 4, 16})) {}

  // How long a rank is kept from its next step.
  Time pause() {
    const Time jitter = below(usual_ / 16 + 1);
    return one_in(pause_one_in_) ? jitter + below(longest_pause_ + 1) : jitter;
  }

  // One way of a message whose usual latency is given.
  Time latency(Time usual) {
    const Time jitter = below(usual / 4 + 1);
    return usual + jitter +
           (one_in(detour_one_in_) ? below(longest_detour_ + 1) : 0);
  }

  // How long a store stays in the store buffer.
  Time unseen() { return below(longest_unseen_ + 1); }

  // The order of simultaneous events.
  uint64_t order() { return random_() & 0xffffffff; }

  bool coin() { return (random_() & 1) != 0; }

 private:
  // Plain remainders: the standard's distributions differ between libraries.
  uint64_t below(uint64_t n) { return random_() % n; }
  bool one_in(uint64_t n) { return n != 0 && below(n) == 0; }
  template <typename T, size_t N>
  T pick(const T (&choices)[N]) {
    return choices[below(N)];
  }

  std::mt19937_64 random_;
  Time usual_;
  uint64_t pause_one_in_;
  Time longest_pause_;
  uint64_t detour_one_in_;
  Time longest_detour_;
  Time longest_unseen_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_CHANCE_H_
