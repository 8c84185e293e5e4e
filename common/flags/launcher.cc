#include "common/flags/launcher.h"

#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <string_view>

#include "absl/strings/ascii.h"
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

// Beginnings of names of launchers, and of those that start processes for them.
constexpr std::string_view kNames[] = {"mpi",   "orte",  "prte",
                                       "hydra", "slurm", "srun"};

// The name of a process, and the number of its parent; 0: it is not known.
pid_t parent_of(pid_t process, std::string* name) {
  std::ifstream file("/proc/" + std::to_string(process) + "/status");
  pid_t parent = 0;
  for (std::string field, rest; file >> field && std::getline(file, rest);) {
    const std::string text(absl::StripAsciiWhitespace(rest));
    if (field == "Name:") *name = text;
    if (field == "PPid:") return absl::SimpleAtoi(text, &parent) ? parent : 0;
  }
  return 0;
}

// Whether a launcher is among the ancestors of this process, which will end it
// where another one ends with a status. Otherwise the variables were left over.
bool is_under_a_launcher() {
  std::string name;
  for (pid_t process = getppid(); process > 0;) {
    process = parent_of(process, &name);
    for (const std::string_view known : kNames)
      if (name.starts_with(known)) return true;
  }
  return false;
}

}  // namespace

bool speaks_for_all() {
  return launched().index == 0 || !is_under_a_launcher();
}

Launched launched() {
  const char* const wanted = std::getenv(kLauncherVariable);
  if (wanted != nullptr && std::string_view(wanted) == kNoLauncher) return {};
  for (const auto& names : kLaunchers) {
    Launched found;
    if (read_number(names.processes, &found.processes) &&
        read_number(names.index, &found.index)) {
      found.variable = names.processes;
      return found;
    }
  }
  return {};
}

}  // namespace magpie::flags
