// How one-sided operations that wait for their target get served while the
// target computes.

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "absl/strings/str_cat.h"
#include "common/rma/mpi/job.h"
#include "common/rma/outside.h"

namespace magpie::rma {
namespace mpi {
namespace {

// Of the lock, and of the progress thread.
std::atomic<bool> lock_taken = false;
std::atomic<bool> rank_wants = false;
std::atomic<bool> stopping = false;
std::thread progress_thread;

// A poll costs a few hundred nanoseconds, a spawn ten: more often than this it
// is not done.
constexpr uint64_t kPollEveryNs = 2'000;
uint64_t next_poll_ns = 0;

// Testing a request that stays open makes MPI look after everything that has
// arrived. A probe for messages would not do: some components serve only their
// own messages from it.
void drive_mpi() {
  if (job.never == MPI_REQUEST_NULL) return;
  int done;
  MPI_Test(&job.never, &done, MPI_STATUS_IGNORE);
}

void serve() {
  while (!stopping.load(std::memory_order_relaxed)) {
    if (!rank_wants.load() &&
        !lock_taken.exchange(true, std::memory_order_acquire)) {
      drive_mpi();
      lock_taken.store(false, std::memory_order_release);
    }
    sched_yield();
  }
}

bool have_cores_to_spare() {
  uint64_t spare = job.node_cores >= 2 * job.node_ranks && job.own_cores >= 2;
  reduce(&spare, 1, Reduction::kMin);
  return spare != 0;
}

}  // namespace

void MpiLock::acquire() {
  rank_wants.store(true);
  while (lock_taken.exchange(true, std::memory_order_acquire)) sched_yield();
  rank_wants.store(false);
}

void MpiLock::release() { lock_taken.store(false, std::memory_order_release); }

// Not only where ranks outnumber cores: others may use the machine too, and a
// system call costs no more than the test of a request that comes with it.
void yield_core() { sched_yield(); }

void wait(MPI_Request* request) {
  while (true) {
    int done;
    {
      MpiLock lock;
      MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    if (done != 0) return;
    yield_core();
  }
}

void wait_asleep(MPI_Request* request) {
  constexpr useconds_t kLongest = 2'000;
  for (useconds_t pause = 10;; pause = std::min(2 * pause, kLongest)) {
    int done;
    MPI_Test(request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    usleep(pause);
  }
}

void decide_progress() {
  job.progress = job.options.progress;
  if (job.progress == Progress::kAuto) {
    if (job.waiting.empty()) {
      job.progress = Progress::kNone;
    } else {
      const bool spare = have_cores_to_spare();
      job.progress =
          spare && job.can_serialize ? Progress::kThread : Progress::kPoll;
    }
  }
  refuse_if_any(job.progress == Progress::kThread && !job.can_serialize
                    ? "--mpi_progress=thread: this MPI does not allow two "
                      "threads to call it in turn (MPI_THREAD_SERIALIZED); "
                      "must be auto, none or poll"
                    : "");
}

void start_progress() {
  MPI_Irecv(nullptr, 0, MPI_BYTE, rank(), 2, job.world, &job.never);
  job.self.poll_at_spawn = job.progress == Progress::kPoll;
  if (job.progress != Progress::kThread) return;
  job.threaded = true;
  stopping.store(false);
  progress_thread = std::thread(serve);
}

void calm_progress() {
  // For good: the progress thread stays out from now on.
  rank_wants.store(true);
  for (int i = 0; job.threaded && lock_taken.load() && i < 10'000; ++i)
    sched_yield();
}

void stop_progress() {
  if (job.threaded) {
    stopping.store(true);
    progress_thread.join();
    job.threaded = false;
  }
  if (job.never == MPI_REQUEST_NULL) return;
  // The answer.
  MPI_Send(nullptr, 0, MPI_BYTE, rank(), 2, job.world);
  wait(&job.never);
}

}  // namespace mpi

void poll() {
  if (mpi::job.progress != mpi::Progress::kPoll) return;
  const uint64_t time = now();
  if (time < mpi::next_poll_ns) return;
  mpi::drive_mpi();
  mpi::next_poll_ns = now() + mpi::kPollEveryNs;
}

void idle(int times) {
  internal::require_run("rma::idle");
  for (; times > 0; --times) {
    if (!mpi::job.threaded) mpi::drive_mpi();
    mpi::yield_core();
  }
}

}  // namespace magpie::rma
