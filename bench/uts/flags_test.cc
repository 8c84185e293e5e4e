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
      {"T4",
       "--tree_type=hybrid --shape=linear --depth=16 --branching=6 "
       "--root_seed=1 --nonleaf_probability=0.234375 --nonleaf_children=4 "
       "--shift_depth=0.5"}};
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

TEST(UtsFlags, TreesWithoutEndAreRefusedInWords) {
  const std::vector<std::pair<std::string, std::string>> refusals = {
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
  };
  for (const auto& [args, words] : refusals) EXPECT_EQ(error(args), words);
}

TEST(UtsFlags, NiIsRefusedWhereTheProcessorLacksIt) {
  EXPECT_EQ(error("--sha=ni"), has_sha1_ni()
                                   ? "accepted"
                                   : "--sha: ni, but this processor has no SHA "
                                     "extensions; allowed: auto, portable");
}

}  // namespace
}  // namespace magpie::uts
