// The variables of the running program: what the symbol table of its
// executable says of static storage that can be written.

#ifndef MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_
#define MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace magpie::internal {

struct Variable {
  // As linked: "_ZL4hits".
  std::string_view symbol;
  std::span<const std::byte> bytes;
  // Of local symbols, the number of the source file that they belong to; 0 for
  // others.
  size_t file = 0;
  // Whether the table says that it is a shared library's.
  bool is_a_librarys = false;
  // Whether it may be a static library's: a local symbol of which the table
  // does not surely say the source file.
  bool may_be_a_librarys = false;
};

// Each variable of static storage in the program and in what was linked into it
// statically, neither constant nor thread_local. Where the same bytes have
// several names, several.
//
// Thread safety: none is needed, nothing changes after construction.
class ProgramVariables {
 public:
  // Reads /proc/self/exe. There are none where that has no symbol table or
  // cannot be read. Cost: linear in the table, some milliseconds.
  ProgramVariables();
  ~ProgramVariables();
  ProgramVariables(const ProgramVariables&) = delete;
  ProgramVariables& operator=(const ProgramVariables&) = delete;

  bool has_symbols() const { return has_symbols_; }
  const std::vector<Variable>& all() const { return variables_; }

 private:
  // The executable's file, which the symbols lie in.
  std::span<const std::byte> file_;
  bool has_symbols_ = false;
  std::vector<Variable> variables_;
};

// The variable as in the source: "hits", "main::hits",
// "(anonymous namespace)::Counter::hits".
std::string source_name_of(const Variable& variable);

// Whether it was written by the program's author: neither by the authors of the
// C++ library and of the other libraries that come with Magpie, nor by
// Magpie's, nor by the compiler. A static variable outside of named namespaces
// in the source file that is linked last counts as a library's.
bool is_the_programs(const Variable& variable);

// Where the variable is a function's static one: the end of its symbol, which
// the symbol of its guard has too. Where it is a guard, the same of what it
// guards. Empty otherwise.
std::string_view guarded_by(const Variable& variable);
std::string_view guard_of(const Variable& variable);

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_PROGRAM_VARIABLES_H_
