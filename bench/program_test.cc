#include "bench/program.h"

#include <string>

#include "gtest/gtest.h"

namespace magpie::bench {
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

// Every field, in this order.
TEST(Describe, GivesTotalsAndMeans) {
  const auto count = [](int operations, int bytes) {
    return Json{{"operations", operations}, {"bytes", bytes}};
  };
  const Json expected = {
      {"program", "prog"},
      {"runtime", "some_runtime"},
      {"backend", "some_network"},
      {"machine", "some_machine"},
      {"ranks", 3},
      {"params", {{"n", 7}}},
      {"result", {{"sum", 9}}},
      {"seconds", 0.5},
      {"metrics",
       {{"spawns", 100},
        {"steals_ok", 4},
        {"steals_failed", 6},
        {"steal_latency_ns", 250.0},
        {"stolen_bytes", 2048},
        {"task_copy_ns", 100.0},
        {"steal_time_s", 1000 * 1e-9},
        {"search_time_s", 5000 * 1e-9},
        {"outstanding_joins", 2},
        {"outstanding_join_time_ns", 150.0},
        {"join_losers", 1},
        {"die_losers", 7},
        {"region_bytes_max", 4711},
        {"rma",
         {{"get", count(2, 32)},
          {"put", count(0, 0)},
          {"fetch_add", count(0, 0)},
          {"fetch_or", count(0, 0)},
          {"swap", count(0, 0)},
          {"compare_swap", count(0, 0)},
          {"put_nb", count(0, 0)},
          {"fetch_add_nb", count(0, 0)},
          {"flush", count(0, 0)}}}}},
  };
  const Answer answer = {.result = {{"sum", 9}}, .mismatch = ""};
  EXPECT_EQ(
      describe(some_arguments(true), {{"n", 7}}, answer, some_report()).dump(),
      expected.dump());
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
  EXPECT_NE(output.find("prog n=7, runtime some_runtime, network some_network "
                        "of some_machine, 3 ranks\n"),
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
