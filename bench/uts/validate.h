// Validation: which parameters make a tree that can be counted.

#ifndef MAGPIE_BENCH_UTS_VALIDATE_H_
#define MAGPIE_BENCH_UTS_VALIDATE_H_

#include <string>

#include "bench/uts/tree.h"

namespace magpie::uts {

// Says what is wrong: empty if `params`, each in the range that tree.h gives
// it, describe a tree that ends and a kernel that this processor has; else one
// line that names the flags, their values and what is allowed.
//
// A binomial tree is expected to end only if its mean q * m is below 1. Other
// binomial trees are accepted only if they are sample trees.
std::string validate(const Params& params);

}  // namespace magpie::uts

#endif  // MAGPIE_BENCH_UTS_VALIDATE_H_
