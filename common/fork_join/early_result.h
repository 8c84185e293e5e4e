// The value that end_run() was given: what a run that a task has ended early
// results in, in the place of what its root returns. For runtimes.
//
// Thread safety: an instance belongs to one rank; the value and `callers_` lie
// on rank 0, which reads them when all ranks have left the run. Invariants:
//   1. `callers_` is changed by atomics only: one caller is first, and its
//      value alone is put.

#ifndef MAGPIE_COMMON_FORK_JOIN_EARLY_RESULT_H_
#define MAGPIE_COMMON_FORK_JOIN_EARLY_RESULT_H_

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "common/rma/rma.h"
#include "common/run/root_result.h"

namespace magpie {

class EarlyResult {
 public:
  // Makes room for a value of that shape. Collective.
  explicit EarlyResult(ResultShape shape)
      : bytes_(shape.size),
        value_(rma::allocate_bytes(std::max<size_t>(shape.size, 1), shape.align)
                   .at(0)),
        callers_(rma::allocate<rma::Word>().at(0)) {}

  static size_t heap_bytes(ResultShape shape) {
    return rma::allocated_bytes(std::max<size_t>(shape.size, 1), shape.align) +
           rma::allocated_bytes<rma::Word>();
  }

  // Keeps the value, unless one was kept. Complete when it returns. Cost: a
  // fetch_add, and a put for the first.
  void keep(const void* value) const {
    if (rma::fetch_add(callers_, 1) > 0) return;
    rma::put(value_, value, bytes_);
    rma::flush(0);
  }

  // On rank 0: makes the value that was kept, if there is one, the run's
  // result. REQUIRES: a barrier came after the run.
  void deliver(const RootResult& result) const {
    if (rma::rank() != 0 || callers_.local()->load() == 0) return;
    std::memcpy(result.local(), value_.local(), bytes_);
  }

 private:
  const size_t bytes_;
  const rma::RemotePtr<std::byte> value_;
  const rma::RemotePtr<rma::Word> callers_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_EARLY_RESULT_H_
