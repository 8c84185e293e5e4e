// The facade of which BUILD compiles what is the same for both.

#ifndef MAGPIE_TESTS_MISTAKES_FACADE_H_
#define MAGPIE_TESTS_MISTAKES_FACADE_H_

#ifdef MAGPIE_OF_A_POOL
#include "tests/mistakes/pool.h"
namespace magpie::mistakes {
using namespace pool;
}
#else
#include "tests/mistakes/fork_join.h"
namespace magpie::mistakes {
using namespace fork_join;
}
#endif

#endif  // MAGPIE_TESTS_MISTAKES_FACADE_H_
