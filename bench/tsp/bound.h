// The least number that any rank has found, a word on every rank: each rank
// reads its own, and a rank that has found a lesser number brings it to all.
//
// Shim atomics have no minimum. A rank swaps its number in; if what comes out
// is less it swaps that in again, and so on. For a moment a word has more than
// its least: so what is read is a bound, and not always the best.
//
// Thread safety: all ranks may call all functions. Invariants:
//   1. A word has what it began with, or a number that was brought.
//   2. The least number that was ever brought to a word is in it, or in the
//      hands of a rank that is in bring() and will swap it in. When no rank is
//      in bring(), it is in the word.
//   3. What a rank has in its hands for a word becomes less with each swap: so
//      bring() ends.
//   4. A number is brought to rank 0 first. A rank that finds a number there
//      that is not greater need not tell the others: the rank that brought it
//      has told them, or does.

#ifndef MAGPIE_BENCH_TSP_BOUND_H_
#define MAGPIE_BENCH_TSP_BOUND_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie::tsp {

// A handle, the same on all ranks.
class Bound {
 public:
  Bound() = default;
  // Collective, with the same number on all ranks; to be used after a barrier.
  explicit Bound(uint64_t begin) : words_(rma::allocate<rma::Word>()) {
    words_.local()->store(begin);
  }
  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }

  // The bound that the calling rank knows. Cost: none.
  uint64_t known() const { return words_.local()->load(); }

  // Lowers the bound. Cost: a swap on rank 0; if the number is the least, one
  // on every other rank; more where several ranks bring at the same time.
  void lower(uint64_t number) const {
    const uint64_t before = bring(0, number);
    if (before <= number) {
      if (rma::rank() != 0) bring(rma::rank(), before);
      return;
    }
    for (int rank = 1; rank < rma::size(); ++rank) bring(rank, number);
  }

 private:
  // Brings the number to a rank's word. Returns what the word had.
  uint64_t bring(int rank, uint64_t number) const {
    const auto word = words_.at(rank);
    const uint64_t before = rma::swap(word, number);
    for (uint64_t out = before; out < number;) {
      number = out;
      out = rma::swap(word, number);
    }
    return before;
  }

  rma::RemotePtr<rma::Word> words_;
};

}  // namespace magpie::tsp

#endif  // MAGPIE_BENCH_TSP_BOUND_H_
