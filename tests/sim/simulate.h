// Simulations in this process, one after the other, for tests of the
// simulator.
//
//   simulate(on(3, "ito_a"), [&] {
//     EXPECT_EQ(took([] { rma::barrier(); }), ...);
//   });
//   by_rank_0(on(3, "ito_a"), [&](rma::RemotePtr<rma::Word> words) {
//     EXPECT_EQ(rma::get_word(words.at(2) + 5), 0u);
//   });
//
// Ranks share the process: what the body captures by reference is common to
// all of them, and outside the simulated time.

#ifndef MAGPIE_TESTS_SIM_SIMULATE_H_
#define MAGPIE_TESTS_SIM_SIMULATE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "common/rma/rma.h"
#include "common/rma/sim/engine/engine.h"
#include "common/rma/sim/machine/time.h"
#include "common/rma/sim/options.h"

namespace magpie::sim_test {

using rma::sim::MemoryModel;
using rma::sim::Time;

// A region, for the tests that use one, and room for a few transfers.
inline constexpr rma::SegmentLayout kLayout = {
    .region_bytes = 1 << 20,
    .heap_bytes = 2 << 20,
    .region_overflow = "the region is full: raise --some_flag"};

inline rma::sim::Options on(int ranks, const std::string& net) {
  rma::sim::Options options;
  options.ranks = ranks;
  options.net = rma::sim::parse_network(net);
  return options;
}

// The same options, with exploration under `seed`.
inline rma::sim::Options exploring(int ranks, const std::string& net,
                                   uint64_t seed, MemoryModel memory) {
  rma::sim::Options options = on(ranks, net);
  options.explore = true;
  options.seed = seed;
  options.memory = memory;
  return options;
}

// A machine with 10 ns and 1 us on the way there, 300 ns of service, and 1 us
// back, whose atomics are served in some way.
inline std::string served(const std::string& fetch_add) {
  return "custom,latency=1us,overhead=10ns,node_size=1,atomic=300ns,poll=5ns,"
         "idle=200ns,fetch_add=" +
         fetch_add;
}
inline constexpr Time kThere = 1'010 * rma::sim::kNanosecond,
                      kBusy = 300 * rma::sim::kNanosecond,
                      kBack = rma::sim::kMicrosecond;

// Runs `body` on every rank, returns what launch() does. A rank's own result
// is 0.
inline int simulate(const rma::sim::Options& options,
                    std::function<void()> body) {
  rma::sim::options = options;
  const auto run_body = [](void* body) {
    (*static_cast<std::function<void()>*>(body))();
    return 0;
  };
  return rma::launch(kLayout, run_body, &body);
}

// Simulates with words at the beginning of each rank's heap. `body` gets its
// rank's words, after a barrier.
inline constexpr size_t kWords = 1 << 17;
using WordsBody = std::function<void(rma::RemotePtr<rma::Word>)>;
inline void with_words(const rma::sim::Options& options,
                       const WordsBody& body) {
  simulate(options, [&] {
    const auto words = rma::allocate<rma::Word>(kWords);
    rma::barrier();
    body(words);
  });
}

// Does the same, but rank 0 alone runs `body`, while the others wait in a
// barrier.
inline void by_rank_0(const rma::sim::Options& options, const WordsBody& body) {
  with_words(options, [&](rma::RemotePtr<rma::Word> words) {
    if (rma::rank() == 0) body(words);
    rma::barrier();
  });
}

inline rma::RemotePtr<std::byte> bytes_of(rma::RemotePtr<rma::Word> words) {
  return {words.rank, words.offset};
}

// The running rank's clock. rma::now() is the same in whole nanoseconds.
inline Time clock() { return rma::sim::engine->running().clock; }

// Time that `work` takes of the running rank.
template <typename Work>
Time took(Work work) {
  const Time begin = clock();
  work();
  return clock() - begin;
}

// Brings the running rank's clock to `time`. REQUIRES: the clock is not past
// it.
inline void wait_until(Time time) { rma::sim::engine->work(time - clock()); }

}  // namespace magpie::sim_test

#endif  // MAGPIE_TESTS_SIM_SIMULATE_H_
