// The place where the root task, which may end on any rank, leaves its result
// and the number of that rank for rank 0.

#ifndef MAGPIE_COMMON_RUN_ROOT_RESULT_H_
#define MAGPIE_COMMON_RUN_ROOT_RESULT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "common/rma/names.h"
#include "common/rma/rma.h"

namespace magpie {

// The shape of the root's result; size 0 where there is none.
struct ResultShape {
  size_t size;
  uint32_t align;
};

// Thread safety: rank 0 reads after a barrier that follows deliver().
class RootResult {
 public:
  // Collective.
  explicit RootResult(ResultShape shape)
      : bytes_(shape.size),
        result_(
            rma::allocate_bytes(std::max<size_t>(shape.size, 1), shape.align)
                .at(0)),
        ended_on_(rma::allocate<uint64_t>().at(0)) {
    rma::name_bytes(result_.offset, std::max<size_t>(shape.size, 1), 1,
                    "root result");
    rma::name_words(ended_on_, "root ended on");
  }

  static size_t heap_bytes(ResultShape shape) {
    return rma::allocated_bytes(std::max<size_t>(shape.size, 1), shape.align) +
           rma::allocated_bytes<uint64_t>();
  }

  // Leaves the result. To be called on the rank where the root has ended.
  // Complete when it returns. Cost: 2 puts.
  void deliver(const void* result) const {
    if (bytes_ > 0) rma::put(result_, result, bytes_);
    rma::put(ended_on_, static_cast<uint64_t>(rma::rank()));
    rma::flush(0);
  }

  // Where the result lies, for a root that always ends on rank 0. REQUIRES, for
  // this and all that follow: called on rank 0.
  void* local() const { return result_.local(); }
  void copy_to(void* result) const {
    if (bytes_ > 0) std::memcpy(result, result_.local(), bytes_);
  }
  int ended_on() const { return static_cast<int>(*ended_on_.local()); }

 private:
  const size_t bytes_;
  // Both lie on rank 0.
  const rma::RemotePtr<std::byte> result_;
  const rma::RemotePtr<uint64_t> ended_on_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_ROOT_RESULT_H_
