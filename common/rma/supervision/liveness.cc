#include <signal.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include "absl/strings/str_format.h"
#include "common/flags/flags.h"
#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::internal {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;
// Most core time of a call of idle(), with what is looked at between two calls:
// less than 1 us on shared memory, a few over a network's driver.
constexpr uint64_t kPollNs = 100'000;
// A process that computes for less than 1 / kLeastShare of the time may do so
// outside the program: the threads of an MPI library sleep nearly always.
constexpr uint64_t kLeastShare = 100;

uint64_t in_ns(double seconds) {
  return static_cast<uint64_t>(seconds * static_cast<double>(kSecond));
}

// -------------------------------------------------------- from other processes

// Reads the counters from the rank's memory. False: the system does not allow
// it, or the process has ended.
bool read_counters(const RankStatus& rank, RankStatus::Values& values) {
  iovec there[std::tuple_size_v<RankStatus::Values>];
  const size_t count = rank.counter_count.load();
  for (size_t i = 0; i < count; ++i) {
    const uint64_t* const value = rank.counters[i].value.load();
    there[i] = {const_cast<uint64_t*>(value), sizeof(*value)};
  }
  const iovec here = {values.data(), count * sizeof(uint64_t)};
  return process_vm_readv(rank.process.load(), &here, 1, there, count, 0) ==
         static_cast<ssize_t>(here.iov_len);
}

// Reads what the system tells of the rank's thread, as scanf().
template <typename... Numbers>
int scan_of_thread(const RankStatus& rank, const char* what, const char* format,
                   Numbers*... numbers) {
  char name[80];
  std::snprintf(name, sizeof(name), "/proc/%d/task/%d/%s", rank.process.load(),
                rank.thread.load(), what);
  std::FILE* const file = std::fopen(name, "re");
  if (file == nullptr) return 0;
  const int read = std::fscanf(file, format, numbers...);
  std::fclose(file);
  return read;
}

// Whether the rank's thread sleeps until another wakes it: in a futex without a
// time limit. False, too, where the system does not tell.
bool sleeps_for_others(const RankStatus& rank) {
  long call = -1;
  unsigned long limit = 1;
  return scan_of_thread(rank, "syscall", "%ld %*x %*x %*x %lx", &call,
                        &limit) == 2 &&
         call == SYS_futex && limit == 0;
}

// Whether a debugger or a signal has stopped the rank's thread.
bool is_stopped(const RankStatus& rank) {
  char state = 0;
  scan_of_thread(rank, "stat", "%*d (%*[^)]) %c", &state);
  return state == 'T' || state == 't';
}

uint64_t core_time(const RankStatus& rank) {
  clockid_t clock;
  timespec time = {};
  if (clock_getcpuclockid(rank.process.load(), &clock) == 0)
    clock_gettime(clock, &time);
  return static_cast<uint64_t>(time.tv_sec) * kSecond +
         static_cast<uint64_t>(time.tv_nsec);
}

// ------------------------------------------------------------------------ text

// Prints text to standard error, whole. For signal handlers too.
void print_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nobody listens.
  }
}

constexpr const char* kWords[] = {
    "has not begun",
    "runs, outside tasks",
    "runs, in tasks",
    "searches for work",
    "waits in a collective",
    "rests, in rest()",
    "has ended",
    "polls, in idle()",
    "sleeps until another thread wakes it, as at a lock",
    "is in a system call"};

constexpr Activity kWaiting[] = {Activity::kSearch, Activity::kCollective,
                                 Activity::kRest, Activity::kPolls,
                                 Activity::kSleeps};

// Prints what a rank does, a line that begins with `begin`, and its counters.
// For signal handlers too.
void print_rank(const char* begin, const RankStatus& rank, Activity activity) {
  char line[512];
  size_t length = 0;
  const auto add = [&](const char* format, auto... arguments) {
    length += static_cast<size_t>(std::snprintf(
        line + length, sizeof(line) - length, format, arguments...));
  };
  add("%srank %d %s", begin, rank.rank.load(),
      kWords[static_cast<size_t>(activity)]);
  RankStatus::Values values = {};
  const size_t count =
      read_counters(rank, values) ? rank.counter_count.load() : 0;
  for (size_t i = 0; i < count; ++i) {
    add("%s %s: %lu", i == 0 ? ";" : ",", rank.counters[i].name.load(),
        static_cast<unsigned long>(values[i]));
  }
  add("%s", "\n");
  print_text(line);
}

std::string in_short(uint64_t n) {
  if (n < 1'000'000) return std::to_string(n);
  return absl::StrFormat("%.1fM", static_cast<double>(n) * 1e-6);
}

// --------------------------------------------------------------------- SIGUSR1

// State of the process, to which signal handlers belong.
std::atomic<const RankStatus*> own = nullptr;

// Called in the rank's thread, or in another one where the process has more.
void on_sigusr1(int) {
  const int error = errno;
  const RankStatus* const rank = own.load();
  if (rank != nullptr && !is_outside_run()) {
    print_text(beginning_of_words());
    print_rank("magpie: ", *rank, rank->activity.load());
  }
  errno = error;
}

// Sets the handler before main(): an early signal must not end the job.
[[maybe_unused]] const bool answers_from_the_start =
    (take_signal(on_sigusr1), true);

}  // namespace

void add_options(CLI::App& app, LivenessOptions& options) {
  flags::add_seconds(
      app, "--patience", options.patience,
      "end the job, and tell what each rank does, after this number of seconds "
      "in which no rank computes, spawns, ends or steals a task; 0: never");
  flags::add_seconds(
      app, "--progress", options.progress,
      "seconds after which a line on a terminal tells how far it is");
}

