// Finds variables of static storage that tasks have written, in debug builds.
// Each rank has such a variable of its own, and a task does not know on which
// rank it runs.
//
// A rank's data segment is compared with what it was before tasks ran. What the
// program writes before, in prepare(), and after is its own affair. Not found
// are bytes that were changed and changed back, heap memory, thread_local
// variables, variables of shared libraries, and any in a data segment of more
// than 64 MiB.

#ifndef MAGPIE_COMMON_RUN_GLOBALS_H_
#define MAGPIE_COMMON_RUN_GLOBALS_H_

#include <cstddef>
#include <string>
#include <vector>

namespace magpie::internal {

// Bytes of the data segment, from the first to the last.
struct Place {
  const void* first;
  const void* last;
};

// A copy of the data segment; empty where that has more than 64 MiB.
std::vector<std::byte> data_segment();
// The first 16 places whose bytes have changed since, but backends': changed
// bytes that are at most 8 bytes apart are one place.
std::vector<Place> changed_since(const std::vector<std::byte>& before);

// A command for the shell that prints the names of the static variables at
// these places.
std::string command_naming(const std::vector<Place>& places);

// Static variables that tasks write on one rank. Simulated ranks have one data
// segment, at which rank 0 looks. Does nothing in optimized builds.
class WrittenGlobals {
 public:
  // To be called when prepare() has returned on all ranks, before tasks run.
  // Cost: a copy of the data segment. Collective.
  WrittenGlobals();

  // To be called when tasks have ended on all ranks. If any have written static
  // variables, one rank warns, once in the program's life. Collective.
  void look();

 private:
  // The data segment as it was; empty where nobody looks.
  std::vector<std::byte> before_;
};

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_GLOBALS_H_
