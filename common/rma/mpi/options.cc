// The flags of this backend.

#include "common/flags/flags.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {

void add_options(CLI::App& app) {
  using mpi::job;
  CLI::Option* const ranks = flags::add_integer(
      app, "--ranks", job.options.ranks,
      "number of ranks: only the number that the MPI launcher started", 1,
      1 << 24);
  flags::describe_default(ranks, "all of them");
  flags::add_choice(app, "--mpi_progress", job.options.progress,
                    "who serves operations whose target computes: nobody, the "
                    "rank at each spawn (poll), a thread of its own, or what a "
                    "probe at start-up finds best (auto)",
                    mpi::kProgressNames);
  flags::add_choice(
      app, "--mpi_memory", job.options.memory,
      "memory of the window: from MPI, mapped a second time "
      "(alias), the program's own (create), or the first of these that "
      "works (auto)",
      mpi::kMemoryNames);
  flags::add_switch(app, "--mpi_report", job.options.report,
                    "print what start-up found and decided");
  internal::add_options(app, job.options.liveness);
}

}  // namespace magpie::rma
