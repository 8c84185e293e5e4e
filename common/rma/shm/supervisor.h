// The supervisor of a job: starts its processes, and watches over them.
//
// The supervisor is the process that launches first. It forks the ranks of all
// runs, and waits until they have ended. The program goes on in rank 0's
// process, which is rank 0 of later runs too: it gives the supervisor an order
// (Control::order), and the supervisor forks the other ranks of that run.
//
// Invariants:
//   1. One thread of one process, the supervisor's, forks ranks, kills them and
//      waits for them, one after the other: so when it kills, no rank is being
//      started, and Control::statuses names the process of each rank that it
//      has not waited for.
//   2. Control::order is written by rank 0 when the ranks of the run before
//      have ended, and then by nobody until they have ended again.

#ifndef MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_
#define MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_

namespace magpie::rma::shm {

// Starts the ranks of the run that Control::order tells, and returns the rank
// that the calling process has become. The process that launches first does not
// return itself: each rank that it forks does, those of later runs too. Prints
// an error and ends the job where there are too many processes. REQUIRES: the
// control block and the segments are there.
int start_ranks();

// Waits until the other ranks' processes have ended, and no line tells how far
// the run is. To be called by rank 0 when it has left a run.
void wait_for_end_of_run();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_
