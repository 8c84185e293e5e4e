// A process that holds ranks may not end in the middle of a run, whichever way:
// its status could be 0.

#ifndef MAGPIE_COMMON_RMA_EXITS_H_
#define MAGPIE_COMMON_RMA_EXITS_H_

namespace magpie::rma::internal {

// Calls refuse(status), whose status is not 0, where the calling process exits
// while is_running(): by exit or quick_exit, or by _exit or _Exit with status
// 0. refuse() says so, and ends the process. A child that the program makes is
// another process, and may exit. To be called at the beginning of each run,
// with the same functions.
void refuse_exits(bool (*is_running)(), void (*refuse)(int status));

}  // namespace magpie::rma::internal

#endif  // MAGPIE_COMMON_RMA_EXITS_H_
