// The concept of a source of ready threads: suspended ones that a rank goes on
// with though nobody exits to them. Such threads wait in a queue of the rank
// until it looks, or were made ready several at once. And the source that has
// none.

#ifndef MAGPIE_COMMON_FORK_JOIN_READY_THREADS_H_
#define MAGPIE_COMMON_FORK_JOIN_READY_THREADS_H_

#include <concepts>
#include <cstddef>

namespace magpie {

// One instance on each rank, which belongs to it. A thread layer asks it after
// each attempt to steal that failed; or, where there is nobody to steal from,
// when the rank's own queue is empty.
//
//   waiting()             How many threads it has, ready or not. While there
//                         are any, the run does not end on this rank, and the
//                         pauses between attempts to steal do not grow.
//   next(&saved)          Looks at one thread. True: that one is ready and in
//                         *saved, and the source has it no more. False: it is
//                         not, and its turn comes again after all others; or
//                         there is none. *saved is then left as it was.
template <typename R, typename SavedThread>
concept ReadyThreads = requires(R ready, const R& seen, SavedThread saved) {
  { seen.waiting() } -> std::same_as<size_t>;
  { ready.next(&saved) } -> std::same_as<bool>;
};

// For ways to join in which whoever makes a thread ready goes on with it.
struct NoReadyThreads {
  size_t waiting() const { return 0; }
  template <typename SavedThread>
  bool next(SavedThread*) {
    return false;
  }
};

// Looks at up to `looks` threads. True: one is ready, and in *saved.
template <typename SavedThread, ReadyThreads<SavedThread> Ready>
bool next_of(Ready& ready, size_t looks, SavedThread* saved) {
  while (looks > 0 && !ready.next(saved)) --looks;
  return looks > 0;
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_READY_THREADS_H_
