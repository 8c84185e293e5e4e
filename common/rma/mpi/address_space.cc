#include "common/rma/mpi/address_space.h"

#include <elf.h>
#include <link.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "common/rma/machine.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

// Set while the program starts anew; holds the user's soft stack limit.
constexpr char kMarker[] = "MAGPIE_MPI_STARTED_ANEW";
constexpr rlim_t kStackLimit = 8 << 20;

// Why randomization could not be switched off; 0 if it could.
int randomization_error = 0;

rlim_t common_stack_limit(const rlimit& limit) {
  return std::min(kStackLimit, limit.rlim_max);
}

void restore_stack_limit(const char* soft_limit) {
  rlimit limit;
  uint64_t soft;
  if (getrlimit(RLIMIT_STACK, &limit) == 0 &&
      absl::SimpleAtoi(soft_limit, &soft)) {
    limit.rlim_cur = soft;
    setrlimit(RLIMIT_STACK, &limit);
  }
  unsetenv(kMarker);
}

// True when the next program image of this process is laid out without
// randomness.
bool switch_randomization_off() {
  const int now = personality(0xffffffff);
  const int wanted = (now | ADDR_NO_RANDOMIZE) & ~ADDR_COMPAT_LAYOUT;
  if (now == -1 || personality(static_cast<unsigned long>(wanted)) == -1) {
    randomization_error = errno;
    return false;
  }
  return true;
}

bool is_randomization_off() {
  const int now = personality(0xffffffff);
  return now != -1 && (now & ADDR_NO_RANDOMIZE) != 0 &&
         (now & ADDR_COMPAT_LAYOUT) == 0;
}

// Returns only when it fails.
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
  // The file was renamed or removed meanwhile.
  execv("/proc/self/exe", argv.data());
}

// The build id of a loaded object in hexadecimal; empty when the linker left
// none.
std::string build_id(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object.dlpi_phdr[i];
    if (segment.p_type != PT_NOTE) continue;
    const char* at =
        reinterpret_cast<const char*>(object.dlpi_addr + segment.p_vaddr);
    const char* const end = at + segment.p_memsz;
    const size_t align = segment.p_align == 8 ? 8 : 4;
    const auto padded = [align](size_t n) {
      return (n + align - 1) / align * align;
    };
    while (at + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) note;
      std::memcpy(&note, at, sizeof(note));
      const char* name = at + sizeof(note);
      const char* content = name + padded(note.n_namesz);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0) {
        return absl::BytesToHexString(
            absl::string_view(content, note.n_descsz));
      }
      at = content + padded(note.n_descsz);
    }
  }
  return {};
}

int append_object(dl_phdr_info* object, size_t, void* lines) {
  absl::string_view name = object->dlpi_name;
  name.remove_prefix(name.rfind('/') + 1);  // npos + 1 is 0
  absl::StrAppend(static_cast<std::string*>(lines),
                  name.empty() ? "the program" : name, " at 0x",
                  absl::Hex(object->dlpi_addr), " (build id ",
                  build_id(*object), ")\n");
  return 0;
}

// What the two ranks disagree on, in words.
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

}  // namespace

void run_at_fixed_addresses() {
  if (const char* soft_limit = getenv(kMarker)) {
    restore_stack_limit(soft_limit);
    return;
  }
  rlimit limit;
  if (getrlimit(RLIMIT_STACK, &limit) != 0) return;
  const rlim_t stack = common_stack_limit(limit);
  const bool already_off = is_randomization_off();
  const bool changes =
      (!already_off && switch_randomization_off()) || limit.rlim_cur != stack;
  if (!changes) return;
  const std::string soft_limit =
      absl::StrCat(static_cast<uint64_t>(limit.rlim_cur));
  setenv(kMarker, soft_limit.c_str(), 1);
  limit.rlim_cur = stack;
  setrlimit(RLIMIT_STACK, &limit);
  execute_self();
  restore_stack_limit(soft_limit.c_str());
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
  std::string words;
  if (own != rank_0) {
    words = absl::StrCat(
        "tasks cannot migrate: ", difference(own, rank_0),
        "; all ranks must run the same program with the same libraries");
    if (randomization_error != 0) {
      absl::StrAppend(
          &words, ", and address randomization cannot be switched off here (",
          std::strerror(randomization_error),
          "; allow personality(2), or set kernel.randomize_va_space=0)");
    }
  }
  refuse_if_any(words);
}

}  // namespace magpie::rma::mpi
