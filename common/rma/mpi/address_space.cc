// Equal addresses in all processes, which frames that migrate need.
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
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/flags/launcher.h"
#include "common/rma/machine.h"
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
  return absl::StrCat(b.soft_stack_limit, ",", b.personality, ",", getpid());
}
// False: this process has not made the text, which exec leaves to it.
bool from_text(const char* text, Before* b) {
  int process = 0;
  return std::sscanf(text, "%lu,%d,%d", &b->soft_stack_limit, &b->personality,
                     &process) == 3 &&
         process == getpid();
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
void execute_self() {
  std::vector<std::string> arguments = internal::own_arguments();
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  char path[4096];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);
  if (n > 0) {
    path[n] = '\0';
    execv(path, argv.data());
  }
  // Reached where the file was renamed or removed meanwhile.
  execv("/proc/self/exe", argv.data());
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

// Whether the object is the kernel's own code, whose id changes with each
// patch. No task has frames in it, so only its address matters.
bool is_the_kernels(absl::string_view name) {
  return absl::StartsWith(name, "linux-vdso") ||
         absl::StartsWith(name, "linux-gate");
}

int append_object(dl_phdr_info* object, size_t, void* lines) {
  absl::string_view name = object->dlpi_name;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  const std::string id =
      is_the_kernels(name)
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

// Says that valgrind loses sight of a program that starts anew.
void warn_of_valgrind() {
  const char* const preloaded = getenv("LD_PRELOAD");
  if (preloaded == nullptr || !absl::StrContains(preloaded, "vgpreload") ||
      flags::launched().index != 0)
    return;
  std::fputs(
      "magpie: warning: the program starts anew at fixed addresses, and "
      "valgrind follows only with --trace-children=yes; or let it start there: "
      "setarch -R valgrind PROGRAM, with ulimit -s 8192\n",
      stderr);
}

// Starts the program anew where it does not lie at addresses that all ranks
// have. Runs before main() and before the program's own variables are
// constructed, so that the program does nothing twice.
[[gnu::constructor(101)]] void run_at_fixed_addresses() {
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
  warn_of_valgrind();
  setenv(kMarker, as_text(before).c_str(), 1);
  limit.rlim_cur = stack;
  setrlimit(RLIMIT_STACK, &limit);
  execute_self();
  restore(before);
}

}  // namespace

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
  std::string words;
  if (own != rank_0) {
    words = absl::StrCat(
        "tasks cannot migrate: ", difference(own, rank_0),
        "; all ranks must run the same program with the same libraries");
    if (switch_randomization_off(personality(kWhatItIs)) == kUnknown) {
      absl::StrAppend(
          &words, ", and address randomization cannot be switched off here (",
          std::strerror(errno),
          "; allow personality(2), or set kernel.randomize_va_space=0)");
    }
  }
  refuse_if_any(words);
}

}  // namespace magpie::rma::mpi
