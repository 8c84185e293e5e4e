// The concept of remotely accessible memory whose objects any rank may free:
// thread entries and evacuated threads are often freed by another rank than the
// one they lie on (cluster22 §III-B). The simplest class that meets it is
// asking_heap.h; the suite for all is remote_heap_suite.h.

#ifndef MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_H_
#define MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie {

struct HeapOptions {
  uint64_t bytes;
  // Purpose of the memory, and the flag that sizes it, for when it is
  // exhausted: "the evacuation memory", "--evacuation_bytes".
  const char* what;
  const char* flag;
  // Words that end the job where it is noticed that an object is freed twice.
  const char* freed_twice = "an object is freed twice";
};

// One instance on each rank.
//
//   H(options)            Collective.
//   H::heap_bytes(options)
//                         What an instance takes of the symmetric heap, at
//                         most, on each rank.
//   allocate(bytes)       An object of the calling rank, at a multiple of 16.
//                         What is in it is undefined. Prints an error and ends
//                         the job when the memory is exhausted, also of what
//                         others have freed.
//   free(object)          Frees what allocate() of this instance, or of its
//                         counterpart on another rank, returned. Waits for
//                         nobody, or for others that free or collect at the
//                         time; complete after the next flush. Cost: no
//                         operation for an object of the calling rank's.
//                         REQUIRES: the caller is its last user.
//                         When its owner has it back (at once, or at the latest
//                         in live_objects()) its first 8 bytes are an even
//                         number, until it is allocated again. Before that the
//                         8 bytes before it tell late users: they are 0 while
//                         it lives, and when another rank's free of it is
//                         complete they are not.
//   free_own(object)      The same for an object of the calling rank's.
//   live_objects()        How many objects the calling rank has, without those
//                         whose free is complete.
//   has_ready(bytes)      Optional: whether the next allocate() of `bytes`
//                         (less than 2048) takes only a few instructions.
template <typename H>
concept RemoteHeap = std::constructible_from<H, const HeapOptions&> &&
    requires(H heap, const HeapOptions& options, size_t bytes,
             rma::RemotePtr<std::byte> object, std::byte* own) {
  { H::heap_bytes(options) } -> std::same_as<size_t>;
  { heap.allocate(bytes) } -> std::same_as<std::byte*>;
  { heap.free(object) } -> std::same_as<void>;
  { heap.free_own(own) } -> std::same_as<void>;
  { heap.live_objects() } -> std::same_as<uint64_t>;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_REMOTE_HEAP_REMOTE_HEAP_H_
