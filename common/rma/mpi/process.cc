// The process before MPI starts: equal addresses, which frames that migrate
// need, and the parameters that Open MPI gets by its environment.
//
// A frame holds return addresses, pointers to static data and, in registers
// that a compiler saved there, addresses in shared libraries and in
// thread-local storage (errno's, for example).
//
// Before main(), a program that is linked with this backend replaces itself by
// itself, once, with address randomization off and a stack limit that is the
// same for all ranks (the kernel places libraries below the largest possible
// stack). The new program restores the user's own limit and randomization for
// the programs that it starts. Nothing happens where nothing needs to change,
// nor where the change is refused: addresses may agree nevertheless.

#include <link.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

// Variable that is set while the program starts anew: its value is a Before,
// the state of the process that is to be restored.
constexpr char kMarker[] = "MAGPIE_MPI_STARTED_ANEW";
constexpr rlim_t kStackLimit = 8 << 20;

// The argument that asks personality(), and its result after a failure.
constexpr int kWhatItIs = -1, kUnknown = -1;

struct Before {
  uint64_t soft_stack_limit = 0;
  int personality = 0;
};

std::string as_text(const Before& b) {
  return absl::StrCat(b.soft_stack_limit, ",", b.personality);
}
bool from_text(const char* text, Before* b) {
  return std::sscanf(text, "%lu,%d", &b->soft_stack_limit, &b->personality) ==
         2;
}

// Restores the user's settings: where this program lies is decided, and
// programs that it starts are laid out as the user wants.
void restore(const Before& b) {
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) == 0) {
    limit.rlim_cur = b.soft_stack_limit;
    setrlimit(RLIMIT_STACK, &limit);
  }
  if (b.personality != kUnknown)
    personality(static_cast<unsigned long>(b.personality));
  unsetenv(kMarker);
}

// Makes the next program image of this process, whose personality is given, be
// laid out without randomness. Returns kUnknown, and errno, where that fails.
int switch_randomization_off(int is) {
  const int wanted = (is | ADDR_NO_RANDOMIZE) & ~ADDR_COMPAT_LAYOUT;
  if (is == kUnknown || is == wanted) return is;
  return personality(static_cast<unsigned long>(wanted)) == kUnknown ? kUnknown
                                                                     : wanted;
}

// Replaces the program by itself. Returns only when that fails.
void execute_self(char** argv) {
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (n > 0) {
    path[n] = '\0';
    execv(path, argv);
  }
  // Reached where the file was renamed or removed meanwhile.
  execv("/proc/self/exe", argv);
}

// A hash of the notes of a loaded object, of which its build id is one.
size_t hash_of_notes(const dl_phdr_info& object) {
  std::string notes;
  for (const ElfW(Phdr) & segment :
       std::span(object.dlpi_phdr, object.dlpi_phnum)) {
    if (segment.p_type == PT_NOTE)
      notes.append(
          reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr),
          segment.p_memsz);
  }
  return std::hash<std::string>()(notes);
}

int append_object(dl_phdr_info* object, size_t, void* lines) {
  absl::string_view name = object->dlpi_name;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  // Code of the kernel has an id that changes with each patch; no task has
  // frames in it, so only its address matters.
  const bool is_the_kernels = absl::StartsWith(name, "linux-");
  const std::string id =
      is_the_kernels
          ? ""
          : absl::StrCat(" (build ", absl::Hex(hash_of_notes(*object)), ")");
  absl::StrAppend(static_cast<std::string*>(lines),
                  name.empty() ? "the program" : name, " at 0x",
                  absl::Hex(object->dlpi_addr), id, "\n");
  return 0;
}

// Says what the two ranks disagree on, as text.
std::string difference(absl::string_view own, absl::string_view rank_0) {
  const std::vector<absl::string_view> a = absl::StrSplit(own, '\n');
  const std::vector<absl::string_view> b = absl::StrSplit(rank_0, '\n');
  size_t i = 0;
  while (i < a.size() && i < b.size() && a[i] == b[i]) ++i;
  const auto line = [i](const auto& lines) {
    return i < lines.size() ? lines[i] : absl::string_view("nothing");
  };
  return absl::StrCat("rank ", rank(), " has ", line(a), ", rank 0 has ",
                      line(b));
}

