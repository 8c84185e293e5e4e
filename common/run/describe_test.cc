#include "common/run/describe.h"

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

// Every field, in this order.
TEST(Describe, GivesTotalsAndMeans) {
  const auto count = [](int operations, int bytes) {
    return Json{{"operations", operations}, {"bytes", bytes}};
  };
  const auto spread = [](auto least, auto most) {
    return Json{{"least", least}, {"most", most}};
  };
  const Json expected = {
      {"runtime", "some_runtime"},
      {"backend", "some_network"},
      {"machine", "some_machine"},
      {"ranks", 3},
      {"seconds", 0.5},
      {"metrics",
       {{"spawns", 100},
        {"steals_ok", 4},
        {"steals_failed", 6},
        {"steal_latency_ns", 250.0},
        {"stolen_bytes", 2048},
        {"steal_time_s", 1000 * 1e-9},
        {"search_time_s", 5000 * 1e-9},
        {"task_copy_ns", 100.0},
        {"outstanding_joins", 2},
        {"outstanding_join_time_ns", 150.0},
        {"region_bytes_max", 4711},
        {"of_a_part", 7},
        {"at_most", 0},
        {"busy_share", 0.75},
        {"per_rank",
         {{"tasks", spread(20, 50)},
          {"steals_ok", spread(0, 3)},
          {"busy_s", spread(0.25, 0.5)},
          {"idle_s", spread(0.0, 0.25)}}},
        {"rma",
         {{"get", count(2, 32)},
          {"put", count(0, 0)},
          {"fetch_add", count(0, 0)},
          {"swap", count(0, 0)},
          {"put_nb", count(0, 0)},
          {"fetch_add_nb", count(0, 0)},
          {"flush", count(0, 0)}}}}},
  };
  EXPECT_EQ(describe(some_report()).dump(), expected.dump());
}

TEST(Describe, WhatRanksServeOnlyWhereTheyDo) {
  RunReport report = some_report();
  report.rma.served = 6;
  report.rma.serving_ns = 700;
  report.rma.poll_ns = 150'000'000;
  const Json metrics = describe(report)["metrics"];
  EXPECT_EQ(metrics["served"], 6);
  EXPECT_EQ(metrics["serving_time_s"], 700 * 1e-9);
  EXPECT_EQ(metrics["poll_time_s"], 150'000'000 * 1e-9);
  EXPECT_DOUBLE_EQ(metrics["poll_share"], 0.1);
}

// A pool's tasks neither wait nor have stacks that move.
TEST(Describe, APoolHasNoJoins) {
  RunReport report = some_report();
  report.facade = Facade::kPool;
  Json expected = describe(some_report());
  for (const char* name : {"task_copy_ns", "outstanding_joins",
                           "outstanding_join_time_ns", "region_bytes_max"})
    EXPECT_EQ(expected["metrics"].erase(name), 1u) << name;
  EXPECT_EQ(describe(report).dump(), expected.dump());
}

TEST(InRows, LeavesZerosOut) {
  const std::string rows = in_rows(describe(some_report())["metrics"]);
  EXPECT_THAT(rows, testing::HasSubstr("  busy_share                 0.75\n"));
  EXPECT_THAT(rows,
              testing::ContainsRegex("  per rank tasks +[0-9]+ to [0-9]"));
  EXPECT_THAT(rows, testing::ContainsRegex("  rma [a-z_]+ +[0-9]+ operations"));
  EXPECT_EQ(in_rows(describe(RunReport())["metrics"]), "");
}

TEST(InLine, FlattensObjectsAndLeavesZerosInThemOut) {
  const Json count = {{"operations", 2}, {"bytes", 0}};
  EXPECT_EQ(in_line({{"tree", "T1"}, {"n", 0}, {"s", 0.5}, {"get", count}}),
            "tree=T1 n=0 s=0.5 get.operations=2");
}

}  // namespace
}  // namespace magpie
