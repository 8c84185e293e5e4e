#include "bench/program.h"

#include <string>

#include "gtest/gtest.h"

namespace magpie::bench {
namespace {

RunReport some_report() {
  RunReport report;
  report.runtime = "some_runtime";
  report.backend = "some_network";
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
                  .outstanding_join_ns = 300,
                  .join_losers = 1,
                  .die_losers = 7};
  report.rma.count(rma::Op::kGet, 24);
  report.rma.count(rma::Op::kGet, 8);
  return report;
}

Arguments some_arguments(bool json) {
  Arguments arguments;
  arguments.program = "prog";
  arguments.json = json;
  return arguments;
}

// Prints some run. Returns the exit status.
int print_some(bool json, std::string mismatch, std::string* output) {
  testing::internal::CaptureStdout();
  const Answer answer = {.result = {{"sum", 9}}, .mismatch = mismatch};
  const int status =
      print(some_arguments(json), {{"n", 7}}, answer, some_report());
  *output = testing::internal::GetCapturedStdout();
  return status;
}

TEST(Describe, GivesTotalsAndMeans) {
  const Json told =
      describe(some_arguments(true), {{"n", 7}},
               {.result = {{"sum", 9}}, .mismatch = ""}, some_report());
  EXPECT_EQ(told["program"], "prog");
  EXPECT_EQ(told["runtime"], "some_runtime");
  EXPECT_EQ(told["backend"], "some_network");
  EXPECT_EQ(told["ranks"], 3);
  EXPECT_EQ(told["params"]["n"], 7);
  EXPECT_EQ(told["result"]["sum"], 9);
  EXPECT_EQ(told["seconds"], 0.5);
  const Json& metrics = told["metrics"];
  EXPECT_EQ(metrics["spawns"], 100);
  EXPECT_EQ(metrics["steals_ok"], 4);
  EXPECT_EQ(metrics["steals_failed"], 6);
  EXPECT_EQ(metrics["steal_latency_ns"], 250);
  EXPECT_EQ(metrics["stolen_bytes"], 2048);
  EXPECT_EQ(metrics["task_copy_ns"], 100);
  EXPECT_DOUBLE_EQ(metrics["steal_time_s"], 1e-6);
  EXPECT_DOUBLE_EQ(metrics["search_time_s"], 5e-6);
  EXPECT_EQ(metrics["outstanding_joins"], 2);
  EXPECT_EQ(metrics["outstanding_join_time_ns"], 150);
  EXPECT_EQ(metrics["join_losers"], 1);
  EXPECT_EQ(metrics["die_losers"], 7);
  EXPECT_EQ(metrics["region_bytes_max"], 4711);
  EXPECT_EQ(metrics["rma"]["get"], (Json{{"operations", 2}, {"bytes", 32}}));
  EXPECT_EQ(metrics["rma"]["put"], (Json{{"operations", 0}, {"bytes", 0}}));
}

TEST(Describe, MeansOfNothingAreZero) {
  const Json told = describe(some_arguments(true), {}, {}, RunReport());
  EXPECT_EQ(told["metrics"]["steal_latency_ns"], 0);
  EXPECT_EQ(told["metrics"]["task_copy_ns"], 0);
  EXPECT_EQ(told["metrics"]["outstanding_join_time_ns"], 0);
}

TEST(Print, OneObjectInOneLine) {
  std::string output;
  EXPECT_EQ(print_some(true, "", &output), 0);
  EXPECT_EQ(output.find('\n'), output.size() - 1);
  EXPECT_EQ(Json::parse(output)["result"]["sum"], 9);
}

TEST(Print, ATable) {
  std::string output;
  EXPECT_EQ(print_some(false, "", &output), 0);
  EXPECT_NE(
      output.find(
          "prog n=7, runtime some_runtime, network some_network, 3 ranks\n"),
      std::string::npos)
      << output;
  EXPECT_NE(output.find("rma get                    2 operations, 32 bytes\n"),
            std::string::npos)
      << output;
  EXPECT_EQ(output.find("rma put"), std::string::npos) << output;
}

TEST(Print, AWrongResultIsToldAndIsAnError) {
  for (const bool json : {false, true}) {
    std::string output;
    testing::internal::CaptureStderr();
    EXPECT_EQ(print_some(json, "8 is right", &output), 1);
    EXPECT_FALSE(output.empty());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "magpie: prog: wrong result: 8 is right\n");
  }
}

}  // namespace
}  // namespace magpie::bench
