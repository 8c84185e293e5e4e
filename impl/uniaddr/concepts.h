// What the thread layer asks of the parts it is composed with. Each is a place
// to put your own.

#ifndef MAGPIE_IMPL_UNIADDR_CONCEPTS_H_
#define MAGPIE_IMPL_UNIADDR_CONCEPTS_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie::uniaddr {

// A continuation in the region that anybody may take: the frames of a thread
// from its saved context, which is at the lowest address, up to its parent's.
// Source: hpdc15 Fig. 4, lines 3-6 (frame_base and ctx are one address here).
struct TaskqEntry {
  std::byte* frame_base;
  uint64_t frame_bytes;
};

// A double-ended queue of continuations, whose owner pushes and pops the
// youngest and whose thieves take the oldest, over RMA. `Remote` names another
// rank's queue.
template <typename Q>
concept StealableQueue = requires(Q queue, TaskqEntry entry, TaskqEntry* out,
                                  typename Q::Remote remote, int rank,
                                  size_t capacity) {
  requires std::constructible_from<Q, size_t>;  // capacity; collective
  // Owner.
  { queue.push(entry) } -> std::same_as<void>;
  {
    queue.pop(out)
    } -> std::same_as<bool>;  // false: empty, and no thief is still copying
  { queue.empty() } -> std::same_as<bool>;
  // Thief. take_oldest is called with the lock held, which keeps the frames
  // where they are.
  { queue.remote(rank) } -> std::same_as<typename Q::Remote>;
  { Q::looks_empty(remote) } -> std::same_as<bool>;
  { Q::try_lock(remote) } -> std::same_as<bool>;
  { Q::take_oldest(remote, out) } -> std::same_as<bool>;
  { Q::unlock(remote) } -> std::same_as<void>;
};

// Remotely accessible memory whose objects any rank may free (cluster22
// §III-B).
template <typename H>
concept RemoteHeap = requires(H heap, size_t bytes,
                              rma::RemotePtr<std::byte> object) {
  // On the calling rank; ends the job in words when there is none left.
  { heap.allocate(bytes, bytes) } -> std::same_as<rma::RemotePtr<std::byte>>;
  {
    heap.free(object)
    } -> std::same_as<void>;  // from any rank, not waiting for the owner
  {
    heap.live_objects()
    } -> std::same_as<uint64_t>;  // after collecting; of the calling rank
};

// Where to look for work next.
template <typename V>
concept VictimSelection = requires(V select) {
  requires std::constructible_from<V, int, int,
                                   uint64_t>;  // rank, size >= 2, seed
  { select.next() } -> std::same_as<int>;      // any rank but the own
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_CONCEPTS_H_
