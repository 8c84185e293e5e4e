// Ends of simulations that fail: their status and their error messages.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/rma/rma.h"
#include "tests/sim/simulate.h"

namespace magpie::sim_test {
namespace {

using rma::RemotePtr;
using rma::Word;
using testing::AllOf;
using testing::ContainsRegex;
using testing::ExitedWithCode;
using testing::HasSubstr;
using testing::KilledBySignal;
using testing::StrEq;

constexpr char kNet[] = "ito_a,node_size=1";

MATCHER_P(HasLines, n, "") {
  *result_listener << "which has " << std::count(arg.begin(), arg.end(), '\n');
  return std::count(arg.begin(), arg.end(), '\n') == n;
}

// Runs `body` with words of each rank's heap, after a barrier.
void run(const rma::sim::Options& options, const WordsBody& body) {
  // A crash is expected here: it leaves no core file.
  const rlimit none = {};
  setrlimit(RLIMIT_CORE, &none);
  with_words(options, body);
}

// Ranks that give each other up soon.
rma::sim::Options impatient(int ranks) {
  rma::sim::Options options = on(ranks, kNet);
  options.patience = 100e-6;
  return options;
}

// Expects that a run of `body` ends with these words, in so many lines.
void expect_stuck(const rma::sim::Options& options, const WordsBody& body,
                  const testing::Matcher<const std::string&>& words,
                  int lines) {
  EXPECT_EXIT(run(options, body), ExitedWithCode(1),
              AllOf(words, HasLines(lines)));
}

// Waits for something that nobody does.
void poll(RemotePtr<Word> words) {
  alarm(10);  // it must not hang
  while (words.local()->load() == 0) rma::idle();
}

TEST(StuckDeathTest, ABarrierThatAnEndedRankDoesNotEnter) {
  expect_stuck(
      on(3, kNet),
      [](auto) {
        if (rma::rank() != 0) rma::barrier();
      },
      // A way of 1753.033 ns and its overhead of 300 ns, once for each round of
      // the barrier that every body here begins with.
      StrEq("magpie: deadlock: nothing is left to happen, at 4.106066 us; 2 of "
            "3 ranks have not ended\n"
            "magpie:   rank 0 at 4.106066 us has ended\n"
            "magpie:   rank 1 at 4.106066 us waits in a barrier, where 2 of 3 "
            "ranks are, outside tasks\n"
            "magpie:   rank 2 at 4.106066 us waits in a barrier, where 2 of 3 "
            "ranks are, outside tasks\n"),
      4);
}

// A rank that rests does not work, however long or short the rest. Patience
// ends though nobody sets a limit, and where no other rank's turn ever comes.
TEST(StuckDeathTest, AllWait) {
  for (uint64_t nanoseconds : {0, 10, 1'000, 2'000'000'000}) {
    const bool idles = nanoseconds == 0;
    const auto waits = [=](RemotePtr<Word> words) {
      if (idles) poll(words);
      alarm(10);
      while (words.local()->load() == 0) rma::rest(nanoseconds);
    };
    const std::string polls = idles ? " polls, in idle" : " polls, in rest";
    rma::sim::Options options = idles ? on(2, kNet) : impatient(2);
    for (const bool explore : {false, true}) {
      options.explore = explore;
      options.ranks = 2;
      expect_stuck(
          options, waits,
          AllOf(
              ContainsRegex("^magpie: livelock: all wait and poll, .* 2 of 2 "
                            "ranks have not ended" +
                            std::string(explore ? " \\(seed 1\\)\n" : "\n")),
              ContainsRegex("rank 0 at .*" + polls),
              ContainsRegex("rank 1 at .*" +
                            (explore ? "(could go on|" + polls + ")" : polls))),
          3);
      options.ranks = 1;
      expect_stuck(options, waits,
                   ContainsRegex("^magpie: livelock.*\n.*rank 0 at .*" + polls),
                   2);
    }
  }
}

// A put that nobody flushes may never arrive.
void ask_and_wait(RemotePtr<Word> words) {
  alarm(10);
  if (rma::rank() == 0) {
    rma::put_word(words.at(1), 1);
  } else {
    poll(words);
    rma::put_word(words.at(0), 1);
    rma::flush(0);
  }
  poll(words);
}

TEST(StuckDeathTest, AQuestionThatIsNotFlushed) {
  run(on(2, kNet), ask_and_wait);
  const auto explore = [] {
    for (uint64_t seed = 1; seed <= 20; ++seed) {
      rma::sim::Options options = exploring(2, kNet, seed, MemoryModel::kSc);
      options.patience = 100e-6;
      run(options, ask_and_wait);
    }
  };
  EXPECT_EXIT(explore(), ExitedWithCode(1),
              ContainsRegex("^magpie: livelock: .*\n.* rank 0 at .* polls, in "
                            "idle\\(\\), with an unflushed put of 8 bytes at "
                            "heap\\+0 of rank 1, .*\n.* rank 1 at .* polls, in "
                            "idle\\(\\), outside tasks\n"));
}

// Rank 0 waits for rank 1, which works and then puts a word. All goes well, but
// under exploration it breaks a rule: `words` say which.
void expect_rule(const WordsBody& waits, const char* words) {
  const auto body = [&](RemotePtr<Word> own) {
    if (rma::rank() == 0) {
      waits(own);
    } else {
      for (int i = 0; i < 300; ++i) rma::compute(1'000);
      rma::put_word(own.at(0), 1);
    }
    rma::flush_all();
  };
  rma::sim::Options options = impatient(2);
  run(options, body);
  options.explore = true;
  EXPECT_EXIT(run(options, body), ExitedWithCode(1), ContainsRegex(words));
}

// No rank may wait for others with anything unflushed, even if these are alive.
TEST(StuckDeathTest, AWaitWithAnUnflushedPut) {
  expect_rule(
      [](RemotePtr<Word> words) {
        rma::compute(150'000);
        rma::put_word(words.at(0) + 1, 1);
        poll(words);
      },
      "^magpie: rank 0: polls, in idle\\(\\), since 15[0-9.]+ us, and has not "
      "worked meanwhile, with an unflushed put of 8 bytes at heap\\+0x8 of "
      "rank "
      "0 \\(seed 1\\)\n");
}

// Each loop that waits must call idle(), even if what it waits for comes.
TEST(StuckDeathTest, AWaitWithoutIdle) {
  expect_rule(
      [](RemotePtr<Word> words) {
        while (words.local()->load() == 0) continue;
      },
      "^magpie: rank 0: has only loaded words of its own since [0-9.]+ us: a "
      "loop that waits calls rma::idle\\(\\) \\(seed 1\\)\n");
}

// A rank that works is alive, however long the others wait.
TEST(Stuck, WorkIsPatientlyWaitedFor) {
  run(impatient(3), [](RemotePtr<Word> words) {
    if (rma::rank() != 0) return poll(words);
    for (int i = 0; i < 100; ++i) {
      rma::compute(90'000);
      rma::idle();
    }
    for (int r : {1, 2}) rma::put_word(words.at(r), 1);
    rma::flush_all();
  });
}

// A line for each rank of a thousand would hide what matters.
TEST(StuckDeathTest, ManyRanksInFewLines) {
  expect_stuck(
      on(1000, kNet),
      [](RemotePtr<Word> words) {
        const int r = rma::rank();
        if (r % 4 == 0) return;
        if (r == 501) rma::get_word(words.at(0));
        rma::barrier();
      },
      AllOf(HasSubstr("750 of 1000 ranks have not ended"),
            ContainsRegex("rank 0 at .* has ended"),
            ContainsRegex("rank 1 at .* waits in a barrier, where 750 of 1000 "
                          "ranks are"),
            // 250 and 750 ranks, less those that have a line of their own.
            HasSubstr("and 242 more, as"), HasSubstr("and 742 more, as")),
      1 + 2 * 8 + 2);
}

void write_below_the_region(size_t bytes) {
  *(rma::self().region - bytes) = std::byte{1};
}

// Rank 1 of three makes the mistake, under a seed and without.
TEST(EndDeathTest, InTheNameOfTheRank) {
  const ExitedWithCode refused(1);
  const KilledBySignal faults(SIGSEGV);
  const struct {
    WordsBody body;
    std::function<bool(int)> status;
    std::string words;
  } ends[] = {
      {[](auto) { rma::fatal("as told"); }, refused, "as told"},
      {[](auto) {
         volatile uintptr_t zero = 0;
         *reinterpret_cast<volatile int*>(zero) = 1;
       },
       faults, "Segmentation fault at address .*"},
      {[](auto) { std::abort(); }, KilledBySignal(SIGABRT), "Aborted"},
      {[](auto) { write_below_the_region(1); }, faults,
       kLayout.region_overflow},
      {[](auto) { write_below_the_region(1 << 20); }, faults,
       kLayout.region_overflow},
      {[](auto) {
         for (;;) rma::allocate<Word>(1000);
       },
       refused,
       "the symmetric heap is full: 8000 bytes asked for, 576 of 2097152 left"},
      // Contracts.
      {[](RemotePtr<Word> words) { rma::put_word(words.at(2) + 1, 1); },
       refused,
       "barrier with an unflushed put of 8 bytes at heap\\+0x8 of rank 2.*"},
      {[](RemotePtr<Word> words) { rma::get_word(words.at(3)); }, refused,
       ".*rank 3.*"},
  };
  for (const auto& end : ends) {
    const auto by_1 = [&](RemotePtr<Word> words) {
      if (rma::rank() == 1) end.body(words);
      rma::barrier();
    };
    const std::string words = "^magpie: rank 1: " + end.words;
    EXPECT_EXIT(run(on(3, kNet), by_1), end.status,
                ContainsRegex(words + "\n$"));
    EXPECT_EXIT(run(exploring(3, kNet, 12, MemoryModel::kTso), by_1),
                end.status, ContainsRegex(words));
  }
  EXPECT_EXIT(run(exploring(1, kNet, 12, MemoryModel::kSc), ends[0].body),
              refused, "^magpie: rank 0: as told \\(seed 12\\)\n$");
}

TEST(End, TheHeapIsUsedToTheLastByte) {
  simulate(on(2, kNet), [] {
    auto* bytes = rma::allocate<std::byte>(kLayout.heap_bytes).local();
    EXPECT_EQ(bytes[kLayout.heap_bytes - 1], std::byte{0});
  });
}

// Rank 1 comes first. They differ in kind, in size, in root, in operation.
TEST(EndDeathTest, CollectivesThatDoNotMatch) {
  uint64_t data[2] = {};
  const std::pair<const char*, std::function<void()>> kinds[] = {
      {"barrier", [] { rma::barrier(); }},
      {"broadcast", [&] { rma::broadcast(data, 16, 0); }},
      {"broadcast", [&] { rma::broadcast(data, 16, 1); }},
      {"broadcast", [&] { rma::broadcast(data, 8, 1); }},
      {"reduction", [&] { rma::reduce(data, 2, rma::Reduction::kSum); }},
      {"reduction", [&] { rma::reduce(data, 2, rma::Reduction::kMin); }},
      {"reduction", [&] { rma::reduce(data, 1, rma::Reduction::kMin); }},
  };
  for (size_t i = 0; i < std::size(kinds); ++i) {
    const auto& first = kinds[i];
    const auto& other = kinds[(i + 1) % std::size(kinds)];
    EXPECT_EXIT(run(on(3, kNet),
                    [&](auto) {
                      if (rma::rank() == 1) return first.second();
                      rma::idle(100);
                      other.second();
                    }),
                ExitedWithCode(1),
                absl::StrCat("^magpie: rank [02]: a ", other.first,
                             ", where ranks before it are in another ",
                             first.first, "\n$"));
  }
}

}  // namespace
}  // namespace magpie::sim_test
