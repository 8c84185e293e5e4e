#include "common/run/describe.h"

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace magpie {
namespace {

using Json = nlohmann::ordered_json;

double mean(uint64_t sum, uint64_t count) {
  return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
}

double seconds(uint64_t ns) { return static_cast<double>(ns) * 1e-9; }

Json describe_rma(const rma::OpCounters& counters) {
  Json json = Json::object();
  for (size_t i = 0; i < counters.of.size(); ++i) {
    json[rma::kOpNames[i]] = {{"operations", counters.of[i].operations},
                              {"bytes", counters.of[i].bytes}};
  }
  return json;
}

Json describe_spread(const Spread& spread) {
  return {{"least", spread.least}, {"most", spread.most}};
}

Json describe_times(const Spread& spread_ns) {
  return {{"least", seconds(spread_ns.least)},
          {"most", seconds(spread_ns.most)}};
}

Json object_of(const Fields& fields) {
  Json object = Json::object();
  for (const Field& field : fields) {
    std::visit(
        [&](const auto& value) {
          if constexpr (std::is_same_v<decltype(value), const Fields&>)
            object[field.name] = object_of(value);
          else
            object[field.name] = value;
        },
        field.value);
  }
  return object;
}

Json describe_metrics(const RunReport& report, const Fields& more) {
  const SchedulerStats& stats = report.stats;
  Json metrics = {
      {"spawns", stats.spawns},
      {"steals_ok", stats.steals_ok},
      {"steals_failed", stats.steals_failed},
      {"steal_latency_ns", mean(stats.steal_ns, stats.steals_ok)},
      {"stolen_bytes", stats.stolen_bytes},
      {"steal_time_s", seconds(stats.steal_ns)},
      {"search_time_s", seconds(stats.search_ns)},
  };
  if (report.facade == Facade::kForkJoin) {
    metrics.update({{"task_copy_ns", mean(stats.task_copy_ns, stats.steals_ok)},
                    {"outstanding_joins", stats.outstanding_joins},
                    {"outstanding_join_time_ns",
                     mean(stats.outstanding_join_ns, stats.outstanding_joins)},
                    {"region_bytes_max", report.region_bytes_max}});
  }
  for (const OwnCount& count : report.own_counts)
    metrics[count.name] = count.value;
  if (report.rma.served + report.rma.poll_ns > 0) {
    const double all = report.seconds * report.ranks;
    const double polls = seconds(report.rma.poll_ns);
    metrics.update({{"served", report.rma.served},
                    {"serving_time_s", seconds(report.rma.serving_ns)},
                    {"poll_time_s", polls},
                    {"poll_share", all == 0 ? 0 : polls / all}});
  }
  metrics["busy_share"] = mean(report.busy_ns, report.run_ns);
  metrics["per_rank"] = {
      {"tasks", describe_spread(report.per_rank.tasks)},
      {"steals_ok", describe_spread(report.per_rank.steals_ok)},
      {"busy_s", describe_times(report.per_rank.busy_ns)},
      {"idle_s", describe_times(report.per_rank.idle_ns)},
  };
  metrics["rma"] = describe_rma(report.rma);
  metrics.update(object_of(more));
  return metrics;
}

// The report without metrics, behind `before`.
Json describe_run(const Fields& before, const RunReport& report) {
  Json run = object_of(before);
  run["runtime"] = report.runtime;
  run["backend"] = report.backend;
  if (!report.machine.empty()) run["machine"] = report.machine;
  run["ranks"] = report.ranks;
  run["seconds"] = report.seconds;
  return run;
}

// A value as people read it: text without quotes, numbers with six digits.
std::string in_words(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  // StrCat gives six digits.
  if (value.is_number_float()) return absl::StrCat(value.get<double>());
  return value.dump();
}

// Of objects in the object, the members that are not 0: "rma.get.bytes=48".
void append(const std::string& prefix, const Json& object, std::string* out) {
  for (const auto& [name, value] : object.items()) {
    if (value.is_object()) {
      append(absl::StrCat(prefix, name, "."), value, out);
    } else if (prefix.empty() || value != 0) {
      absl::StrAppend(out, out->empty() ? "" : " ", prefix, name, "=",
                      in_words(value));
    }
  }
}

std::string line_of(const Json& object) {
  std::string line;
  append("", object, &line);
  return line;
}

}  // namespace

std::string in_json(const Fields& before, const RunReport& report,
                    const Fields& more) {
  Json run = describe_run(before, report);
  run["metrics"] = describe_metrics(report, more);
  return run.dump();
}

std::string in_line(const Fields& object) { return line_of(object_of(object)); }

std::string in_rows(const RunReport& report, const Fields& more) {
  const Json metrics = describe_metrics(report, more);
  std::string rows;
  const auto add = [&](const std::string& name, const std::string& value) {
    absl::StrAppendFormat(&rows, "  %-26s %s\n", name, value);
  };
  for (const auto& [name, value] : metrics.items())
    if (value.is_number() && value != 0) add(name, in_words(value));
  for (const auto& [name, spread] : metrics["per_rank"].items()) {
    if (spread["most"] == 0) continue;
    add(absl::StrCat("per rank ", name),
        absl::StrCat(in_words(spread["least"]), " to ",
                     in_words(spread["most"])));
  }
  for (const auto& [name, count] : metrics["rma"].items()) {
    if (count["operations"] == 0) continue;
    add(absl::StrCat("rma ", name),
        absl::StrCat(count["operations"].dump(), " operations, ",
                     count["bytes"].dump(), " bytes"));
  }
  return rows;
}

void print_stats(const std::string& format, const RunReport& report) {
  if (format.empty()) return;
  std::fflush(stdout);
  if (format == "json") {
    std::fprintf(stderr, "%s\n", in_json({}, report).c_str());
    return;
  }
  Json run = describe_run({}, report);
  const bool as_table = isatty(STDERR_FILENO) != 0;
  if (!as_table) run.update(describe_metrics(report, {}));
  std::fprintf(stderr, "magpie: stats: %s\n%s", line_of(run).c_str(),
               as_table ? in_rows(report).c_str() : "");
}

}  // namespace magpie
