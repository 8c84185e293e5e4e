// Makes a part of a runtime within what its heap_bytes() says.

#ifndef MAGPIE_COMMON_TESTING_WITHIN_H_
#define MAGPIE_COMMON_TESTING_WITHIN_H_

#include <cstddef>
#include <string>

#include "common/rma/rma.h"

namespace magpie::spmd {

// Returns T(args...), which may allocate `bytes` of the symmetric heap; more
// ends the job with a message that begins with T's `kind`, as in "the queue".
// Collective, as T's constructor is.
template <typename T, typename... Args>
T made_within(size_t bytes, const char* kind, Args&&... args) {
  const std::string words =
      std::string(kind) + " takes more of the symmetric heap than the " +
      std::to_string(bytes) +
      " bytes that it says (or than the heap of all tests leaves)";
  const rma::HeapShare share(bytes, words.c_str());
  return T(static_cast<Args&&>(args)...);
}

}  // namespace magpie::spmd

#endif  // MAGPIE_COMMON_TESTING_WITHIN_H_
