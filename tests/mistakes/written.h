// Variables that tasks of both facades write, and what is told of it.

#ifndef MAGPIE_TESTS_MISTAKES_WRITTEN_H_
#define MAGPIE_TESTS_MISTAKES_WRITTEN_H_

#include <vector>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

// Makes the compiler believe that the object is read and written.
template <typename T>
void seen(T& object) {
  asm volatile("" ::"r"(&object) : "memory");
}

extern long written_by_all;
// A constant table, made by the first caller.
const std::vector<long>& made_when_needed();
// Uses the C++ library: throws and catches, prints numbers into text, starts a
// thread.
void use_the_library();

// Debug builds warn of writes, and tell a command that names the variables.
inline constexpr End kWarnedInDebugBuilds = kDebug ? kWarned : kWell;
inline constexpr const char* kWritten =
    kDebug ? "rank \\d: warning: tasks have written static variables, of which "
             "each rank has its own.* nm -nC '/.*' \\| awk '.*\\| sort -u$"
           : "";

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_WRITTEN_H_
