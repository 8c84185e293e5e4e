#include "common/rma/sim/engine/turns.h"

#include <utility>

namespace magpie::rma::sim {
namespace {

constexpr char kDeadlock[] = "deadlock: nothing is left to happen";
constexpr char kLivelock[] =
    "livelock: all wait and poll, and no task has done anything";

Time plus(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

}  // namespace

Turns::Turns(const Parts& parts, Time shortest_way, Time patience,
             std::function<int()> rank_main)
    : parts_(parts),
      shortest_way_(shortest_way),
      patience_(patience),
      rank_main_(std::move(rank_main)),
      fibers_(&parts.memory, [this] { run_rank(); }),
      living_(static_cast<int>(parts.ranks.size())) {}

void Turns::run() {
  for (const Rank& rank : parts_.ranks) parts_.agenda.resume(rank.self.rank, 0);
  while (living_ > 0) {
    if (parts_.agenda.empty()) parts_.diagnosis.end_job(kDeadlock, now_);
    const Event event = parts_.agenda.pop();
    if (event.kind == EventKind::kResume) {
      Rank& rank = rank_of(event);
      fibers_.prepare(rank);
      begin(rank, event.time);
      fibers_.resume(rank);
    } else {
      happen(event);
    }
  }
}

void Turns::run_rank() {
  const int result = rank_main_();
  Rank& me = *running_;
  parts_.words.let_all_out(me, now_);
  me.result = result;
  me.doing = Doing::kEnded;
  worked(me.clock);
  parts_.memory.leave_region(me);
  running_ = nullptr;
  --living_;
}

void Turns::happen(const Event& event) {
  now_ = event.time;
  if (event.kind == EventKind::kOp) {
    parts_.transport.happen(event.index, now_);
  } else {
    parts_.words.let_out(rank_of(event), event.order, now_);
  }
}

// The rank goes on at `time`. What follows is the switch of stacks.
void Turns::begin(Rank& rank, Time time) {
  now_ = time;
  if (lost_patience(time)) [[unlikely]]
    parts_.diagnosis.end_job(kLivelock, now_);
  rank.clock = time;
  rank.doing = Doing::kRunning;
  running_ = &rank;
  backend::current = &rank.self;
  parts_.log.resumed(time, rank.self.rank);
  find_horizon();
}

bool Turns::lost_patience(Time time) const {
  return time > plus(last_work_, patience_);
}

// For who is alone: nobody else has a turn, in which this would show.
void Turns::check_patience() {
  if (!lost_patience(running_->clock)) [[likely]]
    return;
  running_->doing = Doing::kIdle;
  now_ = running_->clock;
  parts_.diagnosis.end_job(kLivelock, now_);
}

void Turns::find_horizon() {
  const Agenda& agenda = parts_.agenda;
  horizon_ = agenda.empty() ? kNever : plus(agenda.first().time, shortest_way_);
  horizon_ = std::min(horizon_, running_->arrivals.first());
}

void Turns::catch_up(Doing doing) {
  Rank& me = *running_;
  Agenda& agenda = parts_.agenda;
  while (!agenda.empty() && agenda.first().time < me.clock) {
    if (agenda.first().kind == EventKind::kResume) {
      agenda.resume(me.self.rank, me.clock);
      suspend(doing);
      return;
    }
    happen(agenda.pop());
  }
  find_horizon();
}

// Lets everything happen that comes before the running rank's kResume. As long
// as no other rank is to run, that needs no switch.
void Turns::suspend(Doing doing) {
  Rank& me = *running_;
  Agenda& agenda = parts_.agenda;
  me.doing = doing;
  // Or so; what matters is what lies above.
  me.context = static_cast<context::Context*>(__builtin_frame_address(0));
  while (!agenda.empty()) {
    const Event first = agenda.first();
    if (first.kind != EventKind::kResume) {
      happen(agenda.pop());
    } else if (&rank_of(first) == &me) {
      agenda.pop();
      return begin(me, first.time);
    } else {
      break;
    }
  }
  switch_away();
}

// Leaves for the next rank, directly where memory is as that rank needs it.
void Turns::switch_away() {
  Rank& me = *running_;
  Rank* next = nullptr;
  ++switches_;
  parts_.memory.check_stack(me);
  if (!parts_.agenda.empty()) {
    const Event first = parts_.agenda.first();
    Rank& rank = rank_of(first);
    if (fibers_.can_switch_to(rank)) {
      parts_.agenda.pop();
      begin(rank, first.time);
      next = &rank;
    }
  }
  fibers_.switch_from(me, next);
}

}  // namespace magpie::rma::sim
