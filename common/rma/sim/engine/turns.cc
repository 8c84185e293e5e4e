#include "common/rma/sim/engine/turns.h"

#include <cxxabi.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace magpie::rma::sim {
namespace {

constexpr char kLivelock[] =
    "livelock: all wait and poll, and no task has done anything";

// Whether SIGUSR1 has come. The process's, as signal handlers are.
[[gnu::section("magpie_own")]] volatile sig_atomic_t was_asked = 0;
// Sets the handler before main(): an early signal must not end the job.
[[maybe_unused]] const bool hears_from_the_start =
    (internal::take_signal([](int) { was_asked = 1; }), true);

Time plus(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

// The C++ runtime's per-thread list of exceptions being handled (Itanium C++
// ABI 2.2.2) is a pointer and a count.
Exceptions& exceptions() {
  return *reinterpret_cast<Exceptions*>(abi::__cxa_get_globals());
}

}  // namespace

Turns::Turns(World* world, Transport* transport, const Collective* collective,
             std::function<int()> rank_main)
    : world_(*world),
      transport_(*transport),
      collective_(*collective),
      rank_main_(std::move(rank_main)),
      shortest_way_(world->options.net.shortest_way(world->options.ranks)),
      patience_(world->options.patience > 0
                    ? static_cast<Time>(world->options.patience *
                                        static_cast<double>(kSecond))
                    : default_patience(world->options.ranks)),
      living_(world->options.ranks),
      progress_(world->options.progress) {}

void Turns::happen(const Event& event) {
  if (event.kind == EventKind::kRest) {
    Rank& rank = rank_of(event);
    if (rank.rest_order == event.order) schedule_rest(rank, event.time);
    return;
  }
  now_ = event.time;
  if (event.kind == EventKind::kOp) {
    transport_.happen(event.index, now_);
  } else {
    world_.let_out(rank_of(event), event.order, now_);
  }
}

// Makes the rank the running one, at `time`. The switch of stacks follows.
void Turns::begin(Rank& rank, Time time) {
  now_ = time;
  if (lost_patience(time)) [[unlikely]]
    end_job(kLivelock);
  rank.clock = time;
  rank.doing = Doing::kRunning;
  running_ = &rank;
  backend::current = &rank.self;
  world_.log.resumed(time, rank.self.rank);
  find_horizon();
}

bool Turns::lost_patience(Time time) const {
  return time > plus(last_work_, patience_);
}

// As begin() does at each turn, of which a rank that runs alone has one.
void Turns::check_patience(Doing doing) {
  if (!lost_patience(running_->clock)) [[likely]]
    return;
  running_->doing = doing;
  now_ = running_->clock;
  end_job(kLivelock);
}

void Turns::find_horizon() {
  const Agenda& agenda = world_.agenda;
  horizon_ = agenda.empty() ? kNever : plus(agenda.first().time, shortest_way_);
  horizon_ = std::min(horizon_, running_->arrivals.first());
}

void Turns::catch_up(Doing doing) {
  Rank& me = *running_;
  Agenda& agenda = world_.agenda;
  while (!agenda.empty() && agenda.first().time < me.clock) {
    if (is_turn(agenda.first())) {
      agenda.resume(me.self.rank, me.clock);
      suspend(doing);
      return;
    }
    happen(next_event());
  }
  find_horizon();
}

// Lets everything happen that comes before the running rank's kResume. As long
// as no other rank is to run, that needs no switch.
void Turns::suspend(Doing doing) {
  Rank& me = *running_;
  Agenda& agenda = world_.agenda;
  me.doing = doing;
  // What of its region lies above here is in use (Memory::lowest_in_use).
  me.context = static_cast<context::Context*>(__builtin_frame_address(0));
  while (!agenda.empty()) {
    const Event first = agenda.first();
    if (!is_turn(first)) {
      happen(next_event());
    } else if (&rank_of(first) == &me) {
      next_event();
      return begin(me, first.time);
    } else {
      break;
    }
  }
  switch_away();
}

// Brings what soon has its turn into the processor's caches. With 100,000 ranks
// nothing of a rank is cached when its turn comes: it would wait for a dozen
// lines of memory, and for walks through page tables before that, one after the
// other. So whenever a day of the agenda begins, tomorrow's events are looked
// at, all at once, so that their waits overlap. With few ranks there is no
// tomorrow. Only the speed depends on it.
[[gnu::noinline]] void Turns::look_ahead() {
  const Agenda& agenda = world_.agenda;
  date_ = agenda.date();
  // Pages lie far from others, as do their page table entries.
  for (const Event& event : agenda.after(1)) {
    if (event.kind == EventKind::kOp) {
      transport_.touch_target(event.index);
    } else {
      world_.memory.touch(rank_of(event));
    }
  }
  for (const Event& event : agenda.after(1)) {
    if (event.kind == EventKind::kOp) continue;
    const Rank& rank = rank_of(event);
    fetch(reinterpret_cast<const std::byte*>(&rank) + kFirstLines,
          sizeof(Rank) - kFirstLines);
    world_.memory.fetch_lines(rank);
  }
  for (const Event& event : agenda.after(2)) {
    if (event.kind == EventKind::kOp) {
      transport_.fetch_op(event.index);
    } else {
      fetch(&rank_of(event), kFirstLines);
    }
  }
}

// ----------------------------------------------------------------------- rests

void Turns::rest(Time until) {
  Rank& me = *running_;
  if (me.wakes == me.wakes_seen) {
    if (until > horizon_) {
      me.rest_until = until;
      schedule_rest(me, me.clock);
      suspend(Doing::kRest);
      me.rest_order = 0;
    } else {
      me.clock = until;
    }
  }
  me.wakes_seen = me.wakes;
}

bool Turns::ends_rest(const Event& event) const {
  if (event.kind != EventKind::kRest) return false;
  const Rank& rank = rank_of(event);
  return rank.rest_order == event.order && rank.rest_until == event.time;
}

// Schedules the rank's next kRest. A long rest has several, each twice as far
// from its beginning as the one before: so a rest that is ended soon by a wake
// leaves no kRest that stays for long, and the agenda does not grow with wakes.
void Turns::schedule_rest(Rank& rank, Time now) {
  const Time next = std::max(kMillisecond, now - rank.clock);
  rank.rest_order = world_.agenda.schedule(
      std::min(rank.rest_until, plus(now, next)), EventKind::kRest,
      static_cast<uint32_t>(rank.self.rank));
}

// ---------------------------------------------------------------------- fibers

void Turns::run() {
  const Exceptions callers = exceptions();
  for (const Rank& rank : world_.ranks) world_.agenda.resume(rank.self.rank, 0);
  while (living_ > 0) {
    if (world_.agenda.empty()) end_job("deadlock: nothing is left to happen");
    const Event event = next_event();
    if (is_turn(event)) {
      Rank& rank = rank_of(event);
      world_.memory.swap_in(rank);
      exceptions() = rank.exceptions;
      begin(rank, event.time);
      resume(rank);
      if (until_look_ == 0) [[unlikely]]
        look_at_clock();
    } else {
      happen(event);
    }
  }
  exceptions() = callers;
  if (was_asked != 0) look_at_clock();
  progress_.erase();
}

void Turns::resume(Rank& rank) {
  if (rank.context != nullptr) {
    context::switch_to(&main_, rank.context);
  } else {
    context::save_and_call([this, &rank](context::Context* main) {
      main_ = main;
      context::start_on_stack(world_.memory.stack_end(rank.self.rank),
                              &Turns::run_rank, this);
    });
  }
}

void Turns::run_rank(void* self) {
  Turns& turns = *static_cast<Turns*>(self);
  const int result = turns.rank_main_();
  Rank& me = *turns.running_;
  turns.world_.let_all_out(me, turns.now_);
  me.context = static_cast<context::Context*>(__builtin_frame_address(0));
  turns.world_.memory.check_stack(me);
  turns.world_.memory.look_at_canary(me);
  me.result = result;
  me.doing = Doing::kEnded;
  turns.transport_.attend(me, me.clock);
  turns.worked(me.clock);
  turns.world_.memory.leave_region(me);
  turns.running_ = nullptr;
  --turns.living_;
  context::resume(turns.main_);
}

// Switches to the next rank: directly where memory is as that rank needs it.
void Turns::switch_away() {
  Rank& me = *running_;
  world_.memory.check_stack(me);
  context::Context* next = main_;
  me.exceptions = exceptions();
  if (--until_look_ > 0 && !world_.agenda.empty()) {
    const Event first = world_.agenda.first();
    Rank& rank = rank_of(first);
    if (rank.context != nullptr && world_.memory.in_place(rank)) {
      next_event();
      begin(rank, first.time);
      exceptions() = rank.exceptions;
      next = rank.context;
    }
  }
  context::switch_to(&me.context, next);
}

// Called on the main fiber.
void Turns::look_at_clock() {
  counted_ += kSwitches - until_look_;
  until_look_ = kSwitches;
  if (was_asked != 0) {
    was_asked = 0;
    progress_.erase();
    std::fprintf(stderr,
                 "magpie: asked by SIGUSR1, what the ranks do, at %s:\n",
                 describe(now_).c_str());
    print_states();
  }
  const bool logs_there = world_.options.log == "-";
  if (logs_there || !progress_.is_due()) return;
  const auto computes = [](const Rank& rank) {
    return rank.doing == Doing::kRunning || rank.doing == Doing::kRunnable;
  };
  const auto busy = std::ranges::count_if(world_.ranks, computes);
  const double seconds = progress_.seconds();
  const double rate =
      static_cast<double>(transport_.sent() - shown_operations_) /
      (seconds - shown_seconds_);
  progress_.show(absl::StrFormat(
      "%s simulated in %.0f s, %.2f million operations/s, %d of %d ranks busy",
      describe(now_), seconds, rate * 1e-6, busy, world_.ranks.size()));
  shown_operations_ = transport_.sent();
  shown_seconds_ = seconds;
}

// ----------------------------------------------- when nothing goes on any more

std::string Turns::state_of(const Rank& rank) const {
  switch (rank.doing) {
    case Doing::kNotStarted:
      return "has not started";
    case Doing::kRunning:
      return "runs";
    case Doing::kRunnable:
      return "could go on";
    case Doing::kIdle:
    case Doing::kRest: {
      const std::string words = absl::StrCat(
          "polls, in ", rank.doing == Doing::kIdle ? "idle()" : "rest()");
      if (rank.unflushed.empty()) return words;
      return absl::StrCat(words, ", with an unflushed ",
                          world_.log.describe(rank.unflushed.oldest()));
    }
    case Doing::kOperation:
      return absl::StrCat("waits for a ", world_.log.describe(*rank.operation));
    case Doing::kFlush: {
      const int target = rank.unflushed.target();
      return absl::StrCat(
          "waits in a flush for ", rank.unflushed.awaited(), " operations to ",
          target == kAllRanks ? "all ranks" : absl::StrCat("rank ", target));
    }
    case Doing::kCollective:
      return absl::StrCat("waits in a ", Collective::name(collective_.call()),
                          ", where ", collective_.entered(), " of ",
                          world_.ranks.size(), " ranks are");
    case Doing::kEnded:
      return "has ended";
  }
  return "";
}

// Prints each state with its ranks: of many ranks, the first few.
void Turns::print_states() const {
  const size_t most = world_.ranks.size() > 64 ? 8 : 64;
  std::map<Doing, std::vector<int>> seen;
  for (const Rank& rank : world_.ranks) {
    std::vector<int>& alike = seen[rank.doing];
    alike.push_back(rank.self.rank);
    if (alike.size() > most) continue;
    const bool in_region = world_.memory.in_region(rank.context);
    std::fprintf(stderr, "magpie:   rank %d at %s %s%s\n", rank.self.rank,
                 describe(rank.clock).c_str(), state_of(rank).c_str(),
                 rank.doing == Doing::kEnded ? ""
                 : in_region                 ? ", in a task"
                                             : ", outside tasks");
  }
  for (const auto& [doing, alike] : seen) {
    if (alike.size() <= most) continue;
    std::fprintf(stderr, "magpie:   and %zu more, as rank %d, which %s\n",
                 alike.size() - most, alike.back(),
                 state_of(world_.rank(alike.back())).c_str());
  }
  std::fflush(stderr);
}

void Turns::end_job(const char* what) {
  progress_.erase();
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: %s, at %s; %d of %zu ranks have not ended%s\n",
               what, describe(now_).c_str(), living_, world_.ranks.size(),
               world_.hint().c_str());
  print_states();
  _exit(1);
}

}  // namespace magpie::rma::sim
