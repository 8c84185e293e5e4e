#include "bench/microbenchmarks/addressing_report.h"

#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

template <typename Value>
void print_line(const Report& report, const char* title, Value value) {
  std::string line = absl::StrFormat("%-44s", title);
  for (const Row& row : report.rows)
    absl::StrAppendFormat(&line, "%17s", absl::StrCat(value(row)));
  std::printf("%s\n", line.c_str());
}

void print_phase(const Report& report, const char* title, Phase Row::*phase) {
  std::printf("%s\n", title);
  print_line(report, "  pages that a steal adds", [&](const Row& row) {
    const Phase& p = row.*phase;
    return absl::StrFormat("%.2f", p.per_steal(p.new_pages));
  });
  print_line(report, "  page faults of a steal", [&](const Row& row) {
    const Phase& p = row.*phase;
    return absl::StrFormat("%.2f", p.per_steal(p.page_faults));
  });
}

}  // namespace

Json describe(const Report& report) {
  Json run = {{"program", "addressing"},
              {"backend", rma::kBackend.name},
              {"ranks", report.ranks},
              {"params",
               {{"threads", report.threads},
                {"stack_bytes", report.stack_bytes},
                {"frame_bytes", report.frame_bytes}}}};
  Json& schemes = run["result"]["schemes"] = Json::array();
  for (const Row& row : report.rows) {
    Json told = {{"scheme", row.scheme},
                 {"right", row.right},
                 {"reserved_bytes", row.reserved_bytes},
                 {"paper_bytes", row.paper_bytes},
                 {"stolen_bytes", row.stolen_bytes}};
    if (report.has_memory) {
      told["thief_pages"] = row.thief_pages;
      told["victim_pages"] = row.victim_pages;
      for (const Phase& phase : {row.first, row.others, row.again}) {
        told[phase.name] = {{"steals", phase.steals},
                            {"new_pages", phase.new_pages},
                            {"page_faults", phase.page_faults}};
      }
    }
    schemes.push_back(told);
  }
  return run;
}

void print_table(const Report& report) {
  std::printf("%u ranks, %u threads each, network %s\n",
              static_cast<unsigned>(report.ranks),
              static_cast<unsigned>(report.threads), rma::kBackend.name);
  print_line(report, "", [](const Row& row) { return row.scheme; });
  print_line(report, "bytes reserved, a rank",
             [](const Row& row) { return row.reserved_bytes; });
  print_line(report, "the same with 2^22 ranks, 2^13 threads each",
             [](const Row& row) { return row.paper_bytes; });
  print_line(report, "bytes of a stolen thread, at most",
             [](const Row& row) { return row.stolen_bytes; });
  if (!report.has_memory) return;
  print_line(report, "pages in memory, the thief",
             [](const Row& row) { return row.thief_pages; });
  print_line(report, "pages in memory, a victim",
             [](const Row& row) { return row.victim_pages; });
  print_phase(report, "from the first victim", &Row::first);
  print_phase(report, "from the others", &Row::others);
  print_phase(report, "the same threads again", &Row::again);
}

}  // namespace magpie::bench
