// The mistakes that users of fork and join make.

#ifndef MAGPIE_TESTS_MISTAKES_MISTAKES_H_
#define MAGPIE_TESTS_MISTAKES_MISTAKES_H_

#include <span>

#include "common/fork_join/fork_join.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

template <typename Root>
int run_root(CommandLine line) {
  return run(line.argc, line.argv, Root{});
}
// Makes a mistake in a task; before a run; after one.
template <auto kDeed>
int in_run(CommandLine line) {
  return run(line.argc, line.argv, [] { kDeed(); });
}
template <auto kDeed>
constexpr auto before_run = before<in_run<[] {}>, kDeed>;
template <auto kDeed>
constexpr auto after_run = after<in_run<[] {}>, kDeed>;

// Flags with which tasks move at each spawn, on networks that allow it.
inline constexpr char kMoving[] = "--ranks=2 --forced_steal";
inline constexpr char kOneAndMoving[] = "--ranks=1|--ranks=2 --forced_steal";
inline constexpr char kTwoAndMoving[] = "--ranks=2|--ranks=2 --forced_steal";

std::span<const Mistake> futures();
std::span<const Mistake> addresses();
std::span<const Mistake> runs();
std::span<const Mistake> endings();
std::span<const Mistake> hangs();
// Whether a simulation, which is one process, is asleep as a whole then.
bool hangs_its_process(const Mistake& mistake);
std::span<const Mistake> kept();

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_MISTAKES_H_
