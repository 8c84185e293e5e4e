// Freeing remote objects by a queue under a lock: the baseline that local
// collection is compared with.
//
// A rank that frees an object of another one writes the object's place into
// that rank's queue, in four round trips: lock, count, place, unlock. The owner
// takes the queue's objects back, under the lock, when it wants memory and has
// no free cell of the size.
//
// Source: cluster22 §III-B, "the original implementation by Akiyama and Taura";
// the owner looks when its system does.
//
// The queue has a place for each cell that the memory can be cut into, so it is
// never full: an object is in there once. A rank that frees an object marks it,
// too, which the source does not: so late users can tell (remote_heap.h).
//
// Thread safety: an instance belongs to one rank, which alone allocates and
// collects. free() of an object of another rank's instance touches that rank's
// queue.
//
// Invariants, beside those of the cells:
//   1. `count` is changed under the lock only, by atomics: its owner too, since
//      others add to it.
//   2. places[0, count) are objects that others have freed and marked, each
//      written before the lock is let go.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_LOCK_QUEUE_H_
#define MAGPIE_IMPL_GREEDY_JOIN_LOCK_QUEUE_H_

#include <cstddef>
#include <cstdint>

#include "common/remote_heap/cells.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/stealing/remote_lock.h"

namespace magpie::greedy_join {

class LockQueue : Cells {
  struct Ends {
    alignas(64) rma::Word lock;
    rma::Word count;
  };

 public:
  // allocate() costs no operation; a fetch_add or more and two swaps where
  // there is no free cell of the size and others have freed some.
  using Cells::allocate, Cells::cut_bytes, Cells::free_own, Cells::has_ready,
      Cells::live_objects;

  // The memory has at most 64 GiB. Collective.
  explicit LockQueue(const HeapOptions& options)
      : Cells(options),
        ends_(rma::allocate<Ends>()),
        places_(rma::allocate<uint64_t>(most_objects(options), "freed place")) {
    rma::name_word(own(&Ends::lock), "free-queue lock");
    rma::name_word(own(&Ends::count), "free-queue count");
  }

  static size_t heap_bytes(const HeapOptions& options) {
    return Cells::heap_bytes(options) + rma::allocated_bytes<Ends>() +
           rma::allocated_bytes<uint64_t>(most_objects(options));
  }

  // Cost: 2 fetch_adds, a put and an unlock, each a round trip; a fetch_add_nb,
  // which is none; and a fetch_add for each try to take a lock that another
  // has. No operation where the object lies here.
  [[gnu::always_inline]] void free(rma::RemotePtr<std::byte> object) {
    if (object.rank == rma::rank()) [[likely]]
      free_own(object.local());
    else
      enqueue(object);
  }

  // Frees what other ranks have put into the queue. Cost: none where there is
  // nothing; else a fetch_add or more and two swaps.
  void collect() override {
    if (ends_.local()->count.load() == 0) return;
    lock(own(&Ends::lock));
    const uint64_t count = ends_.local()->count.load();
    for (uint64_t i = 0; i < count; ++i) {
      Cell* const cell = cell_at(i);
      if (cell->freed.load() != 1) freed_twice();
      cell->freed = rma::Word(0);
      recycle(cell);
    }
    rma::swap(own(&Ends::count), 0);  // invariant 1
    unlock(own(&Ends::lock));
  }

 private:
  void want(uint64_t) override { collect(); }

  static size_t most_objects(const HeapOptions& options) {
    return options.bytes / Cells::kLeastBytes + 1;
  }
  rma::RemotePtr<rma::Word> own(rma::Word Ends::*word) const {
    return ends_.at(rma::rank()).field(word);
  }
  Cell* cell_at(uint64_t i) const {
    const rma::RemotePtr<std::byte> object = {rma::rank(), places_.local()[i]};
    return Cell::of(object.local());
  }

  [[gnu::noinline]] void enqueue(rma::RemotePtr<std::byte> object) const {
    const auto queue = ends_.at(object.rank);
    lock(queue.field(&Ends::lock));
    const uint64_t at = rma::fetch_add(queue.field(&Ends::count), 1);
    mark(object);
    rma::put(places_.at(object.rank) + at, object.offset);
    rma::flush(object.rank);  // invariant 2
    unlock(queue.field(&Ends::lock));
  }

  const rma::RemotePtr<Ends> ends_;
  // Offsets of the objects that others have freed.
  const rma::RemotePtr<uint64_t> places_;
};

static_assert(RemoteHeap<LockQueue>);

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_LOCK_QUEUE_H_
