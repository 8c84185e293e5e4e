// Service of one-sided operations that wait for their target while the target
// computes.

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/rma/backends.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {
namespace mpi {
namespace {

// State of the lock, and of the progress thread.
[[gnu::section("magpie_own")]] std::atomic<bool> lock_taken = false;
[[gnu::section("magpie_own")]] std::atomic<bool> rank_wants = false;
std::atomic<bool> stopping = false;
std::thread progress_thread;

// Limits of polling. A poll costs a few hundred nanoseconds, over TCP a few
// thousand, a spawn ten: so polls are not more frequent than this, and take at
// most a tenth of the time; but one that found something is soon repeated,
// since a steal is several operations.
constexpr uint64_t kPollEveryNs = 2'000;
constexpr uint64_t kPollShare = 10;
[[gnu::section("magpie_own")]] uint64_t next_poll_ns = 0;
// Naps of a rest. A look takes 5 to 17 us of a core with the nap before it: a
// tenth of the shortest nap or more. Where only wakes are looked for, naps
// grow.
constexpr uint64_t kShortestNapNs = 50'000, kLongestNapNs = 250'000;
// Cost of a poll that finds nothing, as most do: the least of all polls so far.
[[gnu::section("magpie_own")]] uint64_t poll_cost_ns = ~uint64_t{0};

// Makes MPI serve everything that has arrived, by testing a request that stays
// open. A probe for messages would not do: in it, some components serve only
// their own messages.
void drive_mpi() {
  if (job.never == MPI_REQUEST_NULL) return;
  int done;
  MPI_Test(&job.never, &done, MPI_STATUS_IGNORE);
}

// Ends the job where a rank of this node has died: if the launcher goes on
// then, the others would wait for it for ever. Ranks of its node see that its
// process is gone.
void require_peers() {
  constexpr uint32_t kOften = 1 << 14;
  [[gnu::section("magpie_own")]] static uint32_t calls = 0;
  if (++calls % kOften != 0 || job.page == nullptr) return;
  for (int i = 0; i < job.node_ranks; ++i) {
    const RankStatus& peer = job.page->statuses[i];
    const int process = peer.process.load();
    const bool is_gone = process > 0 &&
                         peer.activity.load() != Activity::kEnded &&
                         kill(process, 0) != 0 && errno == ESRCH;
    if (is_gone)
      fatal(absl::StrCat("rank ", peer.rank.load(),
                         " of this node has died, and the launcher goes on"));
  }
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

// Whether this rank's operations are loads and stores of its own: by the files
// in which Open MPI's components share memory within a node. Other components
// may need the target, and do so unless a network card does all that is asked.
bool are_own_accesses() {
  return size() == 1 ||
         (job.nodes == 1 && (absl::StrContains(job.backing, "/osc_sm.") ||
                             absl::StrContains(job.backing, "/osc_rdma.")));
}

}  // namespace

std::byte* stack = nullptr;

void make_stack() {
  // Accesses to the gap below the stack fault.
  constexpr size_t kGap = 1 << 20;
  void* const memory = mmap(nullptr, kGap + kStackBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::byte* const low = static_cast<std::byte*>(memory) + kGap;
  if (memory == MAP_FAILED ||
      mprotect(low, kStackBytes, PROT_READ | PROT_WRITE) != 0)
    fatal(absl::StrCat("cannot map 8 MiB for the stack on which MPI runs: ",
                       std::strerror(errno)));
  stack = low;
}

void MpiLock::lock() {
  rank_wants.store(true);
  while (lock_taken.exchange(true, std::memory_order_acquire)) sched_yield();
  rank_wants.store(false);
}

void MpiLock::unlock() { lock_taken.store(false, std::memory_order_release); }

// Yields the core not only where ranks outnumber cores: others may use the
// machine too, and a system call costs no more than the test of a request that
// comes with it.
void wait(MPI_Request* request) {
  while (true) {
    int done;
    {
      MpiLock lock;
      MPI_Test(request, &done, MPI_STATUS_IGNORE);
    }
    if (done != 0) return;
    sched_yield();
    require_peers();
  }
}

void decide_progress() {
  job.targets_help = !everywhere(are_own_accesses());
  job.progress = job.options.progress;
  if (job.progress == Progress::kAuto)
    job.progress = job.targets_help ? Progress::kPoll : Progress::kNone;
  if (job.progress != Progress::kThread || job.can_serialize) return;
  fatal(
      "--mpi_progress=thread: this MPI does not allow two threads to call it "
      "in turn (MPI_THREAD_SERIALIZED); must be auto, none or poll",
      2);
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
  // The message that completes job.never.
  MPI_Send(nullptr, 0, MPI_BYTE, rank(), 2, job.world);
  wait(&job.never);
}

}  // namespace mpi

void poll() {
  if (mpi::job.progress != mpi::Progress::kPoll) return;
  const uint64_t time = now();
  if (time < mpi::next_poll_ns) return;
  mpi::on_mpi_stack(mpi::drive_mpi);
  const uint64_t after = now(), took = after - time;
  mpi::poll_cost_ns = std::min(mpi::poll_cost_ns, took);
  mpi::job.self.counters.poll_ns += took;
  const bool found_something = took > 2 * mpi::poll_cost_ns;
  mpi::next_poll_ns =
      after + (found_something ? mpi::kPollEveryNs
                               : std::max(mpi::kPollEveryNs,
                                          mpi::kPollShare * mpi::poll_cost_ns));
}

void idle(int times) {
  internal::require_run("rma::idle");
  RankStatus::add(self().status->polls, times);
  for (; times > 0; --times) {
    if (!mpi::job.threaded) mpi::on_mpi_stack(mpi::drive_mpi);
    sched_yield();
    mpi::require_peers();
  }
}

void rest(uint64_t nanoseconds) {
  internal::require_run("rma::rest");
  const ActivityScope scope(*self().status, Activity::kRest);
  // Others may wait for this rank's help, which its progress thread gives them
  // where it has one.
  const bool helps = !mpi::job.threaded && mpi::job.targets_help;
  mpi::Scratch* const own = mpi::own_scratch();
  const uint64_t begin = now();
  uint64_t nap = mpi::kShortestNapNs;
  for (uint64_t rested = 0; rested < nanoseconds; rested = now() - begin) {
    if (!mpi::job.threaded) mpi::on_mpi_stack(mpi::drive_mpi);
    if (own->wakes.load() != own->wakes_seen) break;
    usleep(static_cast<useconds_t>((std::min(nanoseconds - rested, nap) + 999) /
                                   1000));
    if (!helps) nap = std::min(2 * nap, mpi::kLongestNapNs);
  }
  if (helps) mpi::on_mpi_stack(mpi::drive_mpi);
  own->wakes_seen = own->wakes.load();
}

}  // namespace magpie::rma
