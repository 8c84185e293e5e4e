// Mistakes that users make, as small programs, and how these must end; and the
// command line of programs that make them.
//
//   MISTAKE(in_task, discarded_twice, kTold, "a future is .* twice$") {
//     const auto a = spawn([] { return 5; });
//     a.discard();
//     a.discard();
//   }

#ifndef MAGPIE_TESTS_MISTAKES_MISTAKE_H_
#define MAGPIE_TESTS_MISTAKES_MISTAKE_H_

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"

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

inline const std::string kOneRank = "--ranks=1";
inline const std::string kTwoRanks = "--ranks=2";
inline const std::string kOneAndTwo = "--ranks=1|--ranks=2";
// A simulation's patience counts virtual time.
inline const std::string kPatience =
    rma::is_simulated() ? " --patience=0.002" : " --patience=0.4";

// The stack of the process, or the simulated network's.
inline const std::string kProcessStack =
    "rank \\d: (the stack of the process is exhausted: .* \\(ulimit -s\\)|its "
    "stack outside the region is exhausted; raise --rank_stack_bytes)$";

struct Mistake {
  std::string name;
  int (*make)(CommandLine);
  End end = kWell;
  // The words, as a regular expression; of no account at the first two ends.
  std::string words = {};
  // Flags with which the mistake is made; several of these with | between.
  std::string flags = kTwoRanks;
  // Whether it ends so with this build and network; null: with all of them.
  bool (*where)() = nullptr;
};

// All mistakes of the program.
std::vector<Mistake>& mistakes();

struct Listed {
  explicit Listed(const Mistake& mistake) { mistakes().push_back(mistake); }
};

// Defines the function NAME_made, by which `made` makes the mistake NAME, and
// lists that. The members of Mistake from `end` on follow the name.
#define MAGPIE_MISTAKE(result, parameters, made, name, ...)             \
  result name##_made parameters;                                        \
  const Listed name##_listed({#name, made __VA_OPT__(, ) __VA_ARGS__}); \
  result name##_made parameters

// A mistake in one of the parts of a program that fork_join.h and pool.h name.
#define MISTAKE(made_in, name, ...)              \
  MAGPIE_MISTAKE(void, (), made_in<name##_made>, \
                 name __VA_OPT__(, ) __VA_ARGS__)
// A whole program, which returns its exit status.
#define PROGRAM(name, ...)                                              \
  MAGPIE_MISTAKE(int, ([[maybe_unused]] CommandLine line), name##_made, \
                 name __VA_OPT__(, ) __VA_ARGS__)
// A mistake that a function makes which is defined elsewhere.
#define LISTED(made, name, ...) \
  const Listed name##_listed({#name, made __VA_OPT__(, ) __VA_ARGS__})

// A root that prepares what kDeed does, and nothing else.
template <auto kDeed>
struct InPrepare {
  void prepare() { kDeed(); }
  void operator()() const {}
};

// A mistake that is made after a run.
template <auto kRun, auto kDeed>
int after(CommandLine line) {
  const int status = kRun(line);
  if (status == 0) kDeed();
  return status;
}

// Values of flags that are refused when `made` is run, each with the words that
// say what is allowed; a row of the table is named by what is refused. Returns
// true.
struct Refusal {
  const char *flag, *value, *allowed;
};
bool list_refusals(int (*made)(CommandLine),
                   const std::vector<Refusal>& refusals);

// Makes the compiler believe that the object is read and written.
template <typename T>
void seen(T& object) {
  asm volatile("" ::"r"(&object) : "memory");
}

// Leaves addresses of this process below the caller's stack, where later frames
// have their padding.
inline void leave_addresses() {
  long local;
  std::array<long*, 16> addresses;
  addresses.fill(&local);
  seen(addresses);
}

// The parts of a program, by the functions of a facade: a root of a type, or
// one that does kDeed; tasks that do it one after the other; one task of a run
// with a result; prepare(); what is after a run.
#define MAGPIE_PARTS(facade)                                   \
  namespace facade {                                           \
  template <typename Root>                                     \
  int run_root(CommandLine line) {                             \
    return start(line, Root{});                                \
  }                                                            \
  template <auto kDeed>                                        \
  int in_root(CommandLine line) {                              \
    return start(line, [] { kDeed(); });                       \
  }                                                            \
  template <auto kDeed>                                        \
  int in_tasks(CommandLine line) {                             \
    return start(line, [] {                                    \
      for (int i = 0; i < 10; ++i) make_task([] { kDeed(); }); \
    });                                                        \
  }                                                            \
  template <auto kDeed>                                        \
  int in_run_with_result(CommandLine line) {                   \
    uint64_t result = 0;                                       \
    return run_to(line, &result, [] { kDeed(); });             \
  }                                                            \
  template <auto kDeed>                                        \
  constexpr auto in_prepare = run_root<InPrepare<kDeed>>;      \
  template <auto kDeed>                                        \
  constexpr auto after_run = after<in_root<[] {}>, kDeed>;     \
  inline void makes_a_task() {                                 \
    make_task([] {});                                          \
  }                                                            \
  }

// Whether this is a debug build, which checks more.
#ifdef NDEBUG
inline constexpr bool kDebug = false;
#else
inline constexpr bool kDebug = true;
#endif

// For mistakes_test.py:
//
//   program              lists mistakes: name, flags, how it must end, words
//   program NAME FLAGS   makes one
//
// Lists those whose flags the linked program has, or, where the mistake is to
// give an unknown flag, has not; and on two ranks unless it takes one.
int make_or_list(CommandLine line, const std::string& flags_help = "",
                 bool takes_one_rank = false);

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_MISTAKE_H_
