// Settings that Open MPI is asked for by its environment, before MPI_Init,
// where the user has not asked for anything else.

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

constexpr char kYieldWhenIdle[] = "OMPI_MCA_mpi_yield_when_idle";

// Whether the job spans hosts, as launchers say; false where they say nothing.
bool spans_hosts() {
  const char* const all = getenv("OMPI_COMM_WORLD_SIZE");
  const char* const local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all != nullptr && local != nullptr) return std::string_view(all) != local;
  const char* const nodes = getenv("SLURM_STEP_NUM_NODES");
  return nodes != nullptr && std::string_view(nodes) != "1";
}

// Whether there is a network card that Open MPI drives without the kernel.
bool has_fabric() {
  std::error_code error;
  const std::filesystem::directory_iterator cards("/sys/class/infiniband",
                                                  error);
  return !error && cards != end(cards);
}

// Sets the variables, and returns the names of those that it has set.
std::vector<const char*> set_environment() {
  std::vector<const char*> names;
  const auto set = [&names](const char* name, const std::string& value) {
    if (getenv(name) != nullptr) return;
    names.push_back(name);
    setenv(name, value.c_str(), 1);
  };
  // Open MPI 5 looks for the user's file of parameters there, and does not
  // start where the variable is missing.
  set("HOME", "/");
  // On a single node Open MPI 4 would otherwise prefer osc/rdma to osc/sm,
  // which is faster, as Open MPI 5 knows.
  const bool is_old = open_mpi_version() < 5;
  if (is_old) set("OMPI_MCA_osc_rdma_priority", "50");
  if (!spans_hosts() || has_fabric()) return names;
  // Waits within MPI, for a packet, are long enough for others to run. A thief
  // that spins instead holds a core that its victim may need to answer, for
  // milliseconds in each operation where both hosts are one machine's guests.
  set(kYieldWhenIdle, "1");
  // Debian 12's file of parameters excludes osc/pt2pt, too, and with it the one
  // component of Open MPI 4 that works over every network: between hosts
  // without InfiniBand none would be left. Its priority is the lowest, so where
  // another works nothing changes.
  if (is_old) set("OMPI_MCA_osc", "^ucx");
  return names;
}

}  // namespace

int open_mpi_version() {
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length, version = 0;
  MPI_Get_library_version(library, &length);
  std::sscanf(library, "Open MPI v%d", &version);
  return version;
}

std::string backing_folder() {
  const char* const told = getenv("OMPI_MCA_osc_sm_backing_directory");
  return told != nullptr ? told : "/dev/shm";
}

void initialize_mpi() {
  const std::vector<const char*> names = set_environment();
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  job.initialized = true;
  job.can_serialize = provided >= MPI_THREAD_SERIALIZED;
  const char* const yields = getenv(kYieldWhenIdle);
  job.yields_when_idle = yields != nullptr && *yields == '1';
  for (const char* name : names) unsetenv(name);
}

}  // namespace magpie::rma::mpi
