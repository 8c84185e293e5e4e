// The completion arrays of an SWS queue: for each epoch, which of its claimed
// blocks were copied.
//
// With volume half there is a word for each steal, which its thief raises by
// the number of tasks (icpp21 §4, example 4); with volume one a counter for the
// epoch, since there may be as many steals as tasks.
//
// Thread safety: `notice` is for thieves, each for its own block; all else is
// the owner's. Invariants:
//   1. The words of an epoch in which steals are unfinished are changed by
//      atomics only. `clear` stores plainly: it is called for an epoch whose
//      claimed blocks were all finished and which thieves cannot see, so no
//      rank has anything to add there.
//   2. A steal's word is 0 until its block was copied.

#ifndef MAGPIE_IMPL_SWS_QUEUE_COMPLETIONS_H_
#define MAGPIE_IMPL_SWS_QUEUE_COMPLETIONS_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "impl/sws_queue/volume.h"

namespace magpie::sws_queue {

template <typename Volume>
class Completions {
 public:
  using Remote = rma::RemotePtr<rma::Word>;

  // For epochs of up to `max_itasks` tasks. Collective.
  Completions(int epochs, uint64_t max_itasks)
      : words_per_epoch_(words_for(max_itasks)),
        words_(rma::allocate<rma::Word>(words_per_epoch_ *
                                        static_cast<size_t>(epochs))) {
    rma::name_words(words_, "completion",
                    words_per_epoch_ * static_cast<size_t>(epochs));
  }

  static size_t heap_bytes(int epochs, uint64_t max_itasks) {
    return rma::allocated_bytes<rma::Word>(words_for(max_itasks) *
                                           static_cast<size_t>(epochs));
  }

  // Clears the words of an epoch. The owner's.
  void clear(uint32_t epoch) {
    for (uint64_t n = 0; n < words_per_epoch_; ++n) word(epoch, n).store(0);
  }

  // How many of an epoch's tasks were copied without a gap from its tail, as
  // far as can be told; `claimed()` is how many were claimed by now. A counter
  // tells only that all were: it is read before what is claimed, or a later
  // block's notice could stand for an earlier one's.
  template <typename Claimed>
  uint64_t finished(uint32_t epoch, Claimed claimed) const {
    uint64_t tasks = 0;
    if constexpr (Volume::kToldApart) {
      for (uint64_t n = 0; n < words_per_epoch_; ++n) {
        const uint64_t block = word(epoch, n).load();
        if (block == 0) break;
        tasks += block;
      }
    } else {
      tasks = word(epoch, 0).load();
      if (tasks != claimed()) return 0;
    }
    return tasks;
  }

  // Tells that the n-th steal of an epoch of `rank`'s has copied its block. A
  // thief's. Cost: 1 fetch_add_nb.
  void notice(int rank, uint32_t epoch, uint64_t n, const Block& block) const {
    const uint64_t at = Volume::kToldApart ? n : 0;
    rma::fetch_add_nb(words_.at(rank) + (epoch * words_per_epoch_ + at),
                      block.size, nullptr);
  }

 private:
  static uint64_t words_for(uint64_t max_itasks) {
    return Volume::kToldApart ? Volume::steals(max_itasks) : 1;
  }
  rma::Word& word(uint32_t epoch, uint64_t n) const {
    return words_.local()[epoch * words_per_epoch_ + n];
  }

  const uint64_t words_per_epoch_;
  const rma::RemotePtr<rma::Word> words_;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_COMPLETIONS_H_
