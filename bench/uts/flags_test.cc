// The command line of UTS.

#include "bench/uts/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "bench/uts/sample_trees.h"
#include "bench/uts/tree.h"
#include "gtest/gtest.h"

namespace magpie::uts {
namespace {

Params parsed(const std::string& line) {
  CLI::App app;
  Params params;
  add_options(app, &params);
  std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  // CLI11 takes them last first.
  std::reverse(words.begin(), words.end());
  app.parse(words);
  return params;
}

std::string error(const std::string& args) {
  try {
    parsed(args);
  } catch (const CLI::ParseError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(UtsFlags, OriginalFlagsDescribeTheSameTrees) {
  const std::vector<std::pair<const char*, std::string>> cases = {
      {"T1", "-t 1 -a 3 -d 10 -b 4 -r 19"},
      {"T5", "-t 1 -a 0 -d 20 -b 4 -r 34"},
      {"T2", "-t 1 -a 2 -d 16 -b 6 -r 502"},
      {"T3", "-t 0 -b 2000 -q 0.124875 -m 8 -r 42"},
      {"T4", "-t 2 -a 0 -d 16 -b 6 -r 1 -q 0.234375 -m 4"}};
  for (const auto& [name, args] : cases) {
    EXPECT_EQ(sample_tree_of(parsed(args)), find_sample_tree(name)) << name;
    EXPECT_EQ(sample_tree_of(parsed(absl::StrCat("--tree=", name))),
              find_sample_tree(name));
  }
}

TEST(UtsFlags, SingleFlagsChangeTheSampleInAnyOrder) {
  for (const char* args :
       {"--tree=T1 -d 3 -r -7", "--root_seed=-7 --depth=3 --tree=T1"}) {
    const Params params = parsed(args);
    EXPECT_EQ(params.depth, 3);
    EXPECT_EQ(params.seed, -7);
    EXPECT_EQ(params.shape, GeoShape::kFixed);
  }
}

TEST(UtsFlags, LongNamesAndNamedValues) {
  const Params params = parsed(
      "--tree_type=hybrid --shape=cyclic --nonleaf_probability=0 "
      "--nonleaf_children=100 --shift_depth=1 --branching=1.5 "
      "--sha=portable");
  EXPECT_EQ(params.type, TreeType::kHybrid);
  EXPECT_EQ(params.shape, GeoShape::kCyclic);
  EXPECT_EQ(params.nonleaf_probability, 0);
  EXPECT_EQ(params.nonleaf_children, 100);
  EXPECT_EQ(params.shift_depth, 1);
  EXPECT_EQ(params.branching, 1.5);
  EXPECT_EQ(params.sha, Sha1Kernel::kPortable);
}

using Refusals = std::vector<std::pair<std::string, std::string>>;

void expect_errors(const Refusals& refusals) {
  for (const auto& [args, words] : refusals) EXPECT_EQ(error(args), words);
}

TEST(UtsFlags, BadValuesAreRefusedInWords) {
  expect_errors({
      {"--tree=T6",
       "--tree: T6 is not one of T1, T2, T3, T4, T5, T1L, T2L, T3L, T1XL, "
       "T1XXL, T2XXL, T3XXL, T1WL, T2WL, T3WL"},
      {"-t 4",
       "--tree_type: 4 is not one of binomial, geometric, hybrid, balanced, 0, "
       "1, 2, 3"},
      {"-a round",
       "--shape: round is not one of linear, expdec, cyclic, fixed, 0, 1, 2, "
       "3"},
      {"--sha=2", "--sha: 2 is not one of auto, portable, ni"},
      {"-d 0", "--depth: 0 is not an integer from 1 to 1000000"},
      {"-r 2147483648",
       "--root_seed: 2147483648 is not an integer from -2147483648 to "
       "2147483647"},
      {"-b -1", "--branching: -1 is not a number from 0 to 1e+09"},
      {"-q 1.5", "--nonleaf_probability: 1.5 is not a number from 0 to 1"},
      {"-m 101", "--nonleaf_children: 101 is not an integer from 0 to 100"},
      {"-f 2", "--shift_depth: 2 is not a number from 0 to 1"},
  });
}

TEST(UtsFlags, TreesWithoutEndAreRefusedInWords) {
  expect_errors({
      {"--tree=T3 -q 0.25",
       "-q (--nonleaf_probability): 0.25 with -m (--nonleaf_children) 8, an "
       "endless tree of 2 children a node; allowed: q * m below 1, or a sample "
       "tree"},
      {"-a expdec -b 1",
       "-b (--branching): 1 with -a expdec, a tree without end; allowed: above "
       "1"},
      {"-a expdec -d 1", "-d (--depth): 1 with -a expdec; allowed: at least 2"},
      {"-a cyclic -b 0",
       "-b (--branching): 0 with -a cyclic; allowed: above 0"},
      // The same numbers are no harm where the tree does not depend on them.
      {"--tree=T1 -q 1", "accepted"},
  });
}

TEST(UtsFlags, NiIsRefusedWhereTheProcessorLacksIt) {
  EXPECT_EQ(error("--sha=ni"), has_sha1_ni()
                                   ? "accepted"
                                   : "--sha: ni, but this processor has no SHA "
                                     "extensions; allowed: auto, portable");
}

}  // namespace
}  // namespace magpie::uts
