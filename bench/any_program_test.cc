#include "bench/any_program.h"

#include <string>

#include "common/run/describe.h"
#include "gtest/gtest.h"

namespace magpie::bench {
namespace {

RunReport some_report() {
  RunReport report;
  report.runtime = "some_runtime";
  report.backend = "some_network";
  report.machine = "some_machine";
  report.ranks = 3;
  report.per_rank.tasks = {0, 9};
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

TEST(Describe, ProgramParametersAndResultBeforeTheReport) {
  Json expected = {
      {"program", "prog"}, {"params", {{"n", 7}}}, {"result", {{"sum", 9}}}};
  expected.update(magpie::describe(some_report()));
  std::string output;
  EXPECT_EQ(print_some(true, "", &output), 0);
  EXPECT_EQ(output, expected.dump() + "\n");
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
  EXPECT_NE(output.find("per rank tasks             0 to 9\n"),
            std::string::npos)
      << output;
  EXPECT_EQ(output.find("per rank steals_ok"), std::string::npos) << output;
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
