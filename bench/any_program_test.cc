#include "bench/any_program.h"

#include <string>

#include "gtest/gtest.h"

namespace magpie::bench {
namespace {

// Prints a run of 3 ranks. Returns the exit status.
int print_some(bool json, const std::string& mismatch, std::string* output) {
  RunReport report;
  report.runtime = "some_runtime";
  report.backend = "some_network";
  report.machine = "some_machine";
  report.ranks = 3;
  testing::internal::CaptureStdout();
  const int status =
      print({.program = "prog", .json = json, .rest = {}}, {{"n", 7}},
            {.result = {{"sum", 9}}, .mismatch = mismatch}, report);
  *output = testing::internal::GetCapturedStdout();
  return status;
}

TEST(Print, ProgramParametersAndResultBeforeTheReport) {
  std::string json, table;
  EXPECT_EQ(print_some(true, "", &json), 0);
  EXPECT_EQ(json.find("{\"program\":\"prog\",\"params\":{\"n\":7},\"result\":"
                      "{\"sum\":9},\"runtime\":\"some_runtime\","),
            0u)
      << json;
  EXPECT_EQ(print_some(false, "", &table), 0);
  EXPECT_EQ(table.find("prog n=7, runtime some_runtime, network some_network "
                       "of some_machine, 3 ranks\n"),
            0u)
      << table;
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
