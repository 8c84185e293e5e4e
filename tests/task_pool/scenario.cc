#include "tests/task_pool/scenario.h"

#include <algorithm>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/flags/flags.h"

namespace magpie::pool_conformance {

Parameters Parameters::with(const std::string& flag) const {
  const std::vector<std::string> name = absl::StrSplit(flag, '=');
  Parameters p = *this;
  if (absl::StrContains(pool_seam::flags_help(), name[0] + "="))
    p.flags.push_back(flag);
  return p;
}

void expect_equal(const char* what, uint64_t value, uint64_t expected) {
  if (value == expected) return;
  rma::fatal(absl::StrCat(what, ": ", value, ", must be ", expected));
}

void expect_at_most(const char* what, uint64_t value, uint64_t most) {
  if (value <= most) return;
  rma::fatal(absl::StrCat(what, ": ", value, ", must be at most ", most));
}

namespace {

// The scenarios of these names, in the table's order; without names all.
std::vector<Scenario> named(const std::vector<std::string>& names,
                            Scenarios parts) {
  std::vector<Scenario> found;
  std::string all;
  for (const std::span<const Scenario>& part : parts) {
    for (const Scenario& s : part) {
      absl::StrAppend(&all, all.empty() ? "" : ", ", s.name);
      if (names.empty() || std::ranges::count(names, s.name) > 0)
        found.push_back(s);
    }
  }
  if (found.empty() || found.size() < names.size()) {
    flags::die(absl::StrCat("--scenario: not all of them are among ", all));
  }
  return found;
}

}  // namespace

int run_scenarios(int argc, char** argv, Scenarios parts) {
  Parameters p;
  std::string names;
  flags::App app("Runs scenarios of the conformance suite of task pools.");
  flags::add_text(app, "--scenario", names,
                  "which, with commas between them; by default all");
  flags::add_integer(app, "--n", p.n, "about how many tasks", int64_t{1});
  p.flags =
      flags::parse_known_or_exit(app, argc, argv, pool_seam::flags_help());
  for (const Scenario& scenario :
       named(absl::StrSplit(names, ',', absl::SkipEmpty()), parts)) {
    scenario.run(p);
    // Here is rank 0 alone.
    std::printf("%s went well\n", scenario.name);
  }
  return 0;
}

}  // namespace magpie::pool_conformance
