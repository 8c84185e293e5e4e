#include "common/flags/launcher.h"

#include <cstdlib>
#include <string_view>

#include "absl/strings/numbers.h"

namespace magpie::flags {
namespace {

// Variables of the launchers, looked up in this order, since Open MPI and MPICH
// may start their processes by Slurm's launcher, one a node. Slurm sets the
// size of a step only where srun started one, but SLURM_NTASKS in batch scripts
// too.
constexpr struct {
  const char* processes;
  const char* index;
} kLaunchers[] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                  {"PMI_SIZE", "PMI_RANK"},
                  {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};

bool read_number(const char* name, int* number) {
  const char* const text = std::getenv(name);
  return text != nullptr && absl::SimpleAtoi(text, number);
}

}  // namespace

Launched launched() {
  const char* const wanted = std::getenv(kLauncherVariable);
  if (wanted != nullptr && std::string_view(wanted) == kNoLauncher) return {};
  for (const auto& names : kLaunchers) {
    Launched found;
    if (read_number(names.processes, &found.processes) &&
        read_number(names.index, &found.index))
      return found;
  }
  return {};
}

}  // namespace magpie::flags
