// The mistakes that users of pools make.

#ifndef MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_
#define MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_

#include <span>
#include <string>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

template <typename Root>
int run_pool_root(CommandLine line) {
  return run_pool(line.argc, line.argv, Root{});
}
// Makes a mistake in the root; in a task on any rank; before a run; after one.
template <auto kDeed>
int in_root(CommandLine line) {
  return run_pool(line.argc, line.argv, [] { kDeed(); });
}
template <auto kDeed>
int in_task(CommandLine line) {
  return run_pool(line.argc, line.argv, [] {
    add([] {});
    add_at(rma::size() - 1, [] { kDeed(); });
  });
}
template <auto kDeed>
constexpr auto before_pool = before<in_root<[] {}>, kDeed>;
template <auto kDeed>
constexpr auto after_pool = after<in_root<[] {}>, kDeed>;

std::span<const Mistake> pool_flags();
std::span<const Mistake> pool_runs();

// Whether a task that is added at a rank is run there, if others have work.
inline bool ranks_run_their_mail() { return pool_seam::traits().has_inboxes; }

// Whether the pool has a mistake's flags; where the mistake is to give an
// unknown flag, whether the pool does not have it.
bool meets_flags(const Mistake& mistake, const std::string& flags);

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_POOL_MISTAKES_H_
