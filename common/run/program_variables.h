// The variables of the running program: writable static storage, as the symbol
// table of its executable tells.

#ifndef MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_
#define MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace magpie::internal {

struct Variable {
  // Name of the symbol: "_ZL4hits".
  std::string_view symbol;
  std::span<const std::byte> bytes;
  // Number of a local symbol's source file; 0 for other symbols.
  size_t file = 0;
  // Whether the table says that the variable is a shared library's.
  bool is_a_librarys = false;
  // Whether the variable may be a static library's: a local symbol whose source
  // file the table does not tell for sure.
  bool may_be_a_librarys = false;
};

// All variables of static storage, neither constant nor thread_local, in the
// program and in what was linked into it statically. Bytes with several names
// are several variables.
//
// Thread safety: none is needed, nothing changes after construction.
class ProgramVariables {
 public:
  // Reads /proc/self/exe. There are no variables where it has no symbol table
  // or cannot be read. Cost: linear in the table, some milliseconds.
  ProgramVariables();
  ~ProgramVariables();
  ProgramVariables(const ProgramVariables&) = delete;
  ProgramVariables& operator=(const ProgramVariables&) = delete;

  bool has_symbols() const { return has_symbols_; }
  const std::vector<Variable>& all() const { return variables_; }

 private:
  // The executable's file, in which the symbols lie.
  std::span<const std::byte> file_;
  bool has_symbols_ = false;
  std::vector<Variable> variables_;
};

// The variable's name in the source: "hits", "main::hits",
// "(anonymous namespace)::Counter::hits".
std::string source_name_of(const Variable& variable);

// Whether the variable is from the program's author: neither from the C++
// library and the other libraries that come with Magpie, nor from Magpie, nor
// from the compiler. A static variable outside of named namespaces in the
// source file that is linked last counts as a library's.
bool is_the_programs(const Variable& variable);

// guarded_by: for a function's static variable, the end of its symbol, which
// its guard's symbol shares. guard_of: for a guard, that end of the symbol of
// what it guards. Both are empty for other variables.
std::string_view guarded_by(const Variable& variable);
std::string_view guard_of(const Variable& variable);

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_
