// What Open MPI is asked for by its environment, before MPI_Init, where the
// user has not asked for anything else.

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

#ifdef OPEN_MPI
// Value of a parameter; empty: there is none.
std::string value_of(const char* name) {
  int index, count;
  MPI_T_cvar_handle handle;
  std::string value;
  if (MPI_T_cvar_get_index(name, &index) == MPI_SUCCESS &&
      MPI_T_cvar_handle_alloc(index, nullptr, &handle, &count) == MPI_SUCCESS) {
    value.resize(static_cast<size_t>(count) + 1);
    MPI_T_cvar_read(handle, value.data());
    value.resize(value.find('\0'));
    MPI_T_cvar_handle_free(&handle);
  }
  return value;
}

// Keeps PSM's libraries at a session's end. Each measures the clock for 0.1 s
// when it is loaded, card or not, and MPI_Init would load them again.
void keep_slow_libraries() {
  for (const char* name : {"libinfinipath.so.4", "libpsm2.so.2"})
    dlopen(name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}
#endif

// Values of parameters of Open MPI's, wherever they were set: in the
// environment, on the launcher's command line, in one of the files of
// parameters. Empty: there is none, or this is another MPI.
struct Parameters {
  // Names of the files of parameters.
  std::string files;
  std::string osc;
  // Folder of the files by which osc/sm shares memory.
  std::string backing_folder;
};

// Asks for them, once in a process.
const Parameters& parameters() {
  static const Parameters asked = [] {
    Parameters all;
#ifdef OPEN_MPI
    // One session for all: Open MPI loads its components for each. It ends
    // before MPI_Init, which would otherwise keep to what was set before.
    int provided;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
    all = {value_of("mca_base_param_files"), value_of("osc"),
           value_of("osc_sm_backing_directory")};
    keep_slow_libraries();
    MPI_T_finalize();
#endif
    return all;
  }();
  return asked;
}

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

// Whether a file of parameters, the user's or the site's, sets the parameter.
bool is_in_files(const std::string& parameter) {
  for (const auto name :
       absl::StrSplit(parameters().files, absl::ByAnyChar(",:"))) {
    std::ifstream file{std::string(name)};
    for (std::string line; std::getline(file, line);) {
      const std::vector<std::string> sides =
          absl::StrSplit(line, absl::MaxSplits('=', 1));
      if (sides.size() == 2 &&
          absl::StripAsciiWhitespace(sides[0]) == parameter)
        return true;
    }
  }
  return false;
}

// Debian 12's file of parameters excludes osc/pt2pt, and with it the one
// component of Open MPI 4 that works over every network: between hosts without
// InfiniBand none would be left. Its priority is the lowest, so where another
// works nothing changes.
std::string with_osc_pt2pt() {
  const std::string& selection = parameters().osc;
  if (!absl::StartsWith(selection, "^")) return {};
  std::vector<std::string> excluded =
      absl::StrSplit(selection.substr(1), ',', absl::SkipEmpty());
  std::erase(excluded, "pt2pt");
  return "^" + absl::StrJoin(excluded, ",");
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
  // Open MPI 5 takes osc/sm on a single node, and osc/rdma over any network. It
  // must not be asked for a parameter before MPI_Init: it loses UCX's then, and
  // crashes where it tries UCX.
  const bool is_old = open_mpi_version() < 5;
  // On a single node Open MPI 4 would otherwise prefer osc/rdma to osc/sm,
  // which is faster.
  if (is_old && !is_in_files("osc_rdma_priority"))
    set("OMPI_MCA_osc_rdma_priority", "50");
  if (!spans_hosts() || has_fabric()) return names;
  // Waits within MPI, for a packet, are long enough for others to run. A thief
  // that spins instead holds a core that its victim may need to answer, for
  // milliseconds in each operation where both hosts are one machine's guests.
  if (!is_old || !is_in_files("mpi_yield_when_idle")) set(kYieldWhenIdle, "1");
  if (!is_old) return names;
  if (const std::string osc = with_osc_pt2pt(); !osc.empty())
    set("OMPI_MCA_osc", osc);
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
  const std::string& told = parameters().backing_folder;
  return told.empty() ? "/dev/shm" : told;
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
