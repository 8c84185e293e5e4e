// Variables of static storage that a pool's tasks write.

#ifndef MAGPIE_TESTS_MISTAKES_POOL_GLOBALS_H_
#define MAGPIE_TESTS_MISTAKES_POOL_GLOBALS_H_

#include <span>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

std::span<const Mistake> pool_globals();

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_POOL_GLOBALS_H_
