// What users of pools get wrong on the command line.

#ifndef MAGPIE_TESTS_MISTAKES_POOL_FLAGS_H_
#define MAGPIE_TESTS_MISTAKES_POOL_FLAGS_H_

#include <span>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

std::span<const Mistake> pool_flags();

// Whether the pool has a mistake's flags; where the mistake is to give one that
// is unknown, that it has not.
bool meets_flags(const Mistake& mistake);

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_POOL_FLAGS_H_
