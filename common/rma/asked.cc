#include "common/rma/asked.h"

#include <signal.h>
#include <time.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

#include "common/rma/crash.h"
#include "common/rma/outside.h"

namespace magpie::rma::internal {
namespace {

// State of the process, to which signal handlers belong.
std::atomic<RankState*> own = nullptr;
std::atomic<RankState*> asked_for = nullptr;
std::atomic<const std::atomic<int>*> asked_for_count = nullptr;

// States of the ranks that the process answers for.
std::span<RankState> children() {
  const std::atomic<int>* const count = asked_for_count.load();
  if (count == nullptr) return {};
  return {asked_for.load(), static_cast<size_t>(count->load())};
}

// Answers in the signal handler, which interrupts the rank's thread, or another
// one where the process has more.
void answer(RankState& state) {
  Self& rank = self();
  const Doing doing = doing_of(rank);
  const bool watch_knows_more = doing == Doing::kRuns &&
                                state.is_watched.load() &&
                                state.doing.load() <= Doing::kSystemCall;
  if (!watch_knows_more) note(state, rank, doing);
  TaskTally tally;
  if (tally_of(rank, &tally)) note(state, tally);
  const uint32_t asked = state.asked.load();
  if (state.answered.exchange(asked) != asked) return;
  print_text(beginning_of_words());
  print_state("magpie: ", state);
}

bool has_answered(const RankState& state) {
  return state.answered.load() == state.asked.load() ||
         state.process.load() == 0 || state.doing.load() == Doing::kEnded;
}

// Waits until all have answered, a second at most.
void wait_for_answers(std::span<RankState> ranks) {
  constexpr timespec kPause = {.tv_sec = 0, .tv_nsec = 1'000'000};
  for (int i = 0; i < 1000; ++i) {
    bool all = true;
    for (const RankState& state : ranks) all &= has_answered(state);
    if (all) return;
    nanosleep(&kPause, nullptr);
  }
}

void ask_all(std::span<RankState> ranks) {
  bool any = false;
  for (RankState& state : ranks) {
    if (state.doing.load() == Doing::kEnded) continue;
    any = true;
    state.asked.fetch_add(1);
    if (const int process = state.process.load()) kill(process, SIGUSR1);
  }
  if (!any) return;
  wait_for_answers(ranks);
  print_text(beginning_of_words());
  print_text("magpie: asked by SIGUSR1, what the ranks do:\n");
  print_states(ranks);
  for (const RankState& state : ranks) {
    if (has_answered(state)) continue;
    char line[96];
    std::snprintf(line, sizeof(line), "magpie:   rank %d has not answered\n",
                  state.rank.load());
    print_text(line);
  }
}

void on_asked(int) {
  const int error = errno;
  if (const std::span<RankState> ranks = children(); !ranks.empty()) {
    ask_all(ranks);
  } else if (RankState* const state = own.load();
             state != nullptr && !is_outside_run()) {
    answer(*state);
  }
  errno = error;
}

// Sets the handler before main(): an early signal must not end the job.
[[maybe_unused]] const bool answers_from_the_start =
    (take_signal(on_asked), true);

}  // namespace

bool is_answered() {
  struct sigaction is;
  sigaction(SIGUSR1, nullptr, &is);
  return is.sa_handler == on_asked;
}

void answer_signals(RankState& state) { own.store(&state); }

void stop_answering() { own.store(nullptr); }

void answer_for(std::span<RankState> states, const std::atomic<int>* count) {
  asked_for_count.store(nullptr);
  asked_for.store(states.data());
  asked_for_count.store(count);
}

}  // namespace magpie::rma::internal