// Starts the program anew where it does not lie at addresses that all ranks
// have. Runs before main() and before the program's own variables are
// constructed, so that the program does nothing twice.
[[gnu::constructor(101)]] void run_at_fixed_addresses(int, char** argv) {
  Before before;
  if (const char* text = getenv(kMarker); text && from_text(text, &before)) {
    restore(before);
    return;
  }
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
  before = {limit.rlim_cur, personality(kWhatItIs)};
  const rlim_t stack = std::min(kStackLimit, limit.rlim_max);
  const int will_be = switch_randomization_off(before.personality);
  const bool stays = will_be == kUnknown || will_be == before.personality;
  if (stays && limit.rlim_cur == stack) return;
  setenv(kMarker, as_text(before).c_str(), 1);
  limit.rlim_cur = stack;
  setrlimit(RLIMIT_STACK, &limit);
  execute_self(argv);
  restore(before);
}

// ----------------------------------------------------- parameters of Open MPI

constexpr char kYieldWhenIdle[] = "OMPI_MCA_mpi_yield_when_idle";

// Whether the job spans hosts, as launchers say; false where they say nothing.
bool spans_hosts() {
  const char* const all = getenv("OMPI_COMM_WORLD_SIZE");
  const char* const local = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all != nullptr && local != nullptr) return std::string_view(all) != local;
  const char* const nodes = getenv("SLURM_STEP_NUM_NODES");
  return nodes != nullptr && std::string_view(nodes) != "1";
}

// Whether there is an InfiniBand card. Drivers without one leave an empty
// folder.
bool has_fabric() {
  std::error_code error;
  const std::filesystem::directory_iterator cards("/sys/class/infiniband",
                                                  error);
  return !error && cards != end(cards);
}

// Sets the variables, and returns the names of those that it has set.
std::vector<const char*> set_environment() {
  std::vector<const char*> names;
  const auto set = [&names](const char* name, const char* value) {
    if (getenv(name) != nullptr) return;
    names.push_back(name);
    setenv(name, value, 1);
  };
  // On a single node Open MPI 4 would otherwise prefer osc/rdma to osc/sm,
  // which is faster, as Open MPI 5 knows.
  const bool is_old = open_mpi_version() < 5;
  if (is_old) set("OMPI_MCA_osc_rdma_priority", "50");
  // An atomic is one operation of the network, not one under a lock that is
  // taken there before and released after it.
  set("OMPI_MCA_osc_ucx_acc_single_intrinsic", "1");
  set("OMPI_MCA_osc_rdma_acc_single_intrinsic", "1");
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

std::string describe_addresses() {
  std::string lines;
  dl_iterate_phdr(append_object, &lines);
  absl::StrAppend(
      &lines, "its thread pointer at 0x",
      absl::Hex(reinterpret_cast<uintptr_t>(__builtin_thread_pointer())), "\n");
  return lines;
}

void require_equal_addresses(std::string own) {
  std::string rank_0 = own;
  uint64_t bytes = rank_0.size();
  broadcast(&bytes, sizeof(bytes), 0);
  rank_0.resize(bytes);
  broadcast(rank_0.data(), bytes, 0);
  if (own == rank_0) return;
  std::string words = absl::StrCat(
      "tasks cannot migrate: ", difference(own, rank_0),
      "; all ranks must run the same program with the same libraries");
  if (switch_randomization_off(personality(kWhatItIs)) == kUnknown) {
    absl::StrAppend(
        &words, ", and address randomization cannot be switched off here (",
        std::strerror(errno),
        "; allow personality(2), or set kernel.randomize_va_space=0)");
  }
  fatal(words, 2);
}

}  // namespace magpie::rma::mpi
