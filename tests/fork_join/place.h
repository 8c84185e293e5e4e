// Where a task is. The facade hides it; calls of functions that the compiler
// does not see, since the answer changes in the middle of a task.

#ifndef MAGPIE_TESTS_FORK_JOIN_PLACE_H_
#define MAGPIE_TESTS_FORK_JOIN_PLACE_H_

namespace magpie::conformance {

int place();   // the rank
int places();  // how many there are

// For loops that wait for what another rank does.
void wait_a_little();

}  // namespace magpie::conformance

#endif  // MAGPIE_TESTS_FORK_JOIN_PLACE_H_
