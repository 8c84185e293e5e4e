// Who starts the processes of a job, and watches over them.
//
// The supervisor is the process that launches first. It forks the first run's
// ranks and waits until all ranks have ended. The program goes on in rank 0's
// process, which is rank 0 of later runs too: it starts their other ranks, as
// children of the supervisor.
//
// Invariants:
//   1. Control::states tells the process of each rank that is not reaped yet;
//      it does before the supervisor can hear of its end.
//   2. A later run begins when the ranks of the one before are reaped: so
//      Control::returned always speaks of the ranks that run.

#ifndef MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_
#define MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_

namespace magpie::rma::shm {

// To be called first at each launch. Where the system has no subreapers, rank
// 0's process becomes the supervisor of a later run, with a control block of
// its own: supervisors then form a chain, one process a run.
void begin_anew_without_subreaper();

// Starts the ranks of a run, and returns the rank that the calling process has
// become. The process that launches first does not return. Ends the job in
// words where there are too many processes. REQUIRES: job.ranks, the control
// block and the segments are there.
int start_ranks();

}  // namespace magpie::rma::shm

#endif  // MAGPIE_COMMON_RMA_SHM_SUPERVISOR_H_
