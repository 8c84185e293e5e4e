// Parts of this backend that the seam knows. The library's first source, so
// that with two backends a linker first names the symbol that says to link one.

#include "common/rma/backend.h"

namespace magpie::rma {

const BackendTraits kBackend = {.name = "shm", .sim = nullptr};

}  // namespace magpie::rma
