// A 64-bit word that other ranks may touch, as its owner sees it.
//
//   struct Queue { rma::Word lock, base, top; };  // remotely accessible
//
//   queue->top.store(queue->top.load() + 1);      // the owner
//   rma::Word::fence();
//   if (queue->base.load() > ...) ...
//
// Others can read several words as one, by get: the owner counts up a word
// before and after it changes them, and a reader takes what it has got if it
// finds the same even number before and after:
//
//   state->changes.store_relaxed(n + 1);          // odd: not to be read
//   rma::Word::order_stores();
//   state->a = ..., state->b = ...;               // plainly, or in Words
//   state->changes.store(n + 2);
//
// Thread safety: load, store, order_stores and fence are for the rank that owns
// the memory. All other ranks use the operations of rma.h. Owner and others may
// run at the same time.
//
// Invariants:
//   1. A word that is the target of remote atomics is modified only by the
//      atomics of rma.h, by its owner too, except in an exclusive phase: while
//      no other rank can reach the word. Code that stores in such a phase says
//      why it is one.
//   2. load and store never tear.
//   3. A store and a later load of *another* word are ordered only by a fence()
//      between them.
//   4. A store_relaxed and a later access of another word are ordered only by a
//      fence() or, where that access is a store(), by it; two stores also by an
//      order_stores() between them. The same holds for what is written plainly.
//
// Cost: a plain load or store behind one predictable branch. Under the
// simulator each access is a point where other ranks may run, and stores pass
// through a store buffer that fence() drains. order_stores() is no instruction
// on x86-64, and dmb ish on AArch64; the simulator's is as strong as fence().

#ifndef MAGPIE_COMMON_RMA_WORD_H_
#define MAGPIE_COMMON_RMA_WORD_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "common/rma/backend.h"

namespace magpie::rma {

class Word {
 public:
  Word() = default;
  explicit Word(uint64_t value) : value_(value) {}

  // The current value. Later accesses of this rank are not moved before this
  // one (acquire).
  [[gnu::always_inline]] uint64_t load() const {
    if (const SimHooks* sim = kBackend.sim) [[unlikely]]
      return sim->load(&value_);
    return std::atomic_ref<uint64_t>(value_).load(std::memory_order_acquire);
  }

  // Sets the value. Earlier accesses of this rank are not moved after this one
  // (release).
  [[gnu::always_inline]] void store(uint64_t value) {
    if (const SimHooks* sim = kBackend.sim) [[unlikely]]
      return sim->store(&value_, value, StoreOrder::kRelease);
    std::atomic_ref<uint64_t>(value_).store(value, std::memory_order_release);
  }

  // Sets the value. Others see it at some time before they see what the next
  // store() or fence() orders after it. Cheaper than store() on AArch64.
  [[gnu::always_inline]] void store_relaxed(uint64_t value) {
    if (const SimHooks* sim = kBackend.sim) [[unlikely]]
      return sim->store(&value_, value, StoreOrder::kRelaxed);
    std::atomic_ref<uint64_t>(value_).store(value, std::memory_order_relaxed);
  }

  // Orders stores: others see what this rank stored before, in Words or
  // plainly, before they see what it stores after. A store() orders only what
  // is before it; a fence() orders loads, too.
  [[gnu::always_inline]] static void order_stores() {
    if (const SimHooks* sim = kBackend.sim) [[unlikely]]
      return sim->order_stores();
    std::atomic_thread_fence(std::memory_order_release);
  }

  // The value that the owner stored last. REQUIRES: nobody else changes the
  // word; so this is no point where other ranks may run.
  uint64_t own_value() const { return value_; }

  // The value, or one that it had when the owner was last at a point where
  // other ranks may run. This is no such point, and takes no simulated time:
  // for a word that changes once, between two accesses of others. Orders
  // nothing.
  [[gnu::always_inline]] uint64_t glance() const {
    return std::atomic_ref<uint64_t>(value_).load(std::memory_order_relaxed);
  }

  // Orders every earlier access of this rank before every later one, for all
  // observers (seq_cst).
  [[gnu::always_inline]] static void fence() {
    if (const SimHooks* sim = kBackend.sim) [[unlikely]]
      return sim->fence();
    std::atomic_thread_fence(std::memory_order_seq_cst);
  }

 private:
  alignas(8) mutable uint64_t value_ = 0;
};

static_assert(sizeof(Word) == 8 && alignof(Word) == 8);

// Returns `place`, own memory that others may read, which the caller is about
// to write plainly: `*plain_write(&items[top]) = item`. Exploration then shows
// others what stood there before until a store(), an order_stores(), a fence(),
// a flush or a collective of this rank orders the write; without this call it
// shows them the write at once. Real networks do nothing here.
template <typename T>
[[gnu::always_inline]] inline T* plain_write(T* place, size_t count = 1) {
  if (const SimHooks* sim = kBackend.sim) [[unlikely]]
    sim->plain_write(place, count * sizeof(T));
  return place;
}

}  // namespace magpie::rma

#endif  // MAGPIE_COMMON_RMA_WORD_H_
