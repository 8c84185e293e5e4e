// The flags of this backend.

#include "common/flags/flags.h"
#include "common/rma/machine.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"

namespace magpie::rma {

void add_options(CLI::App& app) {
  shm::job.ranks = internal::available_cores();
  flags::add_integer(app, "--ranks", shm::job.ranks,
                     "number of ranks: processes on this machine, by default "
                     "one for each core",
                     1, shm::kMaxRanks);
  flags::add_switch(
      app, "--shm_guard", shm::job.guard,
      "make peers' memory inaccessible outside shim calls (slow; for tests)");
  internal::add_options(app, shm::job.liveness);
}

}  // namespace magpie::rma
