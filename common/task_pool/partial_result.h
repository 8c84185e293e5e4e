// One rank's partial result, and how all of them become one. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
#define MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/run/invoke.h"
#include "common/stealing/termination.h"
#include "common/task_pool/runtime.h"

namespace magpie {

// The calling rank's partial result, an array of values. Thread safety: belongs
// to one rank.
class PartialResult {
 public:
  // Makes a result of `count` values. Collective.
  PartialResult(const PartialType& type, size_t count)
      : type_(type),
        count_(count),
        a_wave_(of_a_wave(type, count)),
        values_(rma::allocate_bytes(padded(type, count), type.align).local()),
        changes_(rma::allocate<rma::Word>()),
        own_changes_(changes_.local()),
        waves_(a_wave_ * type.size, type.align) {
    clear();
  }

  // Makes all values neutral again. REQUIRES: no task runs.
  void clear() {
    own_changes_->store(own_changes_->own_value() & ~kInPlace);
    for (size_t i = 0; i < padded(type_, count_); i += type_.size)
      type_.init(values_ + i);
  }

  static size_t heap_bytes(const PartialType& type, size_t count) {
    return rma::allocated_bytes(padded(type, count), type.align) +
           rma::allocated_bytes<rma::Word>() +
           Waves::heap_bytes(of_a_wave(type, count) * type.size, type.align);
  }

  // The values. Prints an error and ends the job where they are not of the
  // given type, which the function `use` was called with.
  void* of(const PartialType& type, const char* use) const {
    if (&type != &type_) [[unlikely]]
      another_type(type, use);
    return values_;
  }

  // One of the values. Prints an error and ends the job likewise, or where
  // there is no such value.
  void* at(const PartialType& type, uint64_t index, const char* use) const {
    of(type, use);
    if (index >= count_) [[unlikely]]
      no_such_value(index, use);
    return values_ + index * type_.size;
  }
  // The same for a task that changes the value in place: from now on nobody can
  // read it while tasks run.
  void* in_place(const PartialType& type, uint64_t index) const {
    const uint64_t before = own_changes_->own_value();
    if ((before & kInPlace) == 0) [[unlikely]] {
      own_changes_->store_relaxed(before | kInPlace);
      rma::Word::order_stores();
    }
    return at(type, index, "partial()");
  }
  // Merges *value into one of the values, which others may read meanwhile:
  // `changes` is odd as long as it merges, also where merge() throws.
  void merge(const PartialType& type, uint64_t index, const void* value) const {
    struct Change {
      explicit Change(rma::Word* word) : changes(word) {
        changes->store_relaxed(changes->own_value() + 1);
        rma::Word::order_stores();
      }
      ~Change() { changes->store(changes->own_value() + 1); }
      rma::Word* const changes;
    };
    void* const into = at(type, index, "merge()");
    const Change change(own_changes_);
    type_.merge(into, value);
  }
  // Copies the first of `rank`'s values, between two of its merges; prints an
  // error and ends the job where a task there has changed it in place. Cost: 3
  // gets, and as many for each time that it was merged into meanwhile; 1 where
  // nobody merges.
  void read_first(int rank, void* to, bool may_merge) const {
    const auto from = rma::heap_ptr(values_);
    if (!may_merge) return rma::get(to, from.at(rank), type_.size);
    while (true) {
      const uint64_t before = rma::get_word(changes_.at(rank));
      if ((before & kInPlace) != 0) [[unlikely]]
        is_in_place(rank);
      rma::get(to, from.at(rank), type_.size);
      if (before % 2 == 0 && rma::get_word(changes_.at(rank)) == before) return;
      rma::idle();
    }
  }

  // Merges the values of all ranks into those of rank 0, by waves over a tree,
  // each of a part of the values. An exception that leaves a merge prints an
  // error and ends the job. REQUIRES: nobody merges any more, and all ranks
  // call it. Cost: that of Waves::poll for each.
  void reduce() {
    const auto merge_part = [this](void* into, const void* values) {
      try {
        for (size_t i = 0; i < a_wave_ * type_.size; i += type_.size)
          type_.merge(static_cast<std::byte*>(into) + i,
                      static_cast<const std::byte*>(values) + i);
      } catch (...) {
        an_exception_left("the merging of results");
      }
    };
    for (size_t first = 0; first < count_; first += a_wave_) {
      std::byte* const part = values_ + first * type_.size;
      for (int pause = 1; !waves_.poll(part, merge_part);
           pause = std::min(2 * pause, kLongestPause))
        rma::idle(pause);
    }
  }

  std::byte* values() const { return values_; }

 private:
  // A bit of `changes`.
  static constexpr uint64_t kInPlace = uint64_t{1} << 63;
  // Longest pause, in polls of the network.
  static constexpr int kLongestPause = 64;
  // Most bytes of values in a wave, which needs memory for those of two
  // children.
  static constexpr size_t kMostBytes = 64 << 10;

  // Number of values that a wave takes; and the bytes of as many waves as take
  // all values. Those that the last wave takes beyond them are neutral.
  static size_t of_a_wave(const PartialType& type, size_t count) {
    return std::clamp<size_t>(kMostBytes / type.size, 1, count);
  }
  static size_t padded(const PartialType& type, size_t count) {
    const size_t a_wave = of_a_wave(type, count);
    return (count + a_wave - 1) / a_wave * a_wave * type.size;
  }

  [[noreturn, gnu::noinline]] static void is_in_place(int rank) {
    rma::fatal(absl::StrCat(
        "reduce_async_any() was called while tasks run, and a task of rank ",
        rank,
        " has called partial(): what it changes in place cannot be read "
        "meanwhile; let tasks merge()"));
  }

  [[noreturn, gnu::noinline]] void another_type(const PartialType& type,
                                                const char* use) const {
    rma::fatal(absl::StrCat(
        use, " of a value of type ", name_of(*type.name), ", where run_pool ",
        type_.name == nullptr
            ? std::string("was given no result")
            : "has a result of type " + name_of(*type_.name)));
  }

  [[noreturn, gnu::noinline]] void no_such_value(uint64_t index,
                                                 const char* use) const {
    rma::fatal(absl::StrCat(use, " of value ", index, ": the result has ",
                            count_ == 1
                                ? "one value, at 0"
                                : absl::StrCat("values at 0 to ", count_ - 1)));
  }

  const PartialType& type_;
  const size_t count_;
  const size_t a_wave_;
  std::byte* const values_;
  const rma::RemotePtr<rma::Word> changes_;
  rma::Word* const own_changes_;
  Waves waves_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
