#include "common/run/describe.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace magpie {
namespace {

RunReport some_report() {
  RunReport report;
  report.runtime = "some_runtime";
  report.backend = "some_network";
  report.machine = "some_machine";
  report.ranks = 3;
  report.seconds = 0.5;
  report.region_bytes_max = 4711;
  report.stats = {.spawns = 100,
                  .deaths = 100,
                  .steals_ok = 4,
                  .steals_failed = 6,
                  .steal_ns = 1000,
                  .search_ns = 5000,
                  .stolen_bytes = 2048,
                  .task_copy_ns = 400,
                  .outstanding_joins = 2,
                  .outstanding_join_ns = 300};
  report.run_ns = 1'500'000'000;
  report.busy_ns = 1'125'000'000;
  report.per_rank = {.tasks = {20, 50},
                     .steals_ok = {0, 3},
                     .idle_ns = {0, 250'000'000},
                     .busy_ns = {250'000'000, 500'000'000}};
  report.own_counts = {{"of_a_part", 7}, {"at_most", 0, OwnCount::kMost}};
  report.rma.count(rma::Op::kGet, 24);
  report.rma.count(rma::Op::kGet, 8);
  return report;
}

// Such a report as JSON: every field, in this order.
std::string described(const std::string& of_fork_join) {
  return R"({"runtime":"some_runtime","backend":"some_network",)"
         R"("machine":"some_machine","ranks":3,"seconds":0.5,"metrics":{)"
         R"("spawns":100,"steals_ok":4,"steals_failed":6,)"
         R"("steal_latency_ns":250.0,"stolen_bytes":2048,)"
         R"("steal_time_s":1.0000000000000002e-06,"search_time_s":5e-06,)" +
         of_fork_join +
         R"("of_a_part":7,"at_most":0,"busy_share":0.75,)"
         R"("per_rank":{"tasks":{"least":20,"most":50},)"
         R"("steals_ok":{"least":0,"most":3},)"
         R"("busy_s":{"least":0.25,"most":0.5},)"
         R"("idle_s":{"least":0.0,"most":0.25}},)"
         R"("rma":{"get":{"operations":2,"bytes":32},)"
         R"("put":{"operations":0,"bytes":0},)"
         R"("fetch_add":{"operations":0,"bytes":0},)"
         R"("swap":{"operations":0,"bytes":0},)"
         R"("put_nb":{"operations":0,"bytes":0},)"
         R"("fetch_add_nb":{"operations":0,"bytes":0},)"
         R"("flush":{"operations":0,"bytes":0}}}})";
}

TEST(Describe, GivesTotalsAndMeans) {
  EXPECT_EQ(in_json({}, some_report()),
            described(R"("task_copy_ns":100.0,"outstanding_joins":2,)"
                      R"("outstanding_join_time_ns":150.0,)"
                      R"("region_bytes_max":4711,)"));
}

// A pool's tasks neither wait nor have stacks that move.
TEST(Describe, APoolHasNoJoins) {
  RunReport report = some_report();
  report.facade = Facade::kPool;
  EXPECT_EQ(in_json({}, report), described(""));
}

TEST(Describe, WhatRanksServeOnlyWhereTheyDo) {
  RunReport report = some_report();
  report.rma.served = 6;
  report.rma.serving_ns = 5000;
  report.rma.poll_ns = 750'000'000;
  EXPECT_THAT(in_json({}, report),
              testing::HasSubstr(R"(,"served":6,"serving_time_s":5e-06,)"
                                 R"("poll_time_s":0.75,"poll_share":0.5,)"));
}

TEST(InRows, LeavesZerosOut) {
  const std::string rows = in_rows(some_report(), {{"rate", 2.5}});
  EXPECT_THAT(rows, testing::HasSubstr("  busy_share                 0.75\n"));
  EXPECT_THAT(rows, testing::HasSubstr("  rate                       2.5\n"));
  EXPECT_THAT(rows,
              testing::ContainsRegex("  per rank tasks +[0-9]+ to [0-9]"));
  EXPECT_THAT(rows, testing::ContainsRegex("  rma [a-z_]+ +[0-9]+ operations"));
  EXPECT_EQ(in_rows(RunReport()), "");
}

TEST(InJson, HasMoreBeforeAndBehind) {
  const std::string json =
      in_json({{"program", "some"}, {"params", Fields{{"n", 7}, {"is", true}}}},
              RunReport(), {{"rate", 2.5}});
  EXPECT_THAT(json, testing::StartsWith(
                        R"({"program":"some","params":{"n":7,"is":true},)"
                        R"("runtime":"",)"));
  EXPECT_THAT(json, testing::EndsWith(R"(}},"rate":2.5}})"));
}

TEST(InLine, HasSixDigits) {
  EXPECT_EQ(in_line({{"tree", "T1"}, {"n", 0}, {"s", 1.0 / 3}}),
            "tree=T1 n=0 s=0.333333");
}

// Of objects in the report, a line has only the members that are not 0.
TEST(PrintStats, PrintsALine) {
  const auto printed = [](const RunReport& report) {
    testing::internal::CaptureStderr();
    print_stats("line", report);
    return testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(
      printed(RunReport()).substr(0, 66),
      "magpie: stats: runtime= backend= ranks=0 seconds=0 spawns=0 steals");
  EXPECT_THAT(printed(some_report()),
              testing::EndsWith(" per_rank.idle_s.most=0.25 "
                                "rma.get.operations=2 rma.get.bytes=32\n"));
}

}  // namespace
}  // namespace magpie
