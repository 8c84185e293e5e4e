#include "common/rma/symmetric_heap.h"

#include "absl/strings/str_cat.h"
#include "common/rma/machine.h"

namespace magpie::rma::internal {

RemotePtr<std::byte> take_from_heap(size_t heap_bytes, size_t* used,
                                    size_t bytes, size_t align) {
  const size_t begin = round_up(*used, align);
  if (begin > heap_bytes || bytes > heap_bytes - begin) {
    fatal(absl::StrCat("the symmetric heap is full: ", bytes,
                       " bytes asked for, ", heap_bytes - *used, " of ",
                       heap_bytes, " left"));
  }
  *used = begin + bytes;
  return {rank(), self().region_bytes + begin};
}

}  // namespace magpie::rma::internal
