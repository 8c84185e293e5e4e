// The mistakes that users of pools make.

#ifndef MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_
#define MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_

#include <span>

#include "common/task_pool/task_pool.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

template <typename Root>
int run_root(CommandLine line) {
  return run_pool(line.argc, line.argv, Root{});
}
// Makes a mistake in the root; before a run; after one.
template <auto kDeed>
int in_root(CommandLine line) {
  return run_pool(line.argc, line.argv, [] { kDeed(); });
}
template <auto kDeed>
int before_run(CommandLine line) {
  kDeed();
  return in_root<[] {}>(line);
}
template <auto kDeed>
int after_run(CommandLine line) {
  const int status = in_root<[] {}>(line);
  if (status == 0) kDeed();
  return status;
}

std::span<const Mistake> pool_flags();
std::span<const Mistake> pool_memory();
// Pools that come to wait for ever, or whose results cannot be merged.
std::span<const Mistake> pool_hangs();
std::span<const Mistake> pool_early_end();
std::span<const Mistake> pool_globals();

// Whether a task that is added at a rank is run there, if others have work.
inline bool ranks_run_their_mail() { return pool_seam::traits().has_inboxes; }

// Whether the pool has a mistake's flags; where the mistake is to give an
// unknown flag, whether the pool does not have it.
bool meets_flags(const Mistake& mistake);

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_
