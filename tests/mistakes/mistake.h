// Mistakes that users make, as small programs, and how these must end; and the
// command line of programs that make them.

#ifndef MAGPIE_TESTS_MISTAKES_MISTAKE_H_
#define MAGPIE_TESTS_MISTAKES_MISTAKE_H_

#include <initializer_list>
#include <span>
#include <string>

namespace magpie::mistakes {

struct CommandLine {
  int argc;
  char** argv;
};

enum class End {
  // Status 0, and nothing on standard error: no mistake.
  kWell,
  // Status 0, perhaps with words.
  kGoesOn,
  // Status 0, and the words.
  kWarned,
  // Status 1, and the words.
  kTold,
  // Status 2, and one line with the words.
  kRefused,
  // Another status, and the words: by a signal, or the program's own.
  kDies,
};
using enum End;

inline constexpr char kOneRank[] = "--ranks=1";
inline constexpr char kTwoRanks[] = "--ranks=2";
inline constexpr char kOneAndTwo[] = "--ranks=1|--ranks=2";

struct Mistake {
  const char* name;
  int (*make)(CommandLine);
  End end = kWell;
  // The words, as a regular expression; of no account at the first two ends.
  const char* words = "";
  // Flags with which the mistake is made; several of these with | between.
  const char* flags = kTwoRanks;
  // Whether it ends so with this build and network; null: with all of them.
  bool (*where)() = nullptr;
};

// Makes a mistake before a run, or after it; kRun() is one without a mistake.
template <auto kRun, auto kDeed>
int before(CommandLine line) {
  kDeed();
  return kRun(line);
}
template <auto kRun, auto kDeed>
int after(CommandLine line) {
  const int status = kRun(line);
  if (status == 0) kDeed();
  return status;
}

// Whether this is a debug build, which checks more.
#ifdef NDEBUG
inline constexpr bool kDebug = false;
#else
inline constexpr bool kDebug = true;
#endif

// For mistakes_test.py:
//
//   program              lists mistakes: name, flags, how it must end, words;
//                        those that can be made
//   program NAME FLAGS   makes one
int make_or_list(CommandLine line,
                 std::initializer_list<std::span<const Mistake>> mistakes,
                 bool (*can_be_made)(const Mistake&, const std::string& flags));

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_MISTAKE_H_
