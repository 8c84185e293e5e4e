#include "common/run/globals.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <functional>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie::internal {
namespace {

constexpr const char* kNames[] = {"off", "warn", "stop"};

// ----------------------------------------------------------- what is looked at

size_t hash_of(const Variable& variable) {
  const std::string_view bytes(
      reinterpret_cast<const char*>(variable.bytes.data()),
      variable.bytes.size());
  return std::hash<std::string_view>()(bytes);
}

std::string described(const Variable& variable) {
  return absl::StrCat(source_name_of(variable), " (", variable.bytes.size(),
                      variable.bytes.size() == 1 ? " byte)" : " bytes)");
}

// ------------------------------------------------------------------- the words

// Returns "a, b, c and 4 more".
std::string listed(const std::vector<std::string>& names) {
  constexpr size_t kMost = 3;
  if (names.size() <= kMost) return absl::StrJoin(names, ", ");
  return absl::StrCat(absl::StrJoin(names.begin(), names.begin() + kMost, ", "),
                      " and ", names.size() - kMost, " more");
}

// Says on which ranks it was found, where the speaker is one of `ranks`.
std::string on_which(uint64_t ranks) {
  if (rma::kBackend.ranks_share_process && rma::size() > 1)
    return " (on a rank that is not known: simulated ranks are one process)";
  if (ranks == 1) return "";
  return absl::StrCat(" (here and on ", ranks - 1, " more)");
}

std::string words_on_written(const std::vector<std::string>& names,
                             uint64_t ranks, const char* instead,
                             OnWritten on_written) {
  return absl::StrCat(
      "tasks have written ", listed(names), on_which(ranks),
      ", of which each rank has its own: ", instead,
      "; data that is alike on all ranks is written before the first run or in "
      "prepare() (if each rank should have its own: --globals=",
      on_written == OnWritten::kStop ? "warn)" : "off)");
}

std::string words_on_initialized(const std::vector<std::string>& names,
                                 uint64_t ranks) {
  return absl::StrCat("tasks have initialized ", listed(names), on_which(ranks),
                      ", of which each rank has its own: that is right if it "
                      "is alike on all and not written later (prepare() may "
                      "initialize it without this warning; --globals=off)");
}

void warn(const std::string& words) {
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: rank %d: warning: %s\n", rma::rank(),
               words.c_str());
}

// ---------------------------------------------------------------- who tells it

// What was found, from the worst to nothing.
enum Found : uint64_t { kWritten, kInitialized, kNothing };

struct Speaker {
  Found found;
  int rank;
  // Number of ranks that have found that.
  uint64_t ranks;
};

// Returns the first of the ranks that have found the worst. Collective where
// ranks are processes.
Speaker agree(Found mine) {
  if (rma::kBackend.ranks_share_process) return {mine, rma::rank(), 1};
  const auto size = static_cast<uint64_t>(rma::size());
  uint64_t first = mine * size + static_cast<uint64_t>(rma::rank());
  rma::reduce(&first, 1, rma::Reduction::kMin);
  const auto worst = static_cast<Found>(first / size);
  uint64_t ranks = mine == worst;
  rma::reduce(&ranks, 1, rma::Reduction::kSum);
  return {worst, static_cast<int>(first % size), ranks};
}

}  // namespace

// ------------------------------------------------------------------- snapshots

VariablesSnapshot::VariablesSnapshot() {
  hashes_.reserve(variables_.all().size());
  for (const Variable& variable : variables_.all())
    hashes_.push_back(hash_of(variable));
}

VariablesSnapshot::Written VariablesSnapshot::written() const {
  std::vector<const Variable*> changed;
  // Source files and symbols of the guards that have changed.
  std::set<std::pair<size_t, std::string_view>> guards;
  for (size_t i = 0; i < hashes_.size(); ++i) {
    const Variable& variable = variables_.all()[i];
    if (hash_of(variable) == hashes_[i]) continue;
    if (const std::string_view guard = guard_of(variable); !guard.empty())
      guards.insert({variable.file, guard});
    else if (is_the_programs(variable))
      changed.push_back(&variable);
  }
  Written written;
  for (const Variable* variable : changed) {
    const bool is_new =
        guards.contains({variable->file, guarded_by(*variable)});
    (is_new ? written.initialized : written.variables)
        .push_back(described(*variable));
  }
  return written;
}

// -------------------------------------------------------------------- the flag

void add_options(CLI::App& app, GlobalsOptions& options) {
  const auto choose = [&options](size_t index) {
    options = {static_cast<OnWritten>(index), true};
  };
  flags::describe_default(
      flags::add_choice(
          app, "--globals", choose, 0,
          "what to do if tasks write static variables, of which each rank has "
          "its own: off does not look, warn warns, stop ends the job",
          kNames),
      "stop in debug builds and explored runs, off otherwise");
}

void choose_default(const CLI::App& app, GlobalsOptions& options) {
  if (options.is_given) return;
#ifdef NDEBUG
  const CLI::Option* const explore = app.get_option_no_throw("--explore");
  const bool looks = explore != nullptr && explore->count() > 0;
#else
  static_cast<void>(app);
  constexpr bool looks = true;
#endif
  options.on_written = looks ? OnWritten::kStop : OnWritten::kOff;
}

// -------------------------------------------------------------- of one process

WrittenGlobals::WrittenGlobals(const GlobalsOptions& options)
    : options_(options) {}

void WrittenGlobals::remember() {
  if (options_.on_written == OnWritten::kOff) return;
  if (std::exchange(has_remembered_, true)) return;
  before_ = std::make_unique<VariablesSnapshot>();
}

void WrittenGlobals::look(const char* instead) {
  if (before_ == nullptr) return;
  const auto before = std::move(before_);
  if (!before->has_symbols() && options_.is_given &&
      (rma::rank() == 0 || rma::kBackend.ranks_share_process)) {
    warn(absl::StrCat(
        "--globals=", kNames[static_cast<size_t>(options_.on_written)],
        ": the program has no symbols (it was stripped), so writes of tasks "
        "are not found"));
  }
  const VariablesSnapshot::Written written = before->written();
  const Speaker speaker = agree(!written.variables.empty()     ? kWritten
                                : !written.initialized.empty() ? kInitialized
                                                               : kNothing);
  if (speaker.found == kNothing) return;
  const bool speaks = speaker.rank == rma::rank();
  if (speaker.found == kInitialized) {
    if (speaks) warn(words_on_initialized(written.initialized, speaker.ranks));
    return;
  }
  const bool stops = options_.on_written == OnWritten::kStop;
  if (speaks) {
    const std::string words = words_on_written(written.variables, speaker.ranks,
                                               instead, options_.on_written);
    if (stops) rma::fatal(words);
    warn(words);
  }
  if (stops) rma::barrier();  // the one that speaks ends the job
}

}  // namespace magpie::internal
