#include "common/rma/sim/engine/log_filter.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace magpie::rma::sim {
namespace {

constexpr uint64_t kRegionBytes = 0x1000;
const std::vector<std::string> kNames = {"steal", "failed_steal"};

// A put of rank 1 into 16 bytes at heap+0x40 of rank 2.
constexpr Line kPut = {1, kind_of(OpKind::kPut), 2, kRegionBytes + 0x40, 16};

TEST(LogFilter, WantsAllWhereNothingIsSaid) {
  const LogFilter filter;
  EXPECT_TRUE(filter.wants(kPut, kRegionBytes));
  EXPECT_TRUE(filter.wants({7}, kRegionBytes));
  EXPECT_FALSE(filter.selects());
}

TEST(LogFilter, RanksAreThoseThatDoAndThoseItIsDoneTo) {
  for (const auto& [text, wants] :
       std::vector<std::pair<std::string, bool>>{{"1", true},
                                                 {"2", true},
                                                 {"0,3..5", false},
                                                 {"0,2..5", true},
                                                 {"3", false}}) {
    LogFilter filter;
    EXPECT_EQ(filter.add_ranks(text), "");
    EXPECT_EQ(filter.wants(kPut, kRegionBytes), wants) << text;
    EXPECT_TRUE(filter.selects());
  }
}

TEST(LogFilter, KindsAreOperationsAndWhatARankDoesByItself) {
  LogFilter filter;
  EXPECT_EQ(filter.add_kinds("get,store"), "");
  EXPECT_FALSE(filter.wants(kPut, kRegionBytes));
  EXPECT_FALSE(filter.wants({1}, kRegionBytes));
  EXPECT_TRUE(filter.wants({1, LineKind::kStore}, kRegionBytes));
  EXPECT_EQ(filter.add_kinds("put,other"), "");
  EXPECT_TRUE(filter.wants(kPut, kRegionBytes));
  EXPECT_TRUE(filter.wants({1}, kRegionBytes));
}

TEST(LogFilter, WordsAreTouched) {
  for (const auto& [text, wants] : std::vector<std::pair<std::string, bool>>{
           {"heap+0x40", true},
           {"heap+0x48", true},
           {"heap+0x50", false},
           {"heap+0x39", true},
           {"heap+0x38", false},
           {"heap+64..64", true},
           {"heap+0..0x3f", false},
           {"heap+0x4f..0x4f", true},
           {"region+0x40", false},
           {"region+0x1040", false},
           {"region+0,heap+0x40", true}}) {
    LogFilter filter;
    EXPECT_EQ(filter.add_words(text), "");
    EXPECT_EQ(filter.wants(kPut, kRegionBytes), wants) << text;
    EXPECT_FALSE(filter.wants({1}, kRegionBytes));
  }
}

TEST(LogFilter, AllThatIsSaidHolds) {
  LogFilter filter;
  filter.add_ranks("1");
  filter.add_kinds("put");
  EXPECT_TRUE(filter.wants(kPut, kRegionBytes));
  filter.add_words("heap+0");
  EXPECT_FALSE(filter.wants(kPut, kRegionBytes));
}

TEST(LogFilter, AnEventIsANameAndANumber) {
  EXPECT_TRUE(LogFilter::is_event("steal:3"));
  EXPECT_TRUE(LogFilter::is_event("stael:x"));
  for (const char* file : {"-", "log", "./steal:3", "C:/log", "a:b/c"})
    EXPECT_FALSE(LogFilter::is_event(file)) << file;
  LogFilter filter;
  EXPECT_EQ(filter.add_event("failed_steal:12", kNames), "");
  EXPECT_EQ(filter.event(), "failed_steal");
  EXPECT_EQ(filter.number(), 12u);
  EXPECT_FALSE(filter.selects());
}

TEST(LogFilter, RefusesInWords) {
  LogFilter filter;
  for (const char* text : {"", "x", "3..1", "1,", "-1", "1..", "1-3"})
    EXPECT_NE(filter.add_ranks(text), "") << text;
  for (const char* text : {"", "gets", "get,", "steal"})
    EXPECT_NE(filter.add_kinds(text), "") << text;
  for (const char* text : {"", "0x40", "heap", "heap+", "heap+5..3", "heap+x"})
    EXPECT_NE(filter.add_words(text), "") << text;
  for (const char* text : {"stael:3", "steal:", "steal:0", "steal:x"})
    EXPECT_NE(filter.add_event(text, kNames), "") << text;
  EXPECT_EQ(filter.add_event("stael:3", kNames),
            "stael:3: stael is no event of this program; allowed: steal, "
            "failed_steal");
  EXPECT_NE(filter.add_event("steal:3", {}), "");
}

}  // namespace
}  // namespace magpie::rma::sim
