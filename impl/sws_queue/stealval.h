// The stealval: one 64-bit word that tells a thief what a queue offers, and in
// which it claims a part of that by one fetch-and-add.
//
//     attempted steals | epoch | initial tasks | tail
//     high                                        low
//
// Source: icpp21 §4 and Fig. 3 (the first version), §4.2 and Fig. 4 (epochs).
// The widths are parameters, so that tests reach the ends of the fields.

#ifndef MAGPIE_IMPL_SWS_QUEUE_STEALVAL_H_
#define MAGPIE_IMPL_SWS_QUEUE_STEALVAL_H_

#include <cstdint>

namespace magpie::sws_queue {

// kEpochs: how many epochs may have steals in them that are not completed.
//
// `asteals` has the upper end of the word: what overflows there is lost, and
// disturbs no other field. Only the owner changes the others.
template <int kAstealsBits, int kEpochBits, int kItasksBits, int kTailBits,
          int kEpochs>
struct Stealval {
  static_assert(kAstealsBits + kEpochBits + kItasksBits + kTailBits <= 64);
  static_assert(1 <= kEpochs && kEpochs < (1 << kEpochBits),
                "one value of the epoch says that steals are disabled");

  static constexpr int epochs = kEpochs;
  static constexpr int asteals_shift = 64 - kAstealsBits;
  // Number of attempts that are counted before the count begins again.
  static constexpr uint64_t asteals_end = uint64_t{1} << kAstealsBits;
  static constexpr uint64_t max_itasks = (uint64_t{1} << kItasksBits) - 1;
  static constexpr uint64_t max_tail = (uint64_t{1} << kTailBits) - 1;
  // Value in place of an epoch which says that steals are disabled.
  static constexpr uint32_t disabled = (1u << kEpochBits) - 1;
  static constexpr int epoch_shift = kTailBits + kItasksBits;
  // Number that an attempt adds to the word.
  static constexpr uint64_t kAttempt = uint64_t{1} << asteals_shift;

  // Attempts to steal since the owner last set the word.
  uint64_t asteals = 0;
  uint32_t epoch = 0;
  // Number of tasks that were offered when the word was set.
  uint64_t itasks = 0;
  // Place in the ring where these tasks begin.
  uint64_t tail = 0;

  static constexpr uint64_t asteals_of(uint64_t word) {
    return word >> asteals_shift;
  }
  static constexpr Stealval unpack(uint64_t word) {
    return {.asteals = asteals_of(word),
            .epoch = static_cast<uint32_t>(word >> epoch_shift) & disabled,
            .itasks = word >> kTailBits & max_itasks,
            .tail = word & max_tail};
  }
  // REQUIRES: each field is within its width.
  constexpr uint64_t pack() const {
    return asteals << asteals_shift | uint64_t{epoch} << epoch_shift |
           itasks << kTailBits | tail;
  }
  constexpr bool is_disabled() const { return epoch == disabled; }

  bool operator==(const Stealval&) const = default;
};

// Stealval of §4.2, with two epochs.
using WithEpochs = Stealval<24, 2, 19, 19, 2>;
// The same for rings of up to 2^30 places, of which at most 1,023 tasks are
// offered at a time: for queues that are deep, and offer little.
using LongRing = Stealval<22, 2, 10, 30, 2>;
// Stealval of §4: its valid bit is an epoch's field of one bit, 0 for valid.
// There is one epoch, so that an owner that changes what is offered waits for
// the steals that have begun.
using FirstVersion = Stealval<24, 1, 19, 20, 1>;

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_STEALVAL_H_
