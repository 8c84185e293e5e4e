// A lock in a word that every rank can reach.
//
// Source: hpdc15 Fig. 6, lines 5 and 11: a fetch_add that finds 0 has it.
// Unlocking is a swap, since a word that is the target of atomics is changed by
// nothing else; the paper writes a 0 by RDMA WRITE.
//
// Thread safety: all functions are for any rank. Invariants:
//   1. The word is 0 when and only when nobody has the lock; only who found a 0
//      when it added has it.
//   2. The holder's operations are not ordered before the unlock: it flushes
//      first.

#ifndef MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_
#define MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_

#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

// Whether the caller has the lock now. Cost: 1 fetch_add.
inline bool try_lock(rma::RemotePtr<rma::Word> word) {
  return rma::fetch_add(word, 1) == 0;
}

// Returns when the caller has it. Cost: a fetch_add for each try.
inline void lock(rma::RemotePtr<rma::Word> word) {
  while (!try_lock(word)) rma::idle();
}

// REQUIRES: the caller has the lock, and has flushed what it did under it.
// Cost: 1 swap.
inline void unlock(rma::RemotePtr<rma::Word> word) {
  const uint64_t before = rma::swap(word, 0);
  check(before != 0, "a lock was let go that nobody had");
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_
