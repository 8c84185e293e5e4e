// The mistakes that users make, each a small program, and how it must end.

#ifndef MAGPIE_TESTS_MISTAKES_MISTAKES_H_
#define MAGPIE_TESTS_MISTAKES_MISTAKES_H_

#include <span>

#include "common/fork_join/fork_join.h"

namespace magpie::mistakes {

struct CommandLine {
  int argc;
  char** argv;
};

enum class End {
  // Status 0, and nothing on standard error: no mistake.
  kWell,
  // Status 0; words there may be.
  kGoesOn,
  // Status 0, and the words.
  kWarned,
  // Status 1, and the words.
  kTold,
  // Another status, and the words: by a signal, or the program's own.
  kDies,
};

struct Mistake {
  const char* name;
  // With which it is made.
  const char* flags;
  End end;
  // A regular expression.
  const char* words;
  int (*make)(CommandLine);
};

// A mistake of tasks.
template <auto kTask>
int in_run(CommandLine line) {
  return run(line.argc, line.argv, [] { kTask(); });
}

inline constexpr char kOneRank[] = "--ranks=1";
inline constexpr char kTwoRanks[] = "--ranks=2";
// Tasks move at each spawn, on networks that can have it so.
inline constexpr char kMoving[] = "--ranks=2 --forced_steal";

std::span<const Mistake> futures();
std::span<const Mistake> addresses();
std::span<const Mistake> runs();
std::span<const Mistake> endings();

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_MISTAKES_H_
