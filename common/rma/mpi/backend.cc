// What the seam knows of this backend. The library's first source, so that with
// two backends a linker first names the symbol that says to link one.

#include "common/rma/mpi/job.h"

namespace magpie::rma {

const BackendTraits kBackend = {.name = "mpi",
                                .ranks_share_process = false,
                                .sim = nullptr,
                                .get_nb = &mpi::get_nb};

}  // namespace magpie::rma
