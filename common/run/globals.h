// Finds variables of static storage that tasks have written, in debug builds.
// Each rank has such a variable of its own, and a task does not know on which
// rank it runs.
//
// A rank's data segment is compared with what it was before tasks ran. What the
// program writes before, in prepare(), and after is its own affair. Not found
// are bytes that were changed and changed back, heap memory, thread_local
// variables, and variables of shared libraries.

#ifndef MAGPIE_COMMON_RUN_GLOBALS_H_
#define MAGPIE_COMMON_RUN_GLOBALS_H_

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace magpie::internal {

// The first and the last byte of a part of the data segment.
struct Place {
  const void* first;
  const void* last;
};

// The program's data segment (.data and .bss) as it was.
class DataSegment {
 public:
  // Cost: reads the segment, and keeps a copy. None of a segment of more than
  // 64 MiB.
  DataSegment();

  // Places whose bytes have changed since, by address: changed bytes that are
  // at most 8 bytes apart are one place. Leaves out the section "magpie_own",
  // in which lies what backends write.
  std::vector<Place> changed() const;

 private:
  const std::span<const std::byte> now_;
  const std::vector<std::byte> before_;
};

// A command for the shell that prints the names of the static variables at
// these places.
std::string command_naming(std::span<const Place> places);

// Static variables that tasks write on one rank. Simulated ranks have one data
// segment, at which rank 0 looks. Does nothing in optimized builds.
class WrittenGlobals {
 public:
  // To be called when prepare() has returned on all ranks, before tasks run.
  // Collective.
  WrittenGlobals();

  // To be called when tasks have ended on all ranks. If any have written static
  // variables, one rank warns, once in the program's life. Collective.
  void look();

 private:
  std::optional<DataSegment> before_;
};

}  // namespace magpie::internal

#endif  // MAGPIE_COMMON_RUN_GLOBALS_H_
