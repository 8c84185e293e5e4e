// A maximum of integers that all tasks of a run share: each reads it as an own
// word, and some raise it. The bound of a branch and bound is one.
//
//   struct Root {
//     SharedMax best;
//
//     size_t heap_bytes() const { return SharedMax::heap_bytes(); }
//     void prepare() { best.allocate(0); }
//     void operator()() const;
//   };
//
//   const SharedMax best = pool_root<Root>().best;  // or root_task
//   if (bound_of(node) <= best.get()) return;       // a load
//   if (is_complete(node)) best.raise(value_of(node));
//
// A minimum is the maximum of the negated values. What belongs to the maximum,
// as the way in which it was reached, is for the run's result: whoever raises
// it merges both.
//
// The maximum itself lies on rank 0, and each rank has a copy. Whoever has
// raised the maximum puts it to all ranks, and looks afterwards whether it was
// raised meanwhile: if so, it puts once more. So no copy waits for a rank that
// reads seldom, as copies would that go down a tree: a rank may run a long task
// or, as a lifeline pool's manager, none. The rank that raises pays for all: in
// a branch and bound that is rare, while reading is not.
//
// Thread safety: any rank calls all of them at any time, but for allocate(). A
// handle is trivially copyable: it may travel in closures. Invariants:
//   1. `exact`, on rank 0, is changed by swaps only. Whoever takes out more
//      than it puts in puts that back, until it has taken out no more than it
//      has put in: the maximum of rank 0's word and what is in such hands never
//      falls, and when no raise is under way the word is that maximum.
//   2. `known` holds values only that raise() was given, or the first one. It
//      is changed by puts of those that have finished with `exact`.
//   3. When no raise is under way, each `known` is the maximum: whoever has put
//      less, as it finds in `exact` after a flush, puts again; and what is in
//      another's hands meanwhile is put to all by that other.

#ifndef MAGPIE_COMMON_RUN_SHARED_MAX_H_
#define MAGPIE_COMMON_RUN_SHARED_MAX_H_

#include <concepts>
#include <cstddef>
#include <cstdint>

#include "common/rma/rma.h"

namespace magpie {

class SharedMax {
 public:
  // Takes memory of the symmetric heap on all ranks; the maximum is `first`
  // until it is raised. To be called in the root's prepare(), and used when the
  // run has begun. Collective.
  void allocate(int64_t first) {
    ranks_ = rma::allocate<OfRank>();
    // Nobody else is there yet: tasks run after a barrier.
    *ranks_.local() = {rma::Word(word_of(first)), rma::Word(word_of(first))};
  }
  void allocate(std::floating_point auto) = delete;
  static size_t heap_bytes() { return rma::allocated_bytes<OfRank>(); }

  // The maximum as the calling rank knows it: one that raise() was given, or
  // the first one. The rank may not know yet, or for a moment no more, what
  // another rank has raised; once no raise is under way, it knows what all
  // raises that have returned were given. Cost: no operation.
  int64_t get() const { return value_of(of_this_rank().known.load()); }

  // Raises the maximum to `value`, where it is less, and tells all ranks. Cost:
  // none where the calling rank knows a maximum that is not less; else a get
  // and, where it raises the maximum, a swap, a put_nb to each rank and a get;
  // more where others raise it at the same time.
  void raise(int64_t value) const {
    const uint64_t word = word_of(value);
    if (word > of_this_rank().known.load()) raise_exact(word);
  }
  void raise(std::floating_point auto) const = delete;

 private:
  struct OfRank {
    // Apart from `exact`, which others change: `known` is read again and again.
    alignas(64) rma::Word known;
    alignas(64) rma::Word exact;
  };

  // Numbers as words of the same order, and back.
  static constexpr uint64_t kSign = uint64_t{1} << 63;
  static uint64_t word_of(int64_t value) {
    return static_cast<uint64_t>(value) ^ kSign;
  }
  static int64_t value_of(uint64_t word) {
    return static_cast<int64_t>(word ^ kSign);
  }

  // Words of this rank; found anew in each call, since a task may have moved.
  const OfRank& of_this_rank() const { return *at(rma::rank()).local(); }
  rma::RemotePtr<OfRank> at(int rank) const {
    if (!ranks_) [[unlikely]]
      rma::fatal(
          "a SharedMax is used that was not allocated: prepare() of the root "
          "task calls allocate(), and tasks find the prepared root by "
          "pool_root<Root>() or root_task<Root>()");
    return ranks_.at(rank);
  }

  [[gnu::noinline, gnu::cold]] void raise_exact(uint64_t word) const {
    const auto exact = at(0).field(&OfRank::exact);
    uint64_t other = rma::get_word(exact);
    if (other >= word) return;
    while ((other = rma::swap(exact, word)) > word) word = other;
    while (true) {
      rma::put_word_to_all(ranks_.field(&OfRank::known), word);
      other = rma::get_word(exact);
      if (other <= word) return;
      word = other;
    }
  }

  rma::RemotePtr<OfRank> ranks_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_SHARED_MAX_H_
