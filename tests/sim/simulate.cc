#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

int run_body(void* body) {
  (*static_cast<const std::function<void()>*>(body))();
  return 0;
}

}  // namespace

rma::sim::Options on(int ranks, const std::string& net) {
  rma::sim::Options options;
  options.ranks = ranks;
  options.net = rma::sim::parse_network(net);
  return options;
}

rma::sim::Options exploring(int ranks, const std::string& net, uint64_t seed,
                            MemoryModel memory) {
  rma::sim::Options options = on(ranks, net);
  options.explore = true;
  options.seed = seed;
  options.memory = memory;
  return options;
}

int simulate(const rma::sim::Options& options,
             const std::function<void()>& body) {
  rma::sim::options = options;
  return rma::launch(kLayout, &run_body,
                     const_cast<std::function<void()>*>(&body));
}

void with_words(const rma::sim::Options& options, const WordsBody& body) {
  simulate(options, [&] {
    const auto words = rma::allocate<rma::Word>(kWords);
    rma::barrier();
    body(words);
  });
}

void by_rank_0(const rma::sim::Options& options, const WordsBody& body) {
  with_words(options, [&](rma::RemotePtr<rma::Word> words) {
    if (rma::rank() == 0) body(words);
    rma::barrier();
  });
}

void wait_until(Time time) { rma::sim::engine->work(time - clock()); }

}  // namespace magpie::sim_test
