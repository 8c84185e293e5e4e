#include "bench/program.h"

#include <unistd.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace magpie::bench {
namespace {

double mean(uint64_t sum, uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

Json describe_rma(const rma::OpCounters& counters) {
  Json json = Json::object();
  for (size_t i = 0; i < counters.of.size(); ++i) {
    json[rma::kOpNames[i]] = {{"operations", counters.of[i].operations},
                              {"bytes", counters.of[i].bytes}};
  }
  return json;
}

Json describe_metrics(const RunReport& report) {
  const SchedulerStats& stats = report.stats;
  return {
      {"spawns", stats.spawns},
      {"steals_ok", stats.steals_ok},
      {"steals_failed", stats.steals_failed},
      {"steal_latency_ns", mean(stats.steal_ns, stats.steals_ok)},
      {"stolen_bytes", stats.stolen_bytes},
      {"task_copy_ns", mean(stats.task_copy_ns, stats.steals_ok)},
      {"steal_time_s", static_cast<double>(stats.steal_ns) * 1e-9},
      {"search_time_s", static_cast<double>(stats.search_ns) * 1e-9},
      {"outstanding_joins", stats.outstanding_joins},
      {"outstanding_join_time_ns",
       mean(stats.outstanding_join_ns, stats.outstanding_joins)},
      {"join_losers", stats.join_losers},
      {"die_losers", stats.die_losers},
      {"region_bytes_max", report.region_bytes_max},
      {"rma", describe_rma(report.rma)},
  };
}

std::string in_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  // With six digits.
  if (value.is_number_float()) return absl::StrCat(value.get<double>());
  return value.dump();
}

// "n=34", "tree=T1 sha=auto".
std::string in_line(const Json& object) {
  std::vector<std::string> words;
  for (const auto& [name, value] : object.items()) {
    words.push_back(absl::StrCat(name, "=", in_words(value)));
  }
  return absl::StrJoin(words, " ");
}

void print_row(const std::string& name, const std::string& value) {
  std::printf("  %-26s %s\n", name.c_str(), value.c_str());
}

void print_table(const Json& run) {
  std::printf(
      "%s %s, runtime %s, network %s%s, %s\n",
      run["program"].get<std::string>().c_str(), in_line(run["params"]).c_str(),
      run["runtime"].get<std::string>().c_str(),
      run["backend"].get<std::string>().c_str(),
      run.contains("machine")
          ? absl::StrCat(" of ", run["machine"].get<std::string>()).c_str()
          : "",
      run["ranks"] == 1
          ? "1 rank"
          : absl::StrCat(run["ranks"].get<int>(), " ranks").c_str());
  print_row("result", in_line(run["result"]));
  print_row("seconds", in_words(run["seconds"]));
  for (const auto& [name, value] : run["metrics"].items()) {
    if (value.is_number() && value != 0) print_row(name, in_words(value));
  }
  for (const auto& [name, count] : run["metrics"]["rma"].items()) {
    if (count["operations"] == 0) continue;
    print_row(absl::StrCat("rma ", name),
              absl::StrCat(count["operations"].dump(), " operations, ",
                           count["bytes"].dump(), " bytes"));
  }
}

}  // namespace

Arguments parse(CLI::App& app, int argc, char** argv) {
  Arguments arguments;
  arguments.program = app.get_name();
  app.add_flag("--json", arguments.json,
               "print one JSON object instead of a table");
  arguments.rest = flags::parse_known_or_exit(
      app, argc, argv,
      absl::StrCat("\nFlags of the ", kRuntime.name,
                   " runtime and the network:\n", seam::flags_help()));
  return arguments;
}

Json describe(const Arguments& arguments, const Json& params,
              const Answer& answer, const RunReport& report) {
  Json run = {
      {"program", arguments.program},
      {"runtime", report.runtime},
      {"backend", report.backend},
  };
  if (!report.machine.empty()) run["machine"] = report.machine;
  run["ranks"] = report.ranks;
  run["params"] = params;
  run["result"] = answer.result;
  run["seconds"] = report.seconds;
  run["metrics"] = describe_metrics(report);
  return run;
}

int print(const Arguments& arguments, const Json& params, const Answer& answer,
          const RunReport& report) {
  const Json run = describe(arguments, params, answer, report);
  if (arguments.json) {
    std::printf("%s\n", run.dump().c_str());
  } else {
    print_table(run);
  }
  if (answer.mismatch.empty()) return 0;
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %s: wrong result: %s\n",
               arguments.program.c_str(), answer.mismatch.c_str());
  return 1;
}

void announce(const Arguments& arguments, const Json& params) {
  if (isatty(STDERR_FILENO) == 0) return;
  std::fprintf(stderr, "running %s %s on %s ...\n", arguments.program.c_str(),
               in_line(params).c_str(), kRuntime.name);
}

}  // namespace magpie::bench
