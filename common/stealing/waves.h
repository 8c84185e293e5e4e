// Waves over a tree of a group: down it goes a number, up it come the values of
// all its ranks, merged on the way. So all are asked without a collective call:
// each answers when it looks.
//
// Thread safety: an instance belongs to one rank; `down_` and `up_` are put by
// its parent and its children in the tree. Invariants:
//   1. A rank answers wave w once, when it has w from its parent and the
//      answers to w from its children.
//   2. A parent has wave w + 1 after it has used up the answers to wave w: so
//      nothing is put where something is still to be read. Puts are flushed
//      before what tells of them, and before the next ones.

#ifndef MAGPIE_COMMON_STEALING_WAVES_H_
#define MAGPIE_COMMON_STEALING_WAVES_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "common/stealing/group.h"

namespace magpie {

class Waves {
 public:
  // Collective, over all ranks; the instance of a rank that is not of the group
  // is never asked. `bytes` and `align` are those of a value, which is moved as
  // bytes.
  Waves(const Group& group, size_t bytes, size_t align)
      : group_(group),
        bytes_(bytes),
        stride_(stride(bytes, align)),
        down_(rma::allocate<rma::Word>()),
        up_(rma::allocate_bytes(2 * stride_, stride_align(align))) {
    for (size_t i = 0; i < 2; ++i) *answered(up_, i).local() = rma::Word(0);
    rma::name_words(down_, "wave");
    rma::name_bytes(up_.offset, 2 * stride_, 1, "answers");
  }

  static size_t heap_bytes(size_t bytes, size_t align) {
    return rma::allocated_bytes<rma::Word>() +
           rma::allocated_bytes(2 * stride(bytes, align), stride_align(align));
  }

  // To be called again and again, by the tree's root from when it wants to
  // begin a wave, by the others always. True: the rank has answered one. Then
  // `value` is its own, into which those of the ranks below it in the tree were
  // merged by merge(void* into, const void* value): on the root, those of all.
  // False: `value` is as it was. Cost: none; for each wave a put to each child,
  // two to the parent, and their flushes.
  template <typename Merge>
  bool poll(void* value, Merge merge) {
    const GroupTree tree(group_);
    if (!is_told_ && !pass_down(tree)) return false;
    const auto children = static_cast<size_t>(tree.children());
    for (size_t i = 0; i < children; ++i) {
      if (answered(up_, i).local()->load() < wave_) return false;
    }
    for (size_t i = 0; i < children; ++i)
      merge(value, (up_ + i * stride_).local());
    if (!tree.is_root()) pass_up(tree, value);
    is_told_ = false;
    ++wave_;
    return true;
  }

  // The wave that this rank answers next, from 1.
  uint64_t wave() const { return wave_; }

 private:
  // Layout of an answer: a value, and the number of its wave.
  static size_t stride_align(size_t align) {
    return std::max(align, alignof(rma::Word));
  }
  static size_t stride(size_t bytes, size_t align) {
    const size_t to = stride_align(align);
    return (bytes + sizeof(rma::Word) + to - 1) / to * to;
  }
  rma::RemotePtr<rma::Word> answered(rma::RemotePtr<std::byte> up,
                                     size_t child) const {
    return {up.rank, up.offset + (child + 1) * stride_ - sizeof(rma::Word)};
  }

  bool pass_down(const GroupTree& tree) {
    if (!tree.is_root() && down_.local()->load() < wave_) return false;
    for (int i = 0; i < tree.children(); ++i) {
      rma::put_word(down_.at(tree.child(i)), wave_);
      rma::flush(tree.child(i));
    }
    return is_told_ = true;
  }

  void pass_up(const GroupTree& tree, const void* value) {
    const auto child = static_cast<size_t>(tree.number());
    const auto up = up_.at(tree.parent());
    rma::put(up + child * stride_, value, bytes_);
    rma::flush(up.rank);
    rma::put_word(answered(up, child), wave_);
    rma::flush(up.rank);
  }

  const Group group_;
  const size_t bytes_;
  const size_t stride_;
  const rma::RemotePtr<rma::Word> down_;
  const rma::RemotePtr<std::byte> up_;
  uint64_t wave_ = 1;
  // Whether this rank has the wave's number and has passed it on.
  bool is_told_ = false;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_WAVES_H_
