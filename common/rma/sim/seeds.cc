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
#include <cstring>
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
#include "common/rma/supervision/supervision.h"

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
    const bool left_out =
        name == "--seeds" || name == "--seed" || name == "--seeds_output";
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

// The first lines in which two outputs differ, or that part of long ones.
std::pair<std::string, std::string> first_difference(const std::string& a,
                                                     const std::string& b) {
  std::vector<std::string> lines[] = {absl::StrSplit(a, '\n'),
                                      absl::StrSplit(b, '\n')};
  lines[0].resize(std::max(lines[0].size(), lines[1].size()));
  lines[1].resize(lines[0].size());
  const auto [x, y] = std::ranges::mismatch(lines[0], lines[1]);
  if (x == lines[0].end()) return {};
  constexpr size_t kBefore = 40, kShown = 120;
  const auto same =
      static_cast<size_t>(std::ranges::mismatch(*x, *y).in1 - x->begin());
  const size_t from = same - std::min(same, kBefore);
  return {x->substr(from, kShown), y->substr(from, kShown)};
}

class Runner {
 public:
  Runner(const Options& options, std::FILE* all_output)
      : options_(options),
        seeds_(*parse_seeds(options.seeds)),
        next_(seeds_.first),
        all_output_(all_output),
        line_(options.progress) {}

  // Runs seeds until all have run or one has failed. Seeds below one that
  // failed are run to their ends, so that the first failure is found. The first
  // of all seeds runs alone: what others print is compared with what it
  // printed. Returns its seed in each child.
  std::optional<uint64_t> run() {
    while (true) {
      const size_t jobs = done_ == 0 ? 1 : static_cast<size_t>(options_.jobs);
      while (!failure_ && next_ <= seeds_.last && children_.size() < jobs)
        if (start()) return next_ - 1;
      if (children_.empty()) break;
      collect();
    }
    line_.erase();
    return {};
  }

  const std::optional<Failure>& failure() const { return failure_; }

  // Tells that all have succeeded, and where they printed different things.
  void print_success() const {
    std::printf("seeds %lu to %lu: all went well\n", seeds_.first, seeds_.last);
    std::fflush(stdout);
    if (!other_) return;
    const auto [first, other] = first_difference(printed_, other_->second);
    std::fprintf(stderr,
                 "magpie: standard output differs between seeds, by a time or "
                 "by a wrong result:\n  %s\n    %s\n  %s\n    %s\n",
                 command(seeds_.first).c_str(), first.c_str(),
                 command(other_->first).c_str(), other.c_str());
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
    // The child would write what its copy of the file still holds, too.
    if (all_output_ != nullptr) std::fflush(all_output_);
    const pid_t runner = getpid();
    const pid_t pid = output < 0 || errors < 0 ? -1 : fork();
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
    const auto it = children_.find(pid);
    if (it == children_.end()) return;
    const Child child = it->second;
    children_.erase(it);
    const std::string output = take_all(child.output);
    const std::string errors = take_all(child.errors);
    if (status == 0) {
      compare(child.seed, output);
      if (all_output_ != nullptr) std::fputs(output.c_str(), all_output_);
    } else if (!failure_ || child.seed < failure_->seed) {
      failure_ = {child.seed, status, output + errors};
    }
    show_progress();
  }

  void compare(uint64_t seed, const std::string& output) {
    if (seed == seeds_.first) printed_ = output;
    if (output != printed_ && (!other_ || seed < other_->first))
      other_ = {seed, output};
  }

  void show_progress() {
    ++done_;
    if (!line_.is_due()) return;
    line_.show(absl::StrCat(done_, " of ", seeds_.last - seeds_.first + 1,
                            " seeds, in ",
                            static_cast<uint64_t>(line_.seconds()), " s"));
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
  // The file for all output; null: not asked for.
  std::FILE* const all_output_;
  std::map<pid_t, Child> children_;
  std::optional<Failure> failure_;
  // Output of the first seed; the lowest seed that printed something else, with
  // its output.
  std::string printed_;
  std::optional<std::pair<uint64_t, std::string>> other_;
  uint64_t done_ = 0;
  internal::ProgressLine line_;
};

std::string in_words(int status) {
  if (WIFEXITED(status))
    return absl::StrCat("exit status ", WEXITSTATUS(status));
  if (WTERMSIG(status) == SIGALRM) return "no end in --seconds_per_seed";
  return absl::StrCat("signal ", WTERMSIG(status));
}

// Returns the seed of a child; ends the process that has started them all.
uint64_t seed_of_child(const Options& options) {
  const std::string& output = options.seeds_output;
  std::FILE* const all =
      output.empty() ? nullptr : std::fopen(output.c_str(), "w");
  const auto require = [&output](bool is_written) {
    if (is_written) return;
    flags::die(absl::StrCat("--seeds_output: ", output,
                            " cannot be written: ", std::strerror(errno)));
  };
  require(output.empty() || all != nullptr);
  signal(SIGCHLD, SIG_DFL);  // a parent may have left it ignored
  Runner runner(options, all);
  if (const auto seed = runner.run()) return *seed;
  require(all == nullptr || std::fclose(all) == 0);
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
                     seeds.first <= seeds.last && seeds.last + 1 != 0;
  return valid ? std::optional(seeds) : std::nullopt;
}

void run_seeds(Options* options) {
  // Further runs of a child parse the same flags.
  static const uint64_t seed = seed_of_child(*options);
  options->seed = seed;
  options->seeds.clear();
  options->seeds_output.clear();
}

}  // namespace magpie::rma::sim