void begin_status(RankStatus& status) {
  status.rank.store(rank());
  status.process.store(getpid());
  status.thread.store(static_cast<int>(syscall(SYS_gettid)));
  status.counter_count.store(0);
  status.activity.store(Activity::kProgram);
  self().status = &status;
  own.store(&status);
}

void end_status() {
  own.store(nullptr);
  self().status->counter_count.store(0);
  self().status->activity.store(Activity::kEnded);
}

bool answers_sigusr1() {
  struct sigaction is;
  sigaction(SIGUSR1, nullptr, &is);
  return is.sa_handler == on_sigusr1;
}

// ----------------------------------------------------------------- the monitor

LivenessMonitor::LivenessMonitor(const LivenessOptions& options,
                                 std::span<const RankStatus> ranks,
                                 std::atomic<bool>& spoken)
    : options_(options),
      ranks_(ranks),
      spoken_(spoken),
      period_(options.patience > 0 ? std::clamp(in_ns(options.patience) / 16,
                                                10 * kMillisecond, kSecond / 2)
              : isatty(STDERR_FILENO) != 0 ? kSecond / 2
                                           : 0),
      line_(options.progress),
      seen_(ranks.size()),
      last_look_(now()) {}

int LivenessMonitor::ms_to_look() const {
  if (period_ == 0) return -1;
  const uint64_t passed = std::min(now() - last_look_, period_);
  return static_cast<int>((period_ - passed + kMillisecond - 1) / kMillisecond);
}

bool LivenessMonitor::look() {
  if (ms_to_look() != 0) return false;
  look_at_all();
  if (line_.is_due()) show_line();
  const uint64_t patience = in_ns(options_.patience);
  bool is_any_left = false, is_any_alive = patience == 0;
  for (const Seen& rank : seen_) {
    if (rank.activity == Activity::kEnded) continue;
    is_any_left = true;
    is_any_alive |= rank.quiet_ns < patience;
  }
  if (is_any_alive || !is_any_left || spoken_.exchange(true)) return false;
  line_.erase();
  std::fprintf(stderr,
               "magpie: nothing goes on: for %g s (--patience) no rank has "
               "computed, nor spawned, ended or stolen a task:\n",
               options_.patience);
  print_all();
  return true;
}

void LivenessMonitor::print() {
  // Activity of a rank in its own code shows in a while.
  constexpr timespec kWhile = {.tv_sec = 0, .tv_nsec = 20'000'000};
  look_at_all();
  nanosleep(&kWhile, nullptr);
  look_at_all();
  line_.erase();
  print_text("magpie: asked by SIGUSR1, what the ranks do:\n");
  print_all();
}

void LivenessMonitor::look_at_all() {
  const uint64_t time = now();
  const uint64_t passed = std::min(time - last_look_, 2 * period_);
  last_look_ = time;
  for (size_t i = 0; i < ranks_.size(); ++i)
    seen_[i] = look_at(ranks_[i], seen_[i], passed);
}

LivenessMonitor::Seen LivenessMonitor::look_at(const RankStatus& rank,
                                               const Seen& before,
                                               uint64_t passed) const {
  Seen is = {};
  is.is_readable = read_counters(rank, is.counters);
  is.collectives = rank.collectives.load();
  is.polls = rank.polls.load();
  is.core_ns = core_time(rank);
  is.activity = rank.activity.load();
  // A rank that runs task after task may call idle() often in between.
  const bool has_counted =
      is.counters != before.counters || is.collectives != before.collectives;
  const bool is_own_code =
      is.activity == Activity::kProgram || is.activity == Activity::kTasks;
  const uint64_t polls = is.polls - before.polls;
  const bool computes =
      is.core_ns - before.core_ns > polls * kPollNs + passed / kLeastShare;
  if (is_own_code && !has_counted && !computes) {
    is.activity = polls > 0                 ? Activity::kPolls
                  : sleeps_for_others(rank) ? Activity::kSleeps
                                            : Activity::kSystemCall;
  }
  const bool waits = std::ranges::count(kWaiting, is.activity) > 0;
  const bool lives =
      has_counted || !is.is_readable || !waits || is_stopped(rank);
  is.quiet_ns = lives ? 0 : before.quiet_ns + passed;
  return is;
}

void LivenessMonitor::print_all() const {
  for (size_t i = 0; i < ranks_.size(); ++i)
    print_rank("magpie:   ", ranks_[i], seen_[i].activity);
}

void LivenessMonitor::show_line() {
  size_t busy = 0;
  RankStatus::Values sums = {};
  for (const Seen& rank : seen_) {
    busy += rank.activity == Activity::kTasks;
    for (size_t i = 0; i < sums.size(); ++i) sums[i] += rank.counters[i];
  }
  std::string words = absl::StrFormat("%.0f s, %d of %d ranks run tasks",
                                      line_.seconds(), busy, ranks_.size());
  // All ranks show the same counters.
  const size_t count =
      seen_[0].is_readable ? ranks_[0].counter_count.load() : 0;
  for (size_t i = 0; i < count; ++i) {
    absl::StrAppendFormat(&words, "%s %s %s", i == 0 ? ";" : ",",
                          ranks_[0].counters[i].name.load(), in_short(sums[i]));
  }
  // Fits a terminal of 80 columns.
  line_.show(words.substr(0, 71));
}

}  // namespace magpie::rma::internal
