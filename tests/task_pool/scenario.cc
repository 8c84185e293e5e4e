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

struct Scenario {
  const char* name;
  void (*run)(const Parameters&);
};
std::vector<Scenario>& scenarios() {
  static std::vector<Scenario> all;
  return all;
}

// The scenarios of these names; without names all.
std::vector<Scenario> named(const std::vector<std::string>& names) {
  std::vector<Scenario> found;
  std::string all;
  for (const Scenario& s : scenarios()) {
    absl::StrAppend(&all, all.empty() ? "" : ", ", s.name);
    if (names.empty() || std::ranges::count(names, s.name) > 0)
      found.push_back(s);
  }
  if (found.empty() || found.size() < names.size()) {
    flags::die(absl::StrCat("--scenario: not all of them are among ", all));
  }
  return found;
}

}  // namespace

bool add_scenario(const char* name, void (*run)(const Parameters&)) {
  for (const auto& known : scenarios())
    if (known.name == std::string_view(name))
      rma::fatal(absl::StrCat("two scenarios have the name ", name));
  scenarios().push_back({name, run});
  return true;
}

}  // namespace magpie::pool_conformance

int main(int argc, char** argv) {
  using namespace magpie;
  using namespace magpie::pool_conformance;
  Parameters p;
  std::string names;
  flags::App app("Runs scenarios of the conformance suite of task pools.");
  flags::add_text(app, "--scenario", names,
                  "which, with commas between them; by default all");
  flags::add_integer(app, "--n", p.n, "about how many tasks", int64_t{1});
  p.flags =
      flags::parse_known_or_exit(app, argc, argv, pool_seam::flags_help());
  for (const auto& [name, run] :
       named(absl::StrSplit(names, ',', absl::SkipEmpty()))) {
    run(p);
    // Here is rank 0 alone.
    std::printf("%s went well\n", name);
  }
  return 0;
}
