// Freeing remote objects by local collection, as cluster22's text has it: an
// object is in a doubly linked list from its allocation to its free, and the
// owner looks through the list for marks when it has allocated more than a
// limit. local_collection.h, which keeps a list of all cells instead, spends
// nothing on links; README.md compares the two.
//
// Source: cluster22 §III-B.
//
// Thread safety: an instance belongs to one rank, which alone allocates and
// collects. free() of an object of another rank's instance touches only the
// word `freed` in front of that object.
//
// Invariants, beside those of the cells:
//   1. The objects that live are in the list, and nothing else is.
//   2. `freed` of an object that lives is added to at most once, by its last
//      user on another rank.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_LINKED_COLLECTION_H_
#define MAGPIE_IMPL_GREEDY_JOIN_LINKED_COLLECTION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "common/remote_heap/cells.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"

namespace magpie::greedy_join {

class LinkedCollection : Cells {
  // Header in front of each object.
  struct alignas(16) Link {
    Link* previous;
    Link* next;
    uint64_t bytes;
    // Mark of other ranks that they have freed the object; 0 while it lives.
    // The last field, where Cells::mark() finds it.
    rma::Word freed;
  };
  static_assert(sizeof(Link) == offsetof(Link, freed) + sizeof(rma::Word) &&
                sizeof(Cell) == offsetof(Cell, freed) + sizeof(rma::Word));

 public:
  using Cells::heap_bytes, Cells::cut_bytes;

  // The memory has at most 64 GiB. Collective.
  explicit LinkedCollection(const HeapOptions& options)
      : Cells(options),
        first_limit_(std::min(uint64_t{64} << 10, options.bytes / 4)) {}

  // Cost: no operation.
  [[gnu::always_inline]] std::byte* allocate(size_t bytes) {
    if (live_bytes_ + bytes > limit_) [[unlikely]]
      collect();
    Link* const link =
        reinterpret_cast<Link*>(Cells::allocate(sizeof(Link) + bytes));
    *link = {nullptr, newest_, bytes, rma::Word(0)};
    if (newest_ != nullptr) newest_->previous = link;
    newest_ = link;
    live_bytes_ += bytes;
    ++live_objects_;
    return reinterpret_cast<std::byte*>(link + 1);
  }

  // Cost: 1 fetch_add_nb; no operation where the object lies here.
  [[gnu::always_inline]] void free(rma::RemotePtr<std::byte> object) {
    if (object.rank == rma::rank()) [[likely]]
      free_own(object.local());
    else
      mark(object);
  }
  [[gnu::always_inline]] void free_own(std::byte* object) {
    Link* const link = reinterpret_cast<Link*>(object) - 1;
    if (link->freed.own_value() != 0) [[unlikely]]
      freed_twice();
    unlink(link);
  }

  // Frees what other ranks have marked. Cost: no operation; time in the number
  // of objects that live.
  [[gnu::noinline]] void collect() override {
    for (Link* link = newest_; link != nullptr;) {
      Link* const next = link->next;
      const uint64_t marks = link->freed.load();
      if (marks > 1) freed_twice();
      if (marks == 1) unlink(link);
      link = next;
    }
    // The next collection comes when twice as much lives, or seems to.
    limit_ = std::max(first_limit_, 2 * live_bytes_);
  }

  // Number of objects that nobody has freed yet. Collects first.
  uint64_t live_objects() {
    collect();
    return live_objects_;
  }

 private:
  void want(uint64_t more) override {
    if (more == Cells::kNoneLeft) collect();
  }

  [[gnu::always_inline]] void unlink(Link* link) {
    (link->previous == nullptr ? newest_ : link->previous->next) = link->next;
    if (link->next != nullptr) link->next->previous = link->previous;
    live_bytes_ -= link->bytes;
    --live_objects_;
    *reinterpret_cast<uint64_t*>(link + 1) = 0;  // remote_heap.h: even
    recycle(Cell::of(reinterpret_cast<std::byte*>(link)));
  }

  const uint64_t first_limit_;
  // First object of the list.
  Link* newest_ = nullptr;
  uint64_t live_bytes_ = 0;
  uint64_t live_objects_ = 0;
  // Limit of live_bytes_, beyond which it is time to collect.
  uint64_t limit_ = first_limit_;
};

static_assert(RemoteHeap<LinkedCollection>);

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_LINKED_COLLECTION_H_
