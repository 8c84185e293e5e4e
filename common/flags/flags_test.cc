#include "common/flags/flags.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace magpie::flags {
namespace {

enum class Color { kRed, kGreen };
constexpr std::array kColors = {"red", "green"};

struct Parsed {
  uint64_t bytes = 1 << 20;
  int n = 7;
  uint64_t seed = 1;
  double share = 0.5;
  bool loud = false;
  Color color = Color::kGreen;
  std::string log, note;
};

void add_options(CLI::App& app, Parsed* p) {
  add_bytes(app, "--buffer_bytes", p->bytes, "size", 4096, 1ull << 40, 4096);
  add_integer(app, "--n", p->n, "count", 1, 30);
  add_integer(app, "--seed", p->seed, "what it begins with");
  add_number(app, "--share", p->share, "of the whole", 0, 1);
  app.add_flag("--loud", p->loud, "say more");
  add_choice(app, "--color", p->color, "of the lamp", kColors);
  add_text(app, "--note", p->note, "what it says", "TEXT", "nothing");
  app.add_flag("--log{-}", p->log, "where it goes")->type_name("FILE");
}

void parse(Parsed* p, std::vector<std::string> arguments) {
  CLI::App app("test");
  app.set_version_flag("--version", "test 1.2.3");
  add_options(app, p);
  parse_rest_or_exit(app, std::move(arguments));
}

TEST(Flags, SizesTakeUnits) {
  for (auto [text, bytes] :
       std::vector<std::pair<std::string, uint64_t>>{{"4096", 4096},
                                                     {"5000", 8192},
                                                     {"64K", 64 << 10},
                                                     {"16m", 16 << 20},
                                                     {"2G", 2ull << 30},
                                                     {"1T", 1ull << 40}}) {
    Parsed p;
    parse(&p, {"--buffer_bytes=" + text});
    EXPECT_EQ(p.bytes, bytes) << text;
  }
}

TEST(Flags, ChoicesAreTakenByName) {
  Parsed p;
  parse(&p, {"--color=red"});
  EXPECT_EQ(p.color, Color::kRed);
}

TEST(Flags, NumbersAreDecimal) {
  Parsed p;
  parse(&p, {"--n=020", "--seed=+08"});
  EXPECT_EQ(p.n, 20);
  EXPECT_EQ(p.seed, 8u);
}

TEST(Flags, SizesInWords) {
  for (auto [bytes, text] :
       std::vector<std::pair<uint64_t, std::string>>{{0, "0"},
                                                     {4095, "4095"},
                                                     {64 << 10, "64K"},
                                                     {100 << 20, "100M"},
                                                     {1025ull << 30, "1025G"},
                                                     {1ull << 60, "1048576T"}})
    EXPECT_EQ(in_units(bytes), text);
}

TEST(FlagsDeathTest, BadInputNamesFlagValueAndRange) {
  // Arguments, and what the one line says after "magpie: ".
  const std::pair<std::vector<std::string>, std::string> refusals[] = {
      {{"--n=0"}, "--n: 0 is not an integer from 1 to 30"},
      {{"--n=many"}, "--n: many is not an integer from 1 to 30"},
      {{"--n=2.5"}, "--n: 2.5 is not an integer from 1 to 30"},
      {{"--n"}, "--n: no value; allowed: 1 to 30"},
      {{"--n="}, "--n: no value; allowed: 1 to 30"},
      {{"--n=2", "--n=3"}, "--n: given 2 times: 2, 3; allowed: 1 to 30"},
      {{"--seed=-1"},
       "--seed: -1 is not an integer from 0 to 18446744073709551615"},
      {{"--seed=18446744073709551616"},
       "--seed: 18446744073709551616 is not an integer from 0 to "
       "18446744073709551615"},
      {{"--share=2"}, "--share: 2 is not a number from 0 to 1"},
      {{"--share=nan"}, "--share: nan is not a number from 0 to 1"},
      {{"--share=much"}, "--share: much is not a number from 0 to 1"},
      {{"--loud=very"}, "--loud: very is not allowed; allowed: true, false"},
      {{"--color=blue"}, "--color: blue is not one of red, green"},
      {{"--note", "--nonsense"},
       "--note: --nonsense is a flag; allowed: a text"},
      {{"--color"}, "--color: no value; allowed: red, green"},
      {{"--log", "file"}, "unknown: file; allowed: .*--log.*; see --help"},
      {{"--buffer_bytes=1Q"},
       "--buffer_bytes: 1Q is not a size from 4K to 1T "
       "\\(bytes, or a number with K, M, G or T.*"},
      {{"--buffer_bytes=-1"}, "--buffer_bytes: -1 is not a size from 4K.*"},
      {{"--buffer_bytes=1.5M"}, "--buffer_bytes: 1.5M is not a size.*"},
      {{"--buffer_bytes=16777217T"}, "--buffer_bytes: 16777217T is not a.*"},
      {{"--bufer=1"}, "unknown: --bufer=1; allowed: .*--buffer_bytes.*"},
      {{"-n", "4"}, "unknown: -n 4; allowed: .*--n.*"},
      {{"word"}, "unknown: word; allowed: .*"},
      {{""}, "unknown: ''; allowed: .*"},
  };
  Parsed p;
  for (const auto& [arguments, words] : refusals) {
    EXPECT_EXIT(parse(&p, arguments), testing::ExitedWithCode(2),
                "^magpie: " + words + "\n$")
        << testing::PrintToString(arguments);
  }
}

// Parses with standard output on standard error, at which EXPECT_EXIT looks.
void parse_aloud(std::vector<std::string> arguments) {
  Parsed p;
  dup2(STDERR_FILENO, STDOUT_FILENO);
  parse(&p, std::move(arguments));
}

TEST(FlagsDeathTest, HelpShowsDefaultsAndUnits) {
  const auto zero = testing::ExitedWithCode(0);
  for (const char* words : {
           "^test ?\n\nUsage: flags_test \\[FLAGS\\]\n\n(Options|OPTIONS):\n  "
           "-h, --help  ",
           "\n  --buffer_bytes=BYTES    size \\(4K to 1T; default: 1M\\)\n",
           "\n  --n=N                   count \\(1 to 30; default: 7\\)\n",
           "\n  --seed=N                .*\\(0 to 18446744073709551615;\n"
           " +default: 1\\)\n",
           "\n  --loud                  say more\n",
           "\n  --color=WHICH           .*\\(red, green; default: green\\)\n",
           "\n  --log\\[=FILE\\]            where it goes\n$",
       }) {
    EXPECT_EXIT(parse_aloud({"--help"}), zero, words);
  }
  EXPECT_EXIT(parse_aloud({"--version"}), zero, "^test 1.2.3\n$");
}

// There are a launcher's variables, but no launcher: nobody else speaks.
TEST(FlagsDeathTest, ProcessOfNoLauncherSpeaks) {
  setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
  setenv("OMPI_COMM_WORLD_RANK", "1", 1);
  Parsed p;
  EXPECT_EXIT(parse_aloud({"--help"}), testing::ExitedWithCode(0), "Usage: ");
  EXPECT_EXIT(parse(&p, {"--n=0"}), testing::ExitedWithCode(2), "--n: 0");
  unsetenv("OMPI_COMM_WORLD_SIZE");
  unsetenv("OMPI_COMM_WORLD_RANK");
}

TEST(Flags, OuterLayerLeavesTheRestInOrder) {
  App app("outer");
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
