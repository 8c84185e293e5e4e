// Finds variables of static storage that tasks write: --globals. Each rank has
// such a variable of its own, and a task does not know on which it runs.
//
// The program's own variables are looked at just before tasks run, and after
// all have ended. What the program writes before, in prepare(), and after is
// its own affair. Whatever is found was written, but some writes are not found:
// of bytes that are changed and changed back, of heap memory, of thread_local
// variables, and of what the program keeps in a shared library.

#ifndef MAGPIE_COMMON_RUN_GLOBALS_H_
#define MAGPIE_COMMON_RUN_GLOBALS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/run/program_variables.h"

namespace CLI {
class App;
}

namespace magpie::internal {

// What was written between two looks.
class VariablesSnapshot {
 public:
  struct Written {
    // Names with sizes.
    std::vector<std::string> variables;
    // Static variables of functions that were initialized meanwhile; perhaps
    // nothing else has happened to them.
    std::vector<std::string> initialized;
  };

  // Takes the snapshot. Cost: reads all static storage; keeps 8 bytes a
  // variable.
  VariablesSnapshot();

  bool has_symbols() const { return variables_.has_symbols(); }
  Written written() const;

 private:
  const ProgramVariables variables_;
  // Hash of each variable's bytes.
  std::vector<size_t> hashes_;
};

// What to do about writes, in the order of the flag's values.
enum class OnWritten : uint8_t { kOff, kWarn, kStop };

struct GlobalsOptions {
  OnWritten on_written = OnWritten::kOff;
  // Whether the user has given the flag.
  bool is_given = false;
};

// Adds --globals.
void add_options(CLI::App& app, GlobalsOptions& options);

// Chooses where the flag was not given: kStop in debug builds and where a
// simulator explores schedules, kOff otherwise. To be called after the parse.
void choose_default(const CLI::App& app, GlobalsOptions& options);

// What tasks write in one process. Each of its ranks calls both functions; only
// the first call of each does the work, for all of them.
class WrittenGlobals {
 public:
  explicit WrittenGlobals(const GlobalsOptions& options);

  // To be called when prepare() has returned on all ranks of the process,
  // before tasks run. Cost: none where kOff.
  void remember();

  // To be called when tasks have ended on all ranks. One rank tells what was
  // written, and what to use in its place: `instead`. Collective. Cost: none
  // where kOff; where ranks are processes, 2 reductions.
  void look(const char* instead);

 private:
  const GlobalsOptions options_;
  // The snapshot, between remember() and look().
  std::unique_ptr<const VariablesSnapshot> before_;
  bool has_remembered_ = false;
};

// What fork-join programs do instead of such writes, and what pools' do.
inline constexpr char kForkJoinInstead[] =
    "return results, or share symmetric memory (root_task<F>())";
inline constexpr char kPoolInstead[] =
    "merge() results, or share symmetric memory (pool_root<F>())";

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_GLOBALS_H_
