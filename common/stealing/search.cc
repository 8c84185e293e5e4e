#include "common/stealing/search.h"

#include <array>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {

void add_options(CLI::App& app, SearchOptions& options) {
  flags::add_integer(app, "--victim_seed", options.victim_seed,
                     "seed of the random choice of victims");
  flags::add_integer(app, "--backoff", options.backoff,
                     "longest pause between two attempts to steal, in polls of "
                     "the network; pauses grow by one with each failure",
                     1, 1 << 20);
}

void add_forced_steal(CLI::App& app, SearchOptions& options) {
  flags::add_switch(app, "--forced_steal", options.forced_steal,
                    "wait at each spawn until what it offers is stolen, if "
                    "there is a thief (for tests)");
}

void add_empty_check(CLI::App& app, bool& empty_check) {
  static constexpr std::array kWhether = {"false", "true"};
  flags::add_choice(
      app, "--empty_check", empty_check,
      "whether a thief looks into a victim's queue before it locks it",
      kWhether);
}

void no_victim(int victim) {
  rma::fatal(absl::StrCat("the choice of victims names ", victim, ", of ",
                          rma::size(), " ranks; others than rank ", rma::rank(),
                          " itself are victims"));
}

}  // namespace magpie
