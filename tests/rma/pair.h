// Two ranks that meet round after round, for tests of what one sees of the
// other.

#ifndef MAGPIE_TESTS_RMA_PAIR_H_
#define MAGPIE_TESTS_RMA_PAIR_H_

#include "tests/rma/helpers.h"

namespace magpie {

class Pair {
 public:
  // Ranks 2k and 2k + 1 are a pair. Collective.
  Pair() : meetings_(rma::allocate<Line>()) { rma::barrier(); }

  // False on the last of an odd number of ranks.
  bool exists() const { return peer() < rma::size(); }
  bool first() const { return rma::rank() % 2 == 0; }
  int peer() const { return rma::rank() ^ 1; }

  // Returns when the peer has arrived too. What either did before is complete.
  void meet() {
    rma::flush_all();
    rma::put_word(word_of(meetings_.at(peer())), ++arrived_);
    wait_until([this] { return meetings_.local()->word.load() >= arrived_; });
  }

 private:
  rma::RemotePtr<Line> meetings_;
  uint64_t arrived_ = 0;
};

}  // namespace magpie

#endif  // MAGPIE_TESTS_RMA_PAIR_H_
