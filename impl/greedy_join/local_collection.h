// Freeing remote objects by local collection.
//
// A rank that frees another's object only marks it, with one non-blocking
// operation (Cells::free); the owner keeps its objects in a list and looks
// through it for marks when it has allocated more than a limit.
//
// Source: cluster22 §III-B. In the paper an object enters the list when it is
// allocated and leaves it when its owner frees it. Here the list is that of all
// cells (cells.h), which a cell enters when it is cut and never leaves. It is
// as long as the most objects that ever lived at once. And the mark, in the
// paper a bit that is put, is added: a put may come once more when the owner
// has seen it and handed out the object again (rma.h).
//
// Thread safety: that of Cells.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_
#define MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_

#include <algorithm>
#include <cstdint>

#include "common/remote_heap/cells.h"
#include "common/remote_heap/remote_heap.h"

namespace magpie::greedy_join {

class LocalCollection : Cells {
 public:
  using Cells::allocate, Cells::free, Cells::free_own, Cells::has_ready;
  using Cells::Cells, Cells::heap_bytes, Cells::cut_bytes, Cells::live_objects;

  void collect() override {
    recycle_marked();
    // The next collection comes when twice as much is cut as was looked
    // through.
    limit_ = std::max(kFirstLimit, 2 * cut_bytes());
  }

 private:
  static constexpr uint64_t kFirstLimit = 64 << 10;

  void want(uint64_t more) override {
    if (cut_bytes() + more > limit_) collect();
  }

  // Limit of the memory cut into cells, beyond which it is time to collect.
  uint64_t limit_ = kFirstLimit;
};

static_assert(RemoteHeap<LocalCollection>);

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_LOCAL_COLLECTION_H_
