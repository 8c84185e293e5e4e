// What Open MPI is asked by its environment, before MPI_Init, where the user
// has not asked for anything else.

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

constexpr int kOverwrite = 1;

void set_default(const char* name, const char* value) {
  setenv(name, value, !kOverwrite);
}

// What the launchers say; where they say nothing, one host.
bool spans_hosts() {
  const char* const all = getenv("OMPI_COMM_WORLD_SIZE");
  const char* const local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all != nullptr && local != nullptr) return std::string_view(all) != local;
  const char* const nodes = getenv("SLURM_STEP_NUM_NODES");
  return nodes != nullptr && std::string_view(nodes) != "1";
}

#ifdef OPEN_MPI

// The value of an MCA parameter, wherever it was set: in the environment, on
// the launcher's command line, in one of the files of parameters.
std::string mca_parameter(const char* name) {
  int provided, index, count;
  MPI_T_cvar_handle handle;
  std::string value;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    value.resize(static_cast<size_t>(count) + 1);
    MPI_T_cvar_read(handle, value.data());
    value.resize(value.find('\0'));
    MPI_T_cvar_handle_free(&handle);
  }
  MPI_T_finalize();
  return value;
}

// Debian's file of parameters excludes osc/pt2pt, and with it the one component
// that works over every network: between hosts without InfiniBand none would
// be left. Its priority is the lowest, so where another works nothing changes.
void allow_osc_pt2pt() {
  if (getenv("OMPI_MCA_osc") != nullptr) return;
  const std::string selection = mca_parameter("osc");
  if (!absl::StartsWith(selection, "^")) return;
  std::vector<std::string> excluded =
      absl::StrSplit(selection.substr(1), ',', absl::SkipEmpty());
  std::erase(excluded, "pt2pt");
  setenv("OMPI_MCA_osc", ("^" + absl::StrJoin(excluded, ",")).c_str(),
         kOverwrite);
}

#else

void allow_osc_pt2pt() {}

#endif

}  // namespace

void prepare_environment() {
  // It would otherwise prefer osc/rdma to osc/sm on a single node, which is
  // slower, and where MPI_Compare_and_swap crashes.
  set_default("OMPI_MCA_osc_rdma_priority", "50");
  if (!spans_hosts()) return;
  // Waiting within MPI, for a packet, takes long enough for others to run. A
  // thief that spins instead holds a core that its victim may need to answer,
  // for milliseconds an operation: each, where both are one machine's guests.
  set_default(kYieldWhenIdle, "1");
  allow_osc_pt2pt();
}

}  // namespace magpie::rma::mpi
