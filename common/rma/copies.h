// Copies of small things within a rank, in a few instructions and word by word:
// a processor waits where it is to read a vector of words that were stored one
// by one a moment ago, as closures, results and items of queues are.

#ifndef MAGPIE_COMMON_RMA_COPIES_H_
#define MAGPIE_COMMON_RMA_COPIES_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace magpie {

// The size of most closures and results.
inline constexpr size_t kWordBytes = 8;

// Copies the i-th word of 8 bytes, by one load and one store: a word that is
// aligned is never torn, also where another process sees it (common/rma/shm).
[[gnu::always_inline]] inline void copy_word(void* to, const void* from,
                                             size_t i) {
  uint64_t word;
  std::memcpy(&word, static_cast<const std::byte*>(from) + i * kWordBytes,
              kWordBytes);
  asm("" : "+r"(word));  // The compiler makes no vector of several words.
  std::memcpy(static_cast<std::byte*>(to) + i * kWordBytes, &word, kWordBytes);
}

// Copies an item of a queue, or an array of bytes that is one.
template <typename Item>
[[gnu::always_inline]] inline void copy_words(Item* to, const Item* from) {
  if constexpr (sizeof(Item) % kWordBytes == 0) {
#pragma GCC unroll 8
    for (size_t i = 0; i < sizeof(Item) / kWordBytes; ++i)
      copy_word(to, from, i);
  } else {
    std::memcpy(static_cast<void*>(to), from, sizeof(Item));
  }
}

// Copies a closure or a result. Most are one word, for which a call of memcpy
// would cost more than the rest of a spawn or a join that nobody steals.
[[gnu::always_inline]] inline void copy_task_bytes(void* to, const void* from,
                                                   size_t bytes) {
  if (bytes == kWordBytes) [[likely]] {
    std::memcpy(to, from, kWordBytes);
  } else if (bytes != 0) {
    std::memcpy(to, from, bytes);
  }
}

// Whether copy_at_once() can: none or up to three words.
[[gnu::always_inline]] inline bool copies_at_once(size_t bytes) {
  return (bytes & ~(3 * kWordBytes)) == 0;
}
// The same without a call. REQUIRES: copies_at_once(bytes).
[[gnu::always_inline]] inline void copy_at_once(void* to, const void* from,
                                                size_t bytes) {
  if (bytes == kWordBytes) [[likely]] {
    copy_word(to, from, 0);
  } else if (bytes != 0) {
    copy_word(to, from, 0);
    copy_word(to, from, 1);
    if (bytes == 3 * kWordBytes) copy_word(to, from, 2);
  }
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RMA_COPIES_H_
