#include "common/run/program_variables.h"

#include <cxxabi.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <set>

namespace magpie::internal {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kCopied = R_X86_64_COPY;
#elif defined(__aarch64__)
constexpr uint32_t kCopied = R_AARCH64_COPY;
#endif

// ------------------------------------------------------------- the executable

std::span<const std::byte> map_executable() {
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  struct stat status = {};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0) {
    memory = mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ,
                  MAP_PRIVATE, file, 0);
  }
  close(file);
  if (memory == MAP_FAILED) return {};
  return {static_cast<const std::byte*>(memory),
          static_cast<size_t>(status.st_size)};
}

// Distance of the program from where its symbols say that it is: 0 where it is
// not position independent.
uintptr_t displacement() {
  uintptr_t found = 0;
  // The program comes first.
  const auto look = [](dl_phdr_info* object, size_t, void* displacement) {
    *static_cast<uintptr_t*>(displacement) = object->dlpi_addr;
    return 1;
  };
  dl_iterate_phdr(look, &found);
  return found;
}

class Executable {
 public:
  explicit Executable(std::span<const std::byte> file) : file_(file) {
    const std::span<const Elf64_Ehdr> header =
        table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0)
      return;
    if (header[0].e_ident[EI_CLASS] != ELFCLASS64) return;
    sections_ = table<Elf64_Shdr>(header[0].e_shoff,
                                  header[0].e_shnum * sizeof(Elf64_Shdr));
  }

  std::span<const Elf64_Shdr> sections() const { return sections_; }
  template <typename T>
  std::span<const T> entries(const Elf64_Shdr& section) const {
    return table<T>(section.sh_offset, section.sh_size);
  }
  // The text at `offset` of the strings of a table of symbols.
  std::string_view text(const Elf64_Shdr& symbols, uint32_t offset) const {
    if (symbols.sh_link >= sections_.size()) return {};
    const auto strings = entries<char>(sections_[symbols.sh_link]);
    return offset < strings.size() ? strings.data() + offset : "";
  }
  // Whether the section is writable, and not one of each thread's own.
  bool is_shared_data(uint16_t section) const {
    if (section >= sections_.size()) return false;
    constexpr uint64_t kAsked = SHF_WRITE | SHF_ALLOC | SHF_TLS;
    return (sections_[section].sh_flags & kAsked) == (SHF_WRITE | SHF_ALLOC);
  }
  // Addresses to which the loader copies variables of shared libraries that the
  // program names.
  std::set<uint64_t> copied() const {
    std::set<uint64_t> places;
    for (const Elf64_Shdr& section : sections_) {
      if (section.sh_type != SHT_RELA) continue;
      for (const Elf64_Rela& relocation : entries<Elf64_Rela>(section)) {
        if (ELF64_R_TYPE(relocation.r_info) == kCopied)
          places.insert(relocation.r_offset);
      }
    }
    return places;
  }

 private:
  // A table in the file; empty where the file ends before the table does.
  template <typename T>
  std::span<const T> table(uint64_t offset, uint64_t bytes) const {
    if (offset > file_.size() || bytes > file_.size() - offset) return {};
    return {reinterpret_cast<const T*>(file_.data() + offset),
            bytes / sizeof(T)};
  }

  const std::span<const std::byte> file_;
  std::span<const Elf64_Shdr> sections_;
};

// --------------------------------------------------------------------- symbols

// Whether a file is one of the C or C++ runtime: a source file, where a library
// has kept its name, or an object file, whose name newer linkers give where
// that of the source is lost.
bool is_of_a_runtime(std::string_view file) {
  return file == "crtstuff.c" || file.starts_with("unwind-") ||
         file.starts_with("emutls") || file.ends_with(".o");
}

