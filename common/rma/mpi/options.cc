// The flags of this backend.

#include <algorithm>
#include <string>
#include <type_traits>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {

void add_options(CLI::App& app) {
  using mpi::job;
  const auto add_choice = [&app](const char* name, const auto& names,
                                 auto* value, const char* description) {
    auto choose = [names, value](const std::string& text) {
      *value = static_cast<std::remove_reference_t<decltype(*value)>>(
          std::find(names.begin(), names.end(), text) - names.begin());
    };
    app.add_option_function<std::string>(name, choose, description)
        ->check(CLI::IsMember(
            std::vector<std::string>(names.begin(), names.end())));
  };
  flags::add_integer(app, "--ranks", job.options.ranks,
                     "number of ranks; must be what the MPI launcher started "
                     "(which is the default)",
                     1, 1 << 24);
  add_choice("--mpi_progress", mpi::kProgressNames, &job.options.progress,
             "who serves operations whose target computes: what a probe at "
             "start-up finds best (auto), nobody, the rank at each spawn "
             "(poll), or a thread of its own");
  add_choice("--mpi_memory", mpi::kMemoryNames, &job.options.memory,
             "memory of the window: from MPI, mapped a second time (alias), or "
             "our own (create)");
  app.add_flag("--mpi_report", job.options.report,
               "print what start-up found and decided");
}

}  // namespace magpie::rma
