// Checks of invariants and preconditions, made where they cost nothing.
//
//   check(top < capacity, "push onto a full queue");
//
// A check is active in debug builds (-c dbg), and always on the simulated
// network: exploration then ends at the rule that was broken, not where that
// is felt. In optimized builds on real networks the condition is not even
// computed: it stands in the branch that each access of a simulated rank takes
// anyway (bench/README.md counts the instructions).

#ifndef MAGPIE_COMMON_RMA_CHECK_H_
#define MAGPIE_COMMON_RMA_CHECK_H_

#include "common/rma/backend.h"

namespace magpie {
namespace internal {

// Prints what was broken, and where, and ends the job.
[[noreturn, gnu::cold]] void check_failed(const char* words, const char* file,
                                          int line);

}  // namespace internal

#ifdef NDEBUG
inline bool checks_are_active() { return rma::kBackend.sim != nullptr; }
#else
inline bool checks_are_active() { return true; }
#endif

// Prints an error and ends the job unless `condition` holds. REQUIRES:
// computing the condition changes nothing and is no point where other ranks may
// run: it reads plain memory and Word::own_value(), not Word::load().
[[gnu::always_inline]] inline void check(bool condition, const char* words,
                                         const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
  if (checks_are_active()) [[unlikely]] {
    if (!condition) internal::check_failed(words, file, line);
  }
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RMA_CHECK_H_
