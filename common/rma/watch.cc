#include "common/rma/watch.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/str_format.h"
#include "common/flags/allowed.h"
#include "common/flags/flags.h"
#include "common/rma/asked.h"
#include "common/rma/crash.h"
#include "common/rma/life_signs.h"
#include "common/rma/progress_line.h"

namespace magpie::rma::internal {
namespace {

constexpr uint64_t kSecond = 1'000'000'000, kMillisecond = 1'000'000;

uint64_t in_ns(double seconds) {
  return static_cast<uint64_t>(seconds * static_cast<double>(kSecond));
}

class Watch {
 public:
  explicit Watch(const Watched& watched)
      : watched_(watched),
        patience_(in_ns(watched.options.patience)),
        is_first_(watched.own == watched.states.data()),
        signs_(self()),
        line_(watched.options.progress) {
    // Signals are for the rank's thread.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { look_again_and_again(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }
  ~Watch() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    over_.notify_one();
    thread_.join();
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

 private:
  // Nanoseconds between two looks.
  uint64_t period() const {
    const uint64_t wanted = patience_ > 0 ? patience_ / 16 : kSecond;
    return std::clamp(wanted, 10 * kMillisecond, kSecond / 2);
  }

  void look_again_and_again() {
    uint64_t last = now();
    const uint64_t most = 2 * period();
    std::unique_lock lock(mutex_);
    while (!over_.wait_for(lock, std::chrono::nanoseconds(period()),
                           [this] { return is_over_; })) {
      const uint64_t time = now();
      signs_.look(*watched_.own, std::min(time - last, most), time);
      last = time;
      if (!is_first_) continue;
      if (patience_ > 0 && are_all_quiet(time)) end_job();
      if (line_.is_due()) show_line();
    }
    line_.erase();
  }

  bool are_all_quiet(uint64_t time) const {
    const uint64_t stale = std::max(8 * period(), kSecond);
    bool any = false;
    for (const RankState& state : watched_.states) {
      const Doing doing = state.doing.load();
      if (doing == Doing::kEnded) continue;
      any = true;
      const bool is_quiet = doing != Doing::kNotBegun &&
                            state.is_watched.load() &&
                            state.quiet_ns.load() >= patience_ &&
                            time < state.looked.load() + stale;
      if (!is_quiet) return false;
    }
    return any;
  }

  void end_job() {
    if (watched_.spoken != nullptr && watched_.spoken->exchange(true)) return;
    line_.erase();
    std::fprintf(stderr,
                 "magpie: nothing goes on: for %g s (--patience) no rank has "
                 "computed, nor spawned, ended or stolen a task:\n",
                 watched_.options.patience);
    print_states(watched_.states);
    watched_.end_job();
  }

  void show_line() {
    TaskTally all;
    size_t busy = 0;
    for (const RankState& state : watched_.states) {
      all.ended += state.ended.load();
      all.stolen += state.stolen.load();
      busy += state.in_tasks.load() && state.doing.load() == Doing::kRuns;
    }
    line_.show(absl::StrFormat(
        "%.0f s, %d of %d ranks run tasks, %s have ended, %s steals",
        line_.seconds(), busy, watched_.states.size(), in_short(all.ended),
        in_short(all.stolen)));
  }
  static std::string in_short(uint64_t n) {
    if (n < 1'000'000) return std::to_string(n);
    return absl::StrFormat("%.1f million", static_cast<double>(n) * 1e-6);
  }

  const Watched watched_;
  const uint64_t patience_;
  const bool is_first_;
  LifeSigns signs_;
  ProgressLine line_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// The process's watch. Not destroyed where the process ends in the middle of a
// run.
Watch* watch = nullptr;
RankState* own = nullptr;

}  // namespace

void add_options(CLI::App& app, WatchOptions& options) {
  app.add_option("--patience", options.patience,
                 "end the job, and tell what each rank does, after this number "
                 "of seconds in which no rank computes, spawns, ends or steals "
                 "a task; 0: never")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(flags::number_in(0.0, 1e6));
  app.add_option("--progress", options.progress,
                 "seconds after which a line on a terminal tells how far it is")
      ->type_name("SECONDS")
      ->capture_default_str()
      ->check(flags::number_in(0.0, 1e6));
}

void start_watch(const Watched& watched) {
  own = watched.own;
  begin(*own, self());
  answer_signals(*own);
  // The line is the job's, which its first rank shows.
  const bool shows_line = isatty(STDERR_FILENO) != 0;
  if (watched.options.patience > 0 || shows_line) watch = new Watch(watched);
}

void stop_watch() {
  if (own == nullptr) return;
  delete std::exchange(watch, nullptr);
  own->doing.store(Doing::kEnded);
  stop_answering();
  own = nullptr;
}

}  // namespace magpie::rma::internal
