// One rank's partial result, and how all of them become one. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
#define MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/stealing/group.h"
#include "common/stealing/waves.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie {

// The calling rank's partial result. Thread safety: belongs to one rank.
class PartialResult {
 public:
  // Collective.
  explicit PartialResult(const PartialType& type)
      : type_(type),
        value_(rma::allocate_bytes(type.size, type.align).local()),
        waves_(Group::of_all(), type.size, type.align) {
    type_.init(value_);
  }

  static size_t heap_bytes(const PartialType& type) {
    return rma::allocated_bytes(type.size, type.align) +
           Waves::heap_bytes(type.size, type.align);
  }

  // The place of the result. Ends the job in words where that is not of the
  // given type.
  void* of(const PartialType& type) const {
    if (&type != &type_) [[unlikely]]
      another_type(type);
    return value_;
  }

  // Merges those of all ranks into that of rank 0, by a wave over a tree.
  // REQUIRES: nobody merges any more, and all ranks call it. Cost: that of
  // Waves::poll.
  void reduce() {
    for (int pause = 1; !waves_.poll(value_, type_.merge);
         pause = std::min(2 * pause, kLongestPause))
      rma::idle(pause);
  }

  const void* local() const { return value_; }

 private:
  // In polls of the network.
  static constexpr int kLongestPause = 64;

  [[noreturn, gnu::noinline]] void another_type(const PartialType& type) const {
    rma::fatal(absl::StrCat(
        "merge() of a value of type ", name_of(*type.name), ", where run_pool ",
        type_.name == nullptr
            ? std::string("was given no result")
            : "has a result of type " + name_of(*type_.name)));
  }

  const PartialType& type_;
  void* const value_;
  Waves waves_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
