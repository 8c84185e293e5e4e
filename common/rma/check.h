// Invariants and preconditions, held to account where that costs nothing.
//
//   check(top < capacity, "push onto a full queue");
//
// A check is active in debug builds (-c dbg), and always on the simulated
// network: exploration then ends at the rule that was broken, not where that
// is felt. In optimized builds on real networks the condition is not even
// computed: it stands in the branch that each access of a simulated rank takes
// anyway (see bench/microbenchmarks/README.md for the instructions counted).

#ifndef MAGPIE_COMMON_RMA_CHECK_H_
#define MAGPIE_COMMON_RMA_CHECK_H_

#include <source_location>

#include "common/rma/backend.h"

namespace magpie {
namespace internal {

// Ends the job in words: what was broken, and where.
[[noreturn, gnu::cold]] void check_failed(const char* words,
                                          std::source_location where);

}  // namespace internal

#ifdef NDEBUG
inline bool checks_are_active() { return rma::kBackend.sim != nullptr; }
#else
inline bool checks_are_active() { return true; }
#endif

// Ends the job in words unless `condition` holds. REQUIRES: computing the
// condition changes nothing and is no point where other ranks may run: it reads
// plain memory and Word::own_value(), not Word::load().
[[gnu::always_inline]] inline void check(
    bool condition, const char* words,
    std::source_location where = std::source_location::current()) {
  if (checks_are_active()) [[unlikely]] {
    if (!condition) internal::check_failed(words, where);
  }
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RMA_CHECK_H_
