#include "common/flags/flags.h"

#include <gtest/gtest.h>

namespace magpie::flags {
namespace {

struct Parsed {
  uint64_t bytes = 1 << 20;
  int n = 7;
};

void parse(Parsed* p, std::vector<std::string> arguments) {
  CLI::App app("test");
  add_bytes(app, "--buffer_bytes", p->bytes, "size", 4096, 1ull << 40);
  add_integer(app, "--n", p->n, "count", 1, 30);
  parse_rest_or_exit(app, std::move(arguments));
}

TEST(Flags, SizesTakeUnits) {
  for (auto [text, bytes] :
       std::vector<std::pair<std::string, uint64_t>>{{"4096", 4096},
                                                     {"64K", 64 << 10},
                                                     {"16m", 16 << 20},
                                                     {"2G", 2ull << 30},
                                                     {"1T", 1ull << 40}}) {
    Parsed p;
    parse(&p, {"--buffer_bytes=" + text});
    EXPECT_EQ(p.bytes, bytes) << text;
  }
}

TEST(Flags, OrderOfArgumentsIsKept) {
  Parsed p;
  parse(&p, {"--n", "3", "--buffer_bytes", "8K"});
  EXPECT_EQ(p.n, 3);
  EXPECT_EQ(p.bytes, 8192u);
}

TEST(FlagsDeathTest, BadInputNamesFlagValueAndRange) {
  Parsed p;
  const auto two = testing::ExitedWithCode(2);
  EXPECT_EXIT(parse(&p, {"--n=0"}), two,
              "^magpie: --n: .*0 not in range 1 to 30\n$");
  EXPECT_EXIT(parse(&p, {"--n=many"}), two,
              "^magpie: --n: .*many not in range 1 to 30\n$");
  EXPECT_EXIT(parse(&p, {"--buffer_bytes=1Q"}), two,
              "^magpie: --buffer_bytes: 1Q is not a size.*\n$");
  EXPECT_EXIT(parse(&p, {"--buffer_bytes=-1"}), two,
              "--buffer_bytes: -1 is not a size from 4096");
  EXPECT_EXIT(parse(&p, {"--buffer_bytes=99999999T"}), two,
              "99999999T is not a size");
  EXPECT_EXIT(parse(&p, {"--bufer=1"}), two,
              "^magpie: unknown: --bufer=1; allowed: .*--buffer_bytes.*\n$");
}

TEST(FlagsDeathTest, HelpEndsWithZero) {
  Parsed p;
  EXPECT_EXIT(parse(&p, {"--help"}), testing::ExitedWithCode(0), "");
}

TEST(Flags, OuterLayerLeavesTheRestInOrder) {
  CLI::App app("outer");
  int n = 0;
  add_integer(app, "--n", n, "count", 1, 30);
  std::vector<std::string> words = {"prog", "--ranks=4", "--n=5",
                                    "--region_bytes", "1M"};
  std::vector<char*> argv;
  for (std::string& w : words) argv.push_back(w.data());
  const auto rest =
      parse_known_or_exit(app, static_cast<int>(argv.size()), argv.data(), "");
  EXPECT_EQ(n, 5);
  EXPECT_EQ(rest,
            (std::vector<std::string>{"--ranks=4", "--region_bytes", "1M"}));
}

}  // namespace
}  // namespace magpie::flags
