// Runs a program once for each seed of a range, in forks of its process.
//
// Thread safety: one thread, before it has started any simulation.

#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"
#include "common/rma/sim/options.h"

namespace magpie::rma::sim {
namespace {

// Returns how a shell finds the program that was started as `name`. A test that
// Bazel runs is in a folder that is gone afterwards, so its program is named
// from the root of the file system.
std::string program_from_anywhere(const std::string& name) {
  const bool is_relative = absl::StrContains(name, '/') && name[0] != '/';
  if (!is_relative || std::getenv("TEST_SRCDIR") == nullptr) return name;
  std::error_code failed;
  const auto path = std::filesystem::canonical("/proc/self/exe", failed);
  return failed ? name : path.string();
}

// This process's command line without flags about several seeds, and without
// --seed, which each run gets anew.
std::vector<std::string> command_line() {
  std::vector<std::string> command;
  bool skip = false;
  std::vector<std::string> arguments = internal::own_arguments();
  if (!arguments.empty()) arguments[0] = program_from_anywhere(arguments[0]);
  for (const std::string& argument : arguments) {
    const std::string name = argument.substr(0, argument.find('='));
    const bool left_out = name == "--seeds" || name == "--seed";
    if (!skip && !left_out) command.push_back(argument);
    skip = left_out && name == argument;
  }
  return command;
}

// Quotes a word for a shell where that is needed.
std::string quoted(const std::string& word) {
  constexpr char kPlain[] =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
      "-_=./,:+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos)
    return word;
  return absl::StrCat("'", absl::StrReplaceAll(word, {{"'", "'\\''"}}), "'");
}

struct Child {
  uint64_t seed;
  // Files in memory for what the run prints to standard output and error.
  int output, errors;
};

struct Failure {
  uint64_t seed;
  // Status as of wait().
  int status;
  std::string printed;
};

class Runner {
 public:
  explicit Runner(const Options& options)
      : options_(options),
        seeds_(*parse_seeds(options.seeds)),
        next_(seeds_.first) {}

  // Runs seeds until all have run or one has failed. Seeds below one that
  // failed are run to their ends, so that the first failure is found. The first
  // of all seeds runs alone: what others print is compared with what it
  // printed. Returns its seed in each child.
  std::optional<uint64_t> run() {
    while (true) {
      const size_t jobs = printed_ ? static_cast<size_t>(options_.jobs) : 1;
      while (!failure_ && next_ <= seeds_.last && children_.size() < jobs)
        if (start()) return next_ - 1;
      if (children_.empty()) return {};
      collect();
    }
  }

  const std::optional<Failure>& failure() const { return failure_; }

  // Tells that all have succeeded, and where they printed different things.
  void print_success() const {
    std::printf("seeds %lu to %lu: all went well\n", seeds_.first, seeds_.last);
    std::fflush(stdout);
    if (!other_) return;
    std::fprintf(stderr,
                 "magpie: standard output differs between seeds, by a time or "
                 "by a wrong result:\n  %s\n  %s\n",
                 command(seeds_.first).c_str(), command(*other_).c_str());
  }

  std::string command(uint64_t seed) const {
    const auto add = [](std::string* out, const std::string& word) {
      absl::StrAppend(out, quoted(word));
    };
    return absl::StrCat(absl::StrJoin(command_line(), " ", add),
                        " --seed=", seed);
  }

 private:
  // Returns true in the child that it starts.
  bool start() {
    const uint64_t seed = next_++;
    const int output = memfd_create("output", MFD_CLOEXEC);
    const int errors = memfd_create("errors", MFD_CLOEXEC);
    const pid_t runner = getpid();
    const pid_t pid = fork();
    if (pid < 0) flags::die(absl::StrCat("--jobs: cannot start seed ", seed));
    if (pid == 0) {
      dup2(output, STDOUT_FILENO);
      dup2(errors, STDERR_FILENO);
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != runner) _exit(1);  // it died before the line above
      alarm(static_cast<unsigned>(options_.seconds_per_seed));
      return true;
    }
    children_[pid] = {seed, output, errors};
    return false;
  }

  void collect() {
    int status;
    const pid_t pid = wait(&status);
    if (pid < 0 && errno == EINTR) return;
    const auto it = children_.find(pid);
    if (it == children_.end()) return;
    const Child child = it->second;
    children_.erase(it);
    const std::string output = take_all(child.output);
    const std::string errors = take_all(child.errors);
    if (status == 0) {
      if (!printed_) printed_ = output;
      if (output != *printed_)
        other_ = std::min(child.seed, other_.value_or(child.seed));
    } else if (!failure_ || child.seed < failure_->seed) {
      failure_ = {child.seed, status, output + errors};
    }
  }

  static std::string take_all(int file) {
    std::string text(static_cast<size_t>(lseek(file, 0, SEEK_END)), 0);
    const ssize_t read = pread(file, text.data(), text.size(), 0);
    close(file);
    return read == std::ssize(text) ? text : "its output could not be read\n";
  }

  const Options& options_;
  const SeedRange seeds_;
  uint64_t next_;
  std::map<pid_t, Child> children_;
  std::optional<Failure> failure_;
  // What the first seed printed; the lowest seed that printed something else.
  std::optional<std::string> printed_;
  std::optional<uint64_t> other_;
};

std::string in_words(int status) {
  if (WIFEXITED(status))
    return absl::StrCat("exit status ", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "no end in --seconds_per_seed";
  return absl::StrCat("signal ", WTERMSIG(status));
}

// Returns the seed of a child; ends the process that has started them all.
uint64_t seed_of_child(const Options& options) {
  Runner runner(options);
  if (const auto seed = runner.run()) return *seed;
  const std::optional<Failure>& failure = runner.failure();
  if (!failure) {
    runner.print_success();
    std::exit(0);
  }
  std::fprintf(stderr,
               "%s\nmagpie: seed %lu is the first to fail, with %s; to repeat "
               "it with all events: %s --log\n",
               failure->printed.c_str(), failure->seed,
               in_words(failure->status).c_str(),
               runner.command(failure->seed).c_str());
  std::exit(1);
}

}  // namespace

std::optional<SeedRange> parse_seeds(const std::string& text) {
  const std::pair<std::string, std::string> ends =
      absl::StrSplit(text, absl::MaxSplits("..", 1));
  SeedRange seeds;
  const bool valid = absl::SimpleAtoi(ends.first, &seeds.first) &&
                     absl::SimpleAtoi(ends.second, &seeds.last) &&
                     seeds.first <= seeds.last;
  return valid ? std::optional(seeds) : std::nullopt;
}

void run_seeds(Options* options) {
  // Further runs of a child parse the same flags.
  static const uint64_t seed = seed_of_child(*options);
  options->seed = seed;
  options->seeds.clear();
}

}  // namespace magpie::rma::sim
