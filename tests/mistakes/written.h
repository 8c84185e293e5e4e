// Variables that tasks of both facades write, and how that must end.

#ifndef MAGPIE_TESTS_MISTAKES_WRITTEN_H_
#define MAGPIE_TESTS_MISTAKES_WRITTEN_H_

#include <atomic>
#include <vector>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

// Makes the compiler believe that the object is read and written.
template <typename T>
void seen(T& object) {
  asm volatile("" ::"r"(&object) : "memory");
}

extern long written_by_all;
struct Counter {
  static long of_all;
  static std::atomic<long> atomic;
};
void count_in_a_function();
// A constant table, made by the first caller.
const std::vector<long>& made_when_needed();
// Uses the C++ library: throws and catches, prints numbers into text.
void use_the_library();

inline constexpr char kStop[] = "--ranks=2 --globals=stop";

// Begin of the words; a simulator does not know the rank.
#define MAGPIE_WRITTEN "rank \\d: tasks have written "
inline constexpr char kInitialized[] =
    "rank \\d: warning: tasks have initialized .*made_when_needed\\(\\)::table "
    "\\(24 bytes\\).*right if it is alike on all";

// The rows for each write: by default it is told in debug builds, and where
// schedules are explored; otherwise as the flag says.
#define MAGPIE_GLOBALS_ROWS(name, make, variable, instead)                  \
  {"globals_" name, kTwoRanks, kDebug ? End::kTold : End::kWell,            \
   kDebug ? MAGPIE_WRITTEN variable ".*: " instead : "", make},             \
      {"globals_" name "_explored", "--ranks=2 --explore --seed=3",         \
       End::kTold, MAGPIE_WRITTEN variable ".*: " instead, make},           \
      {"globals_" name "_stop", kStop, End::kTold,                          \
       MAGPIE_WRITTEN variable ".*: " instead ".*--globals=warn", make},    \
      {"globals_" name "_alone", "--ranks=1 --globals=stop", End::kTold,    \
       "rank 0: tasks have written " variable ", of which each rank has",   \
       make},                                                               \
      {"globals_" name "_warn", "--ranks=2 --globals=warn", End::kWarned,   \
       "rank \\d: warning: tasks have written " variable ".*--globals=off", \
       make},                                                               \
  {                                                                         \
    "globals_" name "_off", "--ranks=2 --globals=off", End::kWell, "", make \
  }

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_WRITTEN_H_
