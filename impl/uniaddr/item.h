// What a rank offers to thieves in its queue: a continuation in place, or a
// ready thread that lies in evacuation memory, on whichever rank.
//
// Source: the first is hpdc15 Fig. 4, taskq_entry. The second is needed where
// several threads become ready at once (cluster22 §V-D), of which the rank can
// go on with one.

#ifndef MAGPIE_IMPL_UNIADDR_ITEM_H_
#define MAGPIE_IMPL_UNIADDR_ITEM_H_

#include <cstddef>
#include <cstdint>

#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie::uniaddr {

// A continuation in the region that anybody may take: the frames of a thread
// from its saved context, which is at the lowest address, up to its parent's.
// Source: hpdc15 Fig. 4, lines 3-6 (frame_base and ctx are one address here).
struct Frames {
  std::byte* frame_base;
  uint64_t frame_bytes;

  std::byte* end() const { return frame_base + frame_bytes; }
};

// Where an evacuated thread lies, and where in the region it belongs. Source:
// hpdc15 Fig. 8, saved_context_t.
struct SavedThread {
  rma::RemotePtr<std::byte> frames;
  Frames home = {};
};

// Two words: where a continuation's frames begin and end. A ready thread is
// packed into them with sizes in units of kUnit, of which all are multiples:
//
//     [ 1 | rank: 27 | frames' offset: 36 ][ home's offset: 32 | size: 32 ]
//
// The first bit is 0 in addresses of programs.
class Item {
 public:
  Item() = default;
  Item(const Frames& in_place)
      : words_{reinterpret_cast<uintptr_t>(in_place.frame_base),
               reinterpret_cast<uintptr_t>(in_place.frame_base) +
                   in_place.frame_bytes} {}
  // REQUIRES: its place is in reach of the packed form: ranks below 2^27,
  // segments of at most 2^40 bytes, regions below 2^36.
  explicit Item(const SavedThread& ready) {
    const auto home =
        static_cast<uint64_t>(ready.home.frame_base - rma::self().region);
    words_[0] = kReady | static_cast<uint64_t>(ready.frames.rank) << 36 |
                ready.frames.offset / kUnit;
    words_[1] = home / kUnit << 32 | ready.home.frame_bytes / kUnit;
    check(thread().frames == ready.frames &&
              thread().home.frame_base == ready.home.frame_base &&
              thread().home.frame_bytes == ready.home.frame_bytes,
          "a ready thread is not where an item can say");
  }

  bool is_in_place() const { return (words_[0] & kReady) == 0; }
  // REQUIRES: is_in_place().
  Frames frames() const {
    return {reinterpret_cast<std::byte*>(words_[0]), words_[1] - words_[0]};
  }
  // REQUIRES: !is_in_place().
  SavedThread thread() const {
    return {{static_cast<int32_t>((words_[0] & ~kReady) >> 36),
             (words_[0] & kOffset) * kUnit},
            {rma::self().region + (words_[1] >> 32) * kUnit,
             (words_[1] & 0xffffffff) * kUnit}};
  }

 private:
  static constexpr uint64_t kUnit = 16;
  static constexpr uint64_t kReady = uint64_t{1} << 63;
  static constexpr uint64_t kOffset = (uint64_t{1} << 36) - 1;

  uint64_t words_[2];
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_ITEM_H_
