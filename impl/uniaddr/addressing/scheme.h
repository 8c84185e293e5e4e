// The concept of a scheme of addresses: where the stack of a thread lies while
// it runs, while it waits, and at a thief. Two classes meet it, so that what
// they take can be compared: IsoAddress and Packed. They are no thread layers:
// nobody joins, and a victim has stopped before thieves come.

#ifndef MAGPIE_IMPL_UNIADDR_ADDRESSING_SCHEME_H_
#define MAGPIE_IMPL_UNIADDR_ADDRESSING_SCHEME_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "impl/uniaddr/item.h"

namespace magpie::uniaddr {

// Numbers and sizes for which a scheme reserves addresses.
struct Shape {
  uint64_t ranks = 0;
  // Greatest number of threads alive at a time, on each rank.
  uint64_t threads = 0;
  // Bytes that a thread may need while it runs, and that it takes while it
  // waits.
  uint64_t stack_bytes = 0;
  uint64_t frames_bytes = 0;
};

// The threads of a rank that wait, oldest first. Thread safety: its rank's, and
// others' only while that rank changes nothing.
class WaitingThreads {
 public:
  static size_t heap_bytes(const Shape& shape) {
    return rma::allocated_bytes<SavedThread>(shape.threads);
  }
  // Collective.
  explicit WaitingThreads(const Shape& shape)
      : shape_(shape), threads_(rma::allocate<SavedThread>(shape.threads)) {}

  uint64_t size() const { return size_; }
  void push(const SavedThread& thread) {
    check(size_ < shape_.threads &&
              thread.home.frame_bytes <= shape_.frames_bytes,
          "more threads wait, or larger ones, than the shape has");
    threads_.local()[size_++] = thread;
  }
  SavedThread pop() { return threads_.local()[--size_]; }
  const SavedThread& youngest() const { return threads_.local()[size_ - 1]; }
  void clear() { size_ = 0; }

  // The i-th oldest of another rank. Cost: 1 get.
  SavedThread get(int victim, uint64_t i) const {
    return rma::get(threads_.at(victim) + i);
  }

 private:
  const Shape shape_;
  const rma::RemotePtr<SavedThread> threads_;
  uint64_t size_ = 0;
};

//   S::region_bytes(shape)
//                      Addresses that each rank reserves.
//   S(shape)           Collective.
//   start(root, arg)   Runs root(arg) as a thread, and what comes of it, until
//                      leave(). Thieves may take what waits then. REQUIRES:
//                      what waited before was taken.
//   spawn(child, arg)  The running thread waits, and a new one runs child(arg).
//                      Returns when that returns, or at the thief.
//   wait()             The running thread waits, and its rank leaves. Returns
//                      at the thief.
//   leave()            Ends the running thread. Its rank goes on behind start()
//                      or run().
//   waiting()          The threads that wait.
//   run(thread)        Brings in a thread of this or of another rank and runs
//                      it until leave(). Cost: 1 get.
//
// Code after spawn() and wait() may run on another rank than before.
template <typename S>
concept AddressScheme = std::constructible_from<S, const Shape&> &&
    requires(S scheme, const S& seen, const Shape& shape,
             const SavedThread& thread, void (*body)(void*), void* arg) {
  { S::region_bytes(shape) } -> std::same_as<uint64_t>;
  scheme.start(body, arg);
  scheme.spawn(body, arg);
  scheme.wait();
  scheme.leave();
  scheme.run(thread);
  { seen.waiting() } -> std::same_as<const WaitingThreads&>;
};

}  // namespace magpie::uniaddr

#endif  // MAGPIE_IMPL_UNIADDR_ADDRESSING_SCHEME_H_
