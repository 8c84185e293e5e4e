// A lock in a word that every rank can reach, and a number that its holder
// leaves in that word for the next one: a rank that takes the lock has read it,
// too.
//
// Source: hpdc15 Fig. 6, lines 5 and 11: a fetch_add that finds 0 has it; the
// number is ours. The paper unlocks by an RDMA WRITE of 0, which may neither be
// done twice nor come between the halves of a fetch_add. Only where the network
// promises that, unlocking is a put; else a swap.
//
// Thread safety: all functions are for any rank. Invariants:
//   1. The word's lower half is 0 when and only when nobody has the lock; only
//      a rank that found a 0 there when it added has it.
//   2. The holder's operations are not ordered before the unlock: it flushes
//      first.
//   3. The upper half is what the last unlock has left there, at first 0.

#ifndef MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_
#define MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_

#include <cstdint>

#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie {

// Whether the caller has the lock now; `*left` is then the number in it. Cost:
// 1 fetch_add. Prints an error and ends the job where 2^32 tries did not get
// it.
inline bool try_lock(rma::RemotePtr<rma::Word> word, uint32_t* left = nullptr) {
  const uint64_t before = rma::fetch_add(word, 1);
  const auto tries = static_cast<uint32_t>(before);
  if (tries == UINT32_MAX)
    rma::fatal("a lock is not let go: 4294967296 tries to take it");
  if (left != nullptr) *left = static_cast<uint32_t>(before >> 32);
  return tries == 0;
}

// Returns when the caller has the lock. Cost: a fetch_add for each try.
inline void lock(rma::RemotePtr<rma::Word> word) {
  while (!try_lock(word)) rma::idle();
}

// Lets the lock go, with `leave` in its word. REQUIRES: the caller has it, and
// has flushed what it did under it. Cost: 1 swap; with rma::writes_are_atomic()
// 1 put and a flush.
inline void unlock(rma::RemotePtr<rma::Word> word, uint32_t leave = 0) {
  const uint64_t free = uint64_t{leave} << 32;
  if (rma::writes_are_atomic()) {
    rma::put_word(word, free);
    return rma::flush(word.rank);
  }
  const uint64_t before = rma::swap(word, free);
  check(static_cast<uint32_t>(before) != 0,
        "a lock was let go that nobody had");
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_REMOTE_LOCK_H_
