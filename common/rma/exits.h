// Refuses that a process which holds ranks exits in the middle of a run: its
// status could be 0. And, without being called, that any process whose standard
// output could not be written ends with status 0.

#ifndef MAGPIE_COMMON_RMA_EXITS_H_
#define MAGPIE_COMMON_RMA_EXITS_H_

namespace magpie::rma::internal {

// Calls refuse(status), with a status that is not 0, when the calling process
// exits while is_running(): by exit or quick_exit, or by _exit or _Exit with
// status 0. refuse() prints why, and ends the process. A child that the program
// makes is another process, and may exit. Called at the beginning of each run,
// with the same functions.
void refuse_exits(bool (*is_running)(), void (*refuse)(int status));

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_EXITS_H_
