// One scenario of the fork-join conformance suite, as a program:
//
//   program --scenario=fib --n=20 [flags of the runtime and the network]
//
// Prints what the scenario and the runtime report, "report: NAME=NUMBER ...".
// Exit status 0: the scenario found nothing wrong.

#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/fork_join/fork_join.h"
#include "common/rma/rma.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {

// Made before the run, whose processes inherit it. The runs of several seeds
// are processes of a simulator, which have boards of their own.
void* const kBoard = mmap(
    nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
    MAP_ANONYMOUS | (rma::is_simulated() ? MAP_PRIVATE : MAP_SHARED), -1, 0);
Board& board() { return *static_cast<Board*>(kBoard); }

void await(int word, uint64_t value) {
  while (board().word[word].load() < value) rma::idle();
}

int place() { return rma::rank(); }
int places() { return rma::size(); }

void broken(const char* what, uint64_t detail) {
  std::fprintf(stderr, "conformance: rank %d: %s (%llu)\n", place(), what,
               static_cast<unsigned long long>(detail));
  std::fflush(nullptr);
  std::abort();
}

namespace {

std::map<std::string, Root>& scenarios() {
  static std::map<std::string, Root> all;
  return all;
}

// Prints the numbers of the report in one line, for driver.cc.
void print(const Outcome& outcome, const RunReport& report) {
  const SchedulerStats& s = report.stats;
  std::string line = "report:";
  const auto add = [&line](const std::string& name, uint64_t number) {
    absl::StrAppend(&line, " ", name, "=", number);
  };
  add("answer", outcome.answer);
  add("moves", outcome.moves);
  add("ranks", report.ranks);
  const ForkJoinTraits traits = seam::traits();
  add("spreads", traits.spreads);
  add("migrates", traits.migrates);
  add("buries", traits.buries);
  add("spawns", s.spawns);
  add("deaths", s.deaths);
  add("steals_ok", s.steals_ok);
  add("stolen_bytes", s.stolen_bytes);
  add("outstanding_joins", s.outstanding_joins);
  add("outstanding_join_ns", s.outstanding_join_ns);
  for (const OwnCount& count : report.own_counts) add(count.name, count.value);
  for (size_t i = 0; i < rma::kOpNames.size(); ++i)
    add(absl::StrCat("rma.", rma::kOpNames[i]), report.rma.of[i].operations);
  std::printf("%s\n", line.c_str());
}

}  // namespace

bool add_scenario(const char* name, Root root) {
  if (!scenarios().emplace(name, root).second)
    rma::fatal(absl::StrCat("two scenarios have the name ", name));
  return true;
}

}  // namespace magpie::conformance

int main(int argc, char** argv) {
  using namespace magpie;
  using namespace magpie::conformance;
  std::string name;
  Parameters parameters;
  flags::App app("Runs one scenario of the fork-join conformance suite.");
  flags::add_text(app, "--scenario", name, "its name");
  flags::add_integer(app, "--n", parameters.n, "how much");
  flags::add_integer(app, "--grain", parameters.grain, "of loops");
  flags::add_integer(app, "--enough_moves", parameters.enough_moves,
                     "end after so many, or n rounds");
  const std::vector<std::string> arguments =
      flags::parse_known_or_exit(app, argc, argv, seam::flags_help());
  const auto scenario = scenarios().find(name);
  if (scenario == scenarios().end())
    flags::die("--scenario: " + name + " is none");

  Outcome outcome;
  RunReport report;
  const int status = run_with_result(
      arguments, [=, root = scenario->second] { return root(parameters); },
      &outcome, &report);
  if (status == 0) print(outcome, report);
  return status;
}
