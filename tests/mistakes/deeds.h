// What tasks of both facades do: end the process, exhaust a stack, write
// variables of static storage, capture padding.

#ifndef MAGPIE_TESTS_MISTAKES_DEEDS_H_
#define MAGPIE_TESTS_MISTAKES_DEEDS_H_

#include <array>
#include <vector>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

void crashes();
void exhausts_the_stack();
void large_frame();

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
inline constexpr char kWritten[] =
    "rank \\d: warning: tasks have written static variables, of which each "
    "rank has its own.* nm -nC '/.*' \\| awk '.*\\| sort -u$";

// An object in whose padding an address may be left: that is no mistake.
struct Padded {
  char a;
  long b;
};

// Calls use(padded) several times, each time with a new object that lies where
// addresses were before.
template <typename Use>
void with_dirty_padding(Use use) {
  const auto dirty = [] {
    long local;
    std::array<long*, 16> addresses;
    addresses.fill(&local);
    asm volatile("" ::"m"(addresses));
  };
  for (int i = 0; i < 10; ++i) {
    dirty();
    Padded padded;
    padded.a = 1;
    padded.b = i;
    use(padded);
  }
}

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_DEEDS_H_
