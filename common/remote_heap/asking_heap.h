// The simplest remote heap: whoever frees an object of another rank marks it,
// and the owner looks for marks at all its objects whenever it allocates.
//
// Other parts are tested with it. It is slow: each allocation takes time in
// proportion to the number of objects.
//
// Thread safety: that of Cells.

#ifndef MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_
#define MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_

#include <cstddef>
#include <cstdint>

#include "common/remote_heap/cells.h"
#include "common/remote_heap/remote_heap.h"

namespace magpie {

class AskingHeap : Cells {
 public:
  using Cells::Cells, Cells::heap_bytes;
  using Cells::free, Cells::free_own, Cells::live_objects;

  // Cost: no operation.
  std::byte* allocate(size_t bytes) {
    recycle_marked();
    return Cells::allocate(bytes);
  }

 private:
  void want(uint64_t) override {}
};

static_assert(RemoteHeap<AskingHeap>);

}  // namespace magpie

#endif  // MAGPIE_COMMON_REMOTE_HEAP_ASKING_HEAP_H_
