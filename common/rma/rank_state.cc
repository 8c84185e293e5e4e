#include "common/rma/rank_state.h"

#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "common/rma/pulse.h"

namespace magpie::rma::internal {
namespace {

// Up to kMostLines ranks have a line each; if there are more, kMostOfAState in
// each state have.
constexpr size_t kMostLines = 16, kMostOfAState = 3;

constexpr std::array<const char*, kDoings> kWords = {
    "has not begun",
    "runs",
    "polls, in idle()",
    "rests, in rest()",
    "sleeps until another thread wakes it, as at a lock",
    "is in a system call",
    "searches for work",
    "waits in a collective",
    "has ended"};

const char* words_of(Doing doing) { return kWords[static_cast<size_t>(doing)]; }

const char* place_of(Doing doing, bool in_tasks) {
  if (doing < Doing::kRuns || doing > Doing::kSystemCall) return "";
  return in_tasks ? ", in tasks" : ", outside tasks";
}

// A line of text that allocates no memory.
class Line {
 public:
  [[gnu::format(printf, 2, 3)]] void add(const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int n = std::vsnprintf(text_.data() + length_, text_.size() - length_,
                                 format, arguments);
    va_end(arguments);
    if (n > 0) length_ += static_cast<size_t>(n);
    length_ = length_ < text_.size() ? length_ : text_.size() - 1;
  }
  void add_seconds(uint64_t ns) {
    const auto tenths = static_cast<unsigned long>(ns / 100'000'000);
    add("%lu.%lu s", tenths / 10, tenths % 10);
  }
  // Prints the line at once, so that lines of several processes do not mix.
  void print() {
    add("\n");
    print_text(text_.data());
  }

 private:
  std::array<char, 512> text_;
  size_t length_ = 0;
};

uint64_t time_since(uint64_t time) {
  const uint64_t is = now();
  return is > time ? is - time : 0;
}

void add_tally(Line& line, const RankState& state) {
  const auto number = [](const std::atomic<uint64_t>& n) {
    return static_cast<unsigned long>(n.load());
  };
  line.add("; tasks spawned: %lu, ended: %lu, steals: %lu",
           number(state.spawned), number(state.ended), number(state.stolen));
  if (!state.is_watched.load()) return;
  line.add(", the last of these ");
  line.add_seconds(time_since(state.tally_since.load()));
  line.add(" ago");
}

void set(std::atomic<uint64_t>& to, uint64_t value) {
  to.store(value, std::memory_order_relaxed);
}

}  // namespace

void begin(RankState& state, const Self& self) {
  state.rank.store(self.rank);
  state.process.store(getpid());
  state.is_watched.store(false);
  state.is_tallied.store(false);
  state.answered.store(state.asked.load());
  set(state.quiet_ns, 0);
  note(state, self, Doing::kRuns);
}

Doing doing_of(const Self& self) {
  switch (Pulse::told(self.pulse.at)) {
    case Pulse::kSearch:
      return Doing::kSearches;
    case Pulse::kCollective:
      return Doing::kCollective;
    case Pulse::kRest:
      return Doing::kRests;
    default:
      return Doing::kRuns;
  }
}

bool tally_of(Self& self, TaskTally* tally) {
  Pulse& pulse = self.pulse;
  if (!pulse.try_lock_tally()) return false;
  const bool there_is_one = pulse.tally != nullptr;
  if (there_is_one) *tally = pulse.tally(pulse.runtime);
  pulse.unlock_tally();
  return there_is_one;
}

void note(RankState& state, const Self& self, Doing doing) {
  state.doing.store(doing);
  state.in_tasks.store(self.runs_tasks);
  const bool is_timed =
      doing == Doing::kSearches || doing == Doing::kCollective;
  set(state.since, is_timed ? Pulse::told(self.pulse.since) : 0);
}

void note(RankState& state, const TaskTally& tally) {
  set(state.spawned, tally.spawned);
  set(state.ended, tally.ended);
  set(state.stolen, tally.stolen);
  state.is_tallied.store(true);
}

void print_text(const char* text) {
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) {
    // Nobody listens.
  }
}

void print_state(const char* begin, const RankState& state) {
  const Doing doing = state.doing.load();
  Line line;
  line.add("%srank %d %s%s", begin, state.rank.load(), words_of(doing),
           place_of(doing, state.in_tasks.load()));
  const uint64_t since = state.since.load();
  if (since > 0) {
    line.add(", since ");
    line.add_seconds(time_since(since));
  }
  if (state.is_tallied.load()) add_tally(line, state);
  line.print();
}

void print_states(std::span<const RankState> states) {
  std::array<size_t, kDoings> seen = {};
  for (const RankState& state : states) {
    const size_t ones = ++seen[static_cast<size_t>(state.doing.load())];
    if (states.size() <= kMostLines || ones <= kMostOfAState)
      print_state("magpie:   ", state);
  }
  if (states.size() <= kMostLines) return;
  for (size_t i = 0; i < kDoings; ++i) {
    if (seen[i] <= kMostOfAState) continue;
    Line line;
    line.add("magpie:   and %zu more: %s", seen[i] - kMostOfAState, kWords[i]);
    line.print();
  }
}

}  // namespace magpie::rma::internal
