#include "common/rma/life_signs.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdio>

namespace magpie::rma::internal {
namespace {

// Most core time of a call of idle(), with what is looked at between two calls:
// less than 1 us on shared memory, a few over a network's driver.
constexpr uint64_t kPollNs = 100'000;
// Other threads that compute for less than 1 / kOthersShare of the time may be
// no threads of the program: those of an MPI library sleep nearly always.
constexpr uint64_t kOthersShare = 100;

uint64_t time_of(clockid_t clock) {
  timespec t = {};
  clock_gettime(clock, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<uint64_t>(t.tv_nsec);
}

// Whether the thread sleeps until another wakes it: in a futex without a time
// limit. False, too, where the system does not tell.
bool sleeps_for_others(pid_t thread) {
  char name[64];
  std::snprintf(name, sizeof(name), "/proc/self/task/%d/syscall", thread);
  std::FILE* const file = std::fopen(name, "re");
  if (file == nullptr) return false;
  long call = -1;
  unsigned long limit = 1;
  const int read = std::fscanf(file, "%ld %*x %*x %*x %lx", &call, &limit);
  std::fclose(file);
  return read == 2 && call == SYS_futex && limit == 0;
}

}  // namespace

LifeSigns::LifeSigns(Self& rank)
    : rank_(rank), thread_(static_cast<pid_t>(syscall(SYS_gettid))) {
  pthread_getcpuclockid(pthread_self(), &clock_);
}

LifeSigns::Counts LifeSigns::count() const {
  Counts is = last_;
  tally_of(rank_, &is.tally);
  is.collectives = Pulse::told(rank_.pulse.collectives);
  is.polls = Pulse::told(rank_.pulse.polls);
  is.computed = time_of(clock_);
  const uint64_t all = time_of(CLOCK_PROCESS_CPUTIME_ID);
  const uint64_t known = is.computed + time_of(CLOCK_THREAD_CPUTIME_ID);
  is.others_computed = all > known ? all - known : 0;
  return is;
}

Doing LifeSigns::own_code(const Counts& is, uint64_t passed) const {
  const uint64_t polls = is.polls - last_.polls;
  const uint64_t computed = is.computed - last_.computed;
  if (computed > polls * kPollNs) return Doing::kRuns;
  if (polls > 0) return Doing::kPolls;
  if (!sleeps_for_others(thread_)) return Doing::kSystemCall;
  const bool others_compute =
      is.others_computed > last_.others_computed + passed / kOthersShare;
  return others_compute ? Doing::kSystemCall : Doing::kLock;
}

void LifeSigns::look(RankState& state, uint64_t passed, uint64_t time) {
  const Counts is = count();
  Doing doing = doing_of(rank_);
  // A rank that runs task after task may call idle() often in between.
  const bool has_run = is.tally.spawned + is.tally.ended >
                       last_.tally.spawned + last_.tally.ended;
  if (doing == Doing::kRuns && !has_run) doing = own_code(is, passed);
  const bool has_counted = is.tally != last_.tally || !state.is_watched.load();
  const bool lives = has_counted || is.collectives != last_.collectives ||
                     doing == Doing::kRuns || doing == Doing::kSystemCall;
  last_ = is;
  note(state, rank_, doing);
  if (is.tally != TaskTally{}) note(state, is.tally);
  if (has_counted) state.tally_since.store(time);
  state.quiet_ns.store(lives ? 0 : state.quiet_ns.load() + passed);
  state.looked.store(time);
  state.is_watched.store(true);
}

}  // namespace magpie::rma::internal
