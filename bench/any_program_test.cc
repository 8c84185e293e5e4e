#include "bench/any_program.h"

#include "gtest/gtest.h"

namespace magpie::bench {
namespace {

TEST(Print, AWrongResultIsToldAndIsAnError) {
  for (const bool json : {false, true}) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    EXPECT_EQ(print({.program = "prog", .json = json, .rest = {}}, {},
                    {.result = {{"sum", 9}}, .mismatch = "8 is right"}, {}),
              1);
    EXPECT_FALSE(testing::internal::GetCapturedStdout().empty());
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "magpie: prog: wrong result: 8 is right\n");
  }
}

}  // namespace
}  // namespace magpie::bench
