// How many tasks a steal takes. A policy of both queues, StealVolume: half of
// what is left, as in icpp21, or one, for items that stand for more than
// themselves.
//
// With SWS a thief knows only what was offered at first and how many steals
// were attempted since: what the n-th steal takes follows from these.
//
//   block(itasks, n)      What the n-th steal takes, n = 0, 1, ..., of `itasks`
//                         that were offered. Empty: nothing is left for it.
//   of(available)         What a steal takes of `available` tasks. (SDC)
//   steals(itasks)        How many steals take all of it.
//   kToldApart            Whether completions are told apart (completions.h).
//   kFlushesNotices       Whether a thief waits until its notice of completion
//                         has arrived. Where an item is no more than its
//                         bytes, the victim wants nothing but its place back,
//                         some time. Where it stands for frames, as with
//                         volume one, the victim may have nothing else to do.

#ifndef MAGPIE_IMPL_SWS_QUEUE_VOLUME_H_
#define MAGPIE_IMPL_SWS_QUEUE_VOLUME_H_

#include <algorithm>
#include <concepts>
#include <cstdint>

namespace magpie::sws_queue {

// Offered tasks [first, first + size), counted from the oldest.
struct Block {
  uint64_t first, size;
  bool operator==(const Block&) const = default;
};

template <typename V>
concept StealVolume = requires(uint64_t n) {
  { V::block(n, n) } -> std::same_as<Block>;
  { V::of(n) } -> std::same_as<uint64_t>;
  { V::steals(n) } -> std::same_as<uint64_t>;
  { V::kToldApart } -> std::convertible_to<bool>;
  { V::kFlushesNotices } -> std::convertible_to<bool>;
};

// Half of what is left, at least one: icpp21 §4, example (2): of 150 tasks the
// steals take 75, 37, 19, 9, 5, 2, 1, 1, 1.
struct Half {
  static constexpr bool kFlushesNotices = false;
  // Completions are told apart: one word for each steal (icpp21 §4, example 4).
  static constexpr bool kToldApart = true;

  static constexpr uint64_t of(uint64_t available) {
    return std::max(available / 2, std::min(available, uint64_t{1}));
  }
  static constexpr Block block(uint64_t itasks, uint64_t n) {
    uint64_t first = 0;
    for (; n > 0 && first < itasks; --n) first += of(itasks - first);
    return {first, of(itasks - first)};
  }
  static constexpr uint64_t steals(uint64_t itasks) {
    uint64_t n = 0;
    for (; itasks > 0; ++n) itasks -= of(itasks);
    return n;
  }
};

struct One {
  static constexpr bool kFlushesNotices = true;
  static constexpr bool kToldApart = false;

  static constexpr uint64_t of(uint64_t available) {
    return std::min(available, uint64_t{1});
  }
  static constexpr Block block(uint64_t itasks, uint64_t n) {
    const uint64_t first = std::min(itasks, n);
    return {first, of(itasks - first)};
  }
  static constexpr uint64_t steals(uint64_t itasks) { return itasks; }
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_VOLUME_H_
