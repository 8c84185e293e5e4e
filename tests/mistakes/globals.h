// Variables of static storage that tasks write.

#ifndef MAGPIE_TESTS_MISTAKES_GLOBALS_H_
#define MAGPIE_TESTS_MISTAKES_GLOBALS_H_

#include <span>

#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

std::span<const Mistake> globals();

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_GLOBALS_H_