// The variables of one table of symbols, in which the name of a source file
// comes before its local symbols. Object files may have lost that name: those
// of static libraries, which come last.
std::vector<Variable> variables_of(const Executable& executable,
                                   const Elf64_Shdr& table) {
  const uintptr_t moved_by = displacement();
  const std::set<uint64_t> copied = executable.copied();
  std::vector<Variable> variables;
  size_t file = 0, last_file = 0;
  bool is_known = false;
  for (const Elf64_Sym& symbol : executable.entries<Elf64_Sym>(table)) {
    const std::string_view name = executable.text(table, symbol.st_name);
    const unsigned type = ELF64_ST_TYPE(symbol.st_info);
    if (type == STT_FILE) {
      ++file;
      is_known = !is_of_a_runtime(name);
      if (is_known) last_file = file;
    }
    if (type != STT_OBJECT || symbol.st_size == 0 ||
        !executable.is_shared_data(symbol.st_shndx))
      continue;
    // Hidden symbols were not local in their files.
    const bool is_local = ELF64_ST_BIND(symbol.st_info) == STB_LOCAL &&
                          ELF64_ST_VISIBILITY(symbol.st_other) == STV_DEFAULT;
    variables.push_back({.symbol = name,
                         .bytes = {reinterpret_cast<const std::byte*>(
                                       symbol.st_value + moved_by),
                                   symbol.st_size},
                         .file = is_local ? file : 0,
                         .is_a_librarys = copied.contains(symbol.st_value),
                         .may_be_a_librarys = is_local && !is_known});
  }
  for (Variable& variable : variables) {
    if (variable.file != 0 && variable.file == last_file)
      variable.may_be_a_librarys = true;
  }
  return variables;
}

std::string demangled(const std::string& symbol) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status),
      &std::free);
  return status == 0 ? name.get() : symbol;
}

constexpr std::string_view kGuard = "_ZGV", kMangled = "_Z",
                           kStaticOfAFunction = "_ZZ";

// Strips what compilers append to tell equal names apart: "hits.0".
std::string_view without_number(std::string_view symbol) {
  return symbol.substr(0, symbol.find('.', 1));
}

// The part before the first "::", or nothing.
std::string_view scope_of(std::string_view name) {
  const size_t end = name.find("::");
  return end == std::string_view::npos ? "" : name.substr(0, end);
}

}  // namespace

ProgramVariables::ProgramVariables() : file_(map_executable()) {
  const Executable executable(file_);
  for (const Elf64_Shdr& section : executable.sections()) {
    if (section.sh_type != SHT_SYMTAB) continue;
    has_symbols_ = true;
    variables_ = variables_of(executable, section);
  }
}

ProgramVariables::~ProgramVariables() {
  if (!file_.empty())
    munmap(const_cast<std::byte*>(file_.data()), file_.size());
}

std::string source_name_of(const Variable& variable) {
  return demangled(std::string(without_number(variable.symbol)));
}

bool is_the_programs(const Variable& variable) {
  // Symbols of vtables and other tables that compilers make.
  constexpr std::string_view kTables = "_ZT";
  const std::string_view symbol = variable.symbol;
  if (variable.is_a_librarys || symbol.starts_with(kGuard) ||
      symbol.starts_with(kTables))
    return false;
  if (symbol.starts_with('_') && !symbol.starts_with(kMangled)) return false;
  const std::string name = source_name_of(variable);
  const std::string_view scope = scope_of(name);
  if (variable.may_be_a_librarys &&
      (scope.empty() || scope == "(anonymous namespace)"))
    return false;
  constexpr std::string_view kLibraries[] = {
      "std", "absl", "CLI", "nlohmann", "testing", "benchmark"};
  if (scope.starts_with("__") ||
      std::ranges::find(kLibraries, scope) != std::end(kLibraries))
    return false;
  // Magpie's variables are in backends, and in what a facade makes for a type.
  return !name.starts_with("magpie::rma::") &&
         !name.starts_with("magpie::internal::");
}

std::string_view guarded_by(const Variable& variable) {
  return variable.symbol.starts_with(kStaticOfAFunction)
             ? variable.symbol.substr(kMangled.size())
             : "";
}

std::string_view guard_of(const Variable& variable) {
  return variable.symbol.starts_with(kGuard)
             ? variable.symbol.substr(kGuard.size())
             : "";
}

}  // namespace magpie::internal
