// Facts that a launcher of processes (mpirun, srun) tells the processes that it
// starts, whatever they link.

#ifndef MAGPIE_COMMON_FLAGS_LAUNCHER_H_
#define MAGPIE_COMMON_FLAGS_LAUNCHER_H_

namespace magpie::flags {

// This process is number `index` of `processes` that were started together, as
// `variable` tells; null: none does.
struct Launched {
  int processes = 1;
  int index = 0;
  const char* variable = nullptr;
};

// Variable that a user sets whose processes have nothing to do with each other,
// in spite of the launcher's variables: each is then alone. Needed in an
// interactive step of several tasks, and in a sweep with a task for each run.
inline constexpr char kLauncherVariable[] = "MAGPIE_LAUNCHER";
inline constexpr char kNoLauncher[] = "none";

// Reads the environment of Open MPI's, MPICH's and Slurm's launchers. What
// sbatch itself runs is one process, whatever number it asked for.
Launched launched();

// Whether this is the process that prints what all that were started together
// would print: the first of them, or each where the variables were left over.
bool speaks_for_all();

}  // namespace magpie::flags

#endif  // MAGPIE_COMMON_FLAGS_LAUNCHER_H_
