// The symmetric heap of a rank: where its next object lies, whether all ranks
// have allocated the same, and what lies at an offset. All backends implement
// rma::allocate_bytes and its relatives by it.

#ifndef MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_
#define MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"

namespace magpie::rma::internal {

// Bytes of all gaps of a heap. Where checks are active, a few bytes between two
// objects belong to neither, so that writes before or beyond an object are
// noticed. Gaps come on top of SegmentLayout::heap_bytes, until these bytes are
// used up.
inline constexpr size_t kGapBytes = 64 << 10;
// Bytes that a backend adds to a heap for gaps.
inline size_t gap_bytes() { return checks_are_active() ? kGapBytes : 0; }

// The objects of a heap, in the order of their offsets, which count from the
// segment's begin.
class HeapObjects {
 public:
  // Adds an object, behind which is a gap of `gap` bytes.
  void add(uint64_t begin, size_t bytes, size_t gap) {
    objects_.push_back({begin, begin + bytes});
    segment_bytes_ += gap;
  }
  size_t size() const { return objects_.size(); }
  // Begins anew, for a segment of so many bytes, without gaps, and no objects.
  void clear(uint64_t segment_bytes) {
    objects_.clear();
    last_ = {};
    segment_bytes_ = segment_bytes;
  }

  // Whether all of [offset, offset + bytes) belongs to one object.
  bool holds(uint64_t offset, size_t bytes) const {
    return within(last_, offset, bytes) || find(offset, bytes);
  }
  // Says in words where an offset lies, for an access that is not within one
  // object.
  std::string describe(uint64_t offset, size_t bytes) const;

 private:
  struct Object {
    uint64_t begin = 0, end = 0;
  };

  static bool within(const Object& object, uint64_t offset, size_t bytes) {
    return offset >= object.begin && offset <= object.end &&
           bytes <= object.end - offset;
  }
  bool find(uint64_t offset, size_t bytes) const;

  std::vector<Object> objects_;
  uint64_t segment_bytes_ = 0;
  // The object found last: most accesses are to the same object as the one
  // before.
  mutable Object last_;
};

// The heap of one rank. Thread safety: belongs to the rank.
class SymmetricHeap {
 public:
  // Empties the heap and gives it `bytes`, beside gap_bytes(). Where checks are
  // active, `objects` gets what is allocated: ranks of one process may share
  // it, since all of them then allocate the same as the first.
  void reset(size_t bytes, HeapObjects* objects) {
    *this = SymmetricHeap();
    end_ = bytes;
    objects_ = objects;
  }

  // Allocates as rma::allocate_bytes does. Returns an offset from the heap's
  // begin.
  size_t take(size_t bytes, size_t align);

  // Lets `bytes` more be allocated until end_share; the words that refuse more
  // begin with `words`, whose text must live on.
  void begin_share(size_t bytes, const char* words);
  void end_share() { share_words_ = nullptr; }

  // A number that is equal on ranks that have allocated the same in the same
  // order.
  uint64_t fingerprint() const { return fingerprint_; }
  // Bytes allocated since the last share began, or at all if none has.
  size_t taken() const { return used_ - gaps_ - taken_before_; }

 private:
  size_t next_gap() const;
  [[noreturn]] void refuse(size_t bytes) const;

  // Offsets from the heap's begin, gaps included; `gaps_` is the gaps' sum.
  size_t used_ = 0;
  size_t end_ = 0;
  size_t share_end_ = 0;
  size_t gaps_ = 0;
  // Bytes that were allocated before the last share began, without gaps.
  size_t taken_before_ = 0;
  // How many objects it has.
  size_t count_ = 0;
  uint64_t fingerprint_ = 0;
  // Beginning of the words for too large an allocation, where a share of the
  // heap has begun; or null.
  const char* share_words_ = nullptr;
  HeapObjects* objects_ = nullptr;
};

// The calling rank's heap; each backend defines it. REQUIRES: called by a rank.
SymmetricHeap& own_heap();

// Whether a real network checks its operations.
#ifdef NDEBUG
inline constexpr bool kChecksAccess = false;
#else
inline constexpr bool kChecksAccess = true;
#endif

// Ends the job with words for an operation of the calling rank.
[[noreturn, gnu::cold]] void refuse_access(const char* operation, int rank,
                                           uint64_t offset, size_t bytes,
                                           const HeapObjects& objects);

// For backends, where checks are active: ends the job so unless the operation,
// on `bytes` at an offset of a rank's segment, lies within one object of the
// heap, or within the region.
inline void check_access(const char* operation, int rank, uint64_t offset,
                         size_t bytes, const HeapObjects& objects) {
  const Self& me = self();
  const bool is_fine =
      static_cast<unsigned>(rank) < static_cast<unsigned>(me.size) &&
      (offset < me.region_bytes ? bytes <= me.region_bytes - offset
                                : objects.holds(offset, bytes) || bytes == 0);
  if (!is_fine) [[unlikely]]
    refuse_access(operation, rank, offset, bytes, objects);
}

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_SYMMETRIC_HEAP_H_
