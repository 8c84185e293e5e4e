// How all ranks learn that a run is to end before all of its work is done.
//
// The rank that ends it puts into a word of each rank. A tree, down which ranks
// pass what they have learnt, would be held up by each rank on it that runs a
// long task; and a run ends early once.
//
// Thread safety: an instance belongs to one rank; others change its words.
// Invariants:
//   1. `callers`, on rank 0, is changed by atomics only: one caller is first,
//      and tells all.
//   2. `told` changes once, from 0 to 1, by puts of that caller alone.

#ifndef MAGPIE_COMMON_RUN_EARLY_END_H_
#define MAGPIE_COMMON_RUN_EARLY_END_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/names.h"
#include "common/rma/rma.h"

namespace magpie {

class EarlyEnd {
 public:
  // Collective.
  EarlyEnd() : words_(rma::allocate<Words>()), own_(words_.local()) {
    rma::name_words(words_, "early end");
  }

  static size_t heap_bytes() { return rma::allocated_bytes<Words>(); }

  // Whether the run is to end, as far as the calling rank knows. Cost: no
  // operation.
  bool is_announced() const { return own_->told.load() != 0; }

  // The same, for a caller that asks again and again, and loads other Words in
  // between. Cost: an instruction; no simulated time.
  bool is_seen() const { return own_->told.glance() != 0; }

  // Tells all ranks. When it has returned, all know where the caller was the
  // first; where it was not, all will know soon. Cost: none where the calling
  // rank knows; else a fetch_add and, for the first, a put_nb to each rank.
  [[gnu::cold]] void announce() const {
    if (is_announced()) return;
    if (rma::fetch_add(words_.field(&Words::callers).at(0), 1) > 0) return;
    const uint64_t told = 1;
    for (int rank = 0; rank < rma::size(); ++rank) {
      const auto word = words_.field(&Words::told).at(rank);
      rma::put_nb({word.rank, word.offset}, &told, sizeof(told));
    }
    rma::flush_all();
  }

 private:
  struct Words {
    // Word that its owner looks at again and again, and nobody else.
    alignas(64) rma::Word told;
    alignas(64) rma::Word callers;
  };

  rma::RemotePtr<Words> words_;
  const Words* own_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_EARLY_END_H_
