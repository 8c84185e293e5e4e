// One rank's partial result, and how all of them become one. For pools.

#ifndef MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
#define MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/words.h"

namespace magpie {

// The calling rank's partial result. Thread safety: belongs to one rank, but
// for reduce().
class PartialResult {
 public:
  // Collective.
  explicit PartialResult(const PartialType& type)
      : type_(type), values_(rma::allocate_bytes(type.size, type.align)) {
    type_.init(values_.local());
  }

  static size_t heap_bytes(const PartialType& type) {
    return rma::allocated_bytes(type.size, type.align);
  }

  // The place of the result. Ends the job in words where that is not of the
  // given type.
  void* of(const PartialType& type) const {
    if (&type != &type_) [[unlikely]]
      another_type(type);
    return values_.local();
  }

  // Merges those of all ranks into that of rank 0, up a binary tree. REQUIRES:
  // nobody merges any more. Collective. Cost: up to log2(ranks) gets, and a
  // barrier more.
  void reduce() const {
    std::vector<std::byte> theirs(type_.size + type_.align);
    const auto at = -reinterpret_cast<uintptr_t>(theirs.data()) % type_.align;
    for (int step = 1; step < rma::size(); step *= 2) {
      rma::barrier();
      const int other = rma::rank() + step;
      if (rma::rank() % (2 * step) != 0 || other >= rma::size()) continue;
      rma::get(&theirs[at], values_.at(other), type_.size);
      type_.merge(values_.local(), &theirs[at]);
    }
    rma::barrier();
  }

  const void* local() const { return values_.local(); }

 private:
  [[noreturn, gnu::noinline]] void another_type(const PartialType& type) const {
    rma::fatal(absl::StrCat(
        "merge() of a value of type ", name_of(*type.name), ", where run_pool ",
        type_.name == nullptr
            ? std::string("was given no result")
            : "has a result of type " + name_of(*type_.name)));
  }

  const PartialType& type_;
  const rma::RemotePtr<std::byte> values_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_PARTIAL_RESULT_H_
