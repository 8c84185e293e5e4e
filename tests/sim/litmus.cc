#include "tests/sim/litmus.h"

namespace magpie::sim_test {

void linger() {
  const Time end = clock() + 80 * rma::sim::engine->net().between_nodes.latency;
  while (clock() < end) rma::idle();
}

std::map<Seen, int> outcomes(MemoryModel memory, const std::string& net,
                             const std::vector<Part>& parts) {
  std::map<Seen, int> count;
  for (uint64_t seed = 1; seed <= kSeeds; ++seed) {
    Seen seen = {};
    simulate(exploring(static_cast<int>(parts.size()), net, seed, memory), [&] {
      const Words words = {rma::allocate<rma::Word>(),
                           rma::allocate<rma::Word>()};
      rma::barrier();
      parts[static_cast<size_t>(rma::rank())](words, &seen);
      linger();  // what comes now lets out all stores
      rma::flush_all();
      rma::barrier();
    });
    ++count[seen];
  }
  return count;
}

}  // namespace magpie::sim_test
