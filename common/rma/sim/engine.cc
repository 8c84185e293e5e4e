// The agenda and the switching between ranks. What happens to memory is in
// effects.cc, the running rank's steps are in steps.cc.

#include "common/rma/sim/engine.h"

#include <cxxabi.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"

namespace magpie::rma::sim {
namespace {

Time plus(Time a, Time b) { return a > kNever - b ? kNever : a + b; }

// The C++ runtime's per-thread list of exceptions being handled (Itanium C++
// ABI 2.2.2) is a pointer and a count.
void save_exceptions(Rank& rank) {
  std::memcpy(&rank.exceptions, abi::__cxa_get_globals(),
              sizeof(rank.exceptions));
}
void restore_exceptions(const Rank& rank) {
  std::memcpy(static_cast<void*>(abi::__cxa_get_globals()), &rank.exceptions,
              sizeof(rank.exceptions));
}

std::FILE* open_log(const std::string& name) {
  if (name.empty()) return nullptr;
  if (name == "-") return stderr;
  std::FILE* const file = std::fopen(name.c_str(), "w");
  if (file == nullptr)
    flags::die(absl::StrCat("--log=", name, ": ", std::strerror(errno)));
  std::setvbuf(file, nullptr, _IOLBF, BUFSIZ);  // whole, however the run ends
  return file;
}

}  // namespace

Engine::Engine(const Options& options, const SegmentLayout& layout,
               int (*rank_main)(void*), void* arg)
    : options_(options),
      rank_main_(rank_main),
      arg_(arg),
      memory_(options.ranks, layout, options.stack_bytes),
      ranks_(static_cast<size_t>(options.ranks)),
      log_(open_log(options.log), memory_.region_bytes()),
      shortest_way_(options.net.shortest_way(options.ranks)),
      living_(options.ranks) {
  patience_ =
      options.patience > 0 ? options.patience : default_patience(options.ranks);
  if (options.explore)
    chance_.emplace(options.seed, options.net.between_nodes.latency);
  for (int r = 0; r < options.ranks; ++r) {
    Self& self = rank(r).self;
    self.rank = r;
    self.size = options.ranks;
    self.region = memory_.region();
    self.region_bytes = memory_.region_bytes();
    self.heap_origin = memory_.heap_origin(r);
  }
  backend::current = &rank(0).self;
}

Engine::~Engine() { backend::current = nullptr; }

int Engine::run() {
  for (Rank& rank : ranks_) schedule_resume(rank, 0);
  while (living_ > 0) {
    if (agenda_.empty()) stuck("deadlock: nothing is left to happen");
    const Event event = agenda_.pop();
    if (event.kind == EventKind::kResume) {
      resume_from_engine(rank(static_cast<int>(event.index)), event.time);
    } else {
      happen(event);
    }
  }
  for (const Rank& rank : ranks_) {
    if (rank.result != 0) return rank.result;
  }
  return 0;
}

// ---------------------------------------------------------------- the agenda

void Engine::schedule(Time time, EventKind kind, uint32_t index) {
  ++order_;
  const uint64_t order =
      chance_ ? chance_->order() << 32 | (order_ & 0xffffffff) : order_;
  agenda_.push({time, order, kind, index});
}

void Engine::schedule_resume(Rank& rank, Time time) {
  schedule(time, EventKind::kResume, static_cast<uint32_t>(rank.self.rank));
}

// ---------------------------------------------------------- switching of ranks

// The rank goes on at `time`. What follows is the switch of stacks.
void Engine::begin(Rank& rank, Time time) {
  now_ = time;
  if (lost_patience(time)) [[unlikely]]
    livelock();
  rank.clock = time;
  rank.doing = Doing::kRunning;
  running_ = &rank;
  backend::current = &rank.self;
  log_.resumed(time, rank.self.rank);
  find_horizon();
}

bool Engine::lost_patience(Time time) const {
  return time > plus(last_work_, patience_);
}

void Engine::livelock() {
  stuck("livelock: all wait and poll, and no task has done anything");
}

void Engine::find_horizon() {
  horizon_ =
      agenda_.empty() ? kNever : plus(agenda_.first().time, shortest_way_);
  horizon_ = std::min(horizon_, running_->arrivals.first());
}

void Engine::sync(Doing doing) {
  Rank& me = *running_;
  if (me.clock <= horizon_) [[likely]]
    return;
  while (!agenda_.empty() && agenda_.first().time < me.clock) {
    if (agenda_.first().kind == EventKind::kResume) {
      schedule_resume(me, me.clock);
      suspend(doing);
      return;
    }
    happen(agenda_.pop());
  }
  find_horizon();
}

// Lets everything happen that comes before the running rank's kResume. As long
// as no other rank is to run, that needs no switch.
void Engine::suspend(Doing doing) {
  Rank& me = *running_;
  me.doing = doing;
  me.context =
      static_cast<context::Context*>(__builtin_frame_address(0));  // or so
  while (!agenda_.empty()) {
    const Event first = agenda_.first();
    if (first.kind == EventKind::kOp) {
      happen(agenda_.pop());
    } else if (first.index == static_cast<uint32_t>(me.self.rank)) {
      agenda_.pop();
      return begin(me, first.time);
    } else {
      break;
    }
  }
  switch_from(me);
}

// Leaves for the next rank, directly where memory is as that rank needs it.
void Engine::switch_from(Rank& me) {
  ++switches_;
  memory_.check_stack(me);
  save_exceptions(me);
  context::Context* to = engine_;
  if (!agenda_.empty()) {
    const Event first = agenda_.first();
    Rank& next = rank(static_cast<int>(first.index));
    if (next.context != nullptr && memory_.in_place(next)) {
      agenda_.pop();
      restore_exceptions(next);
      begin(next, first.time);
      to = next.context;
    }
  }
  context::switch_to(&me.context, to);
}

void Engine::resume_from_engine(Rank& rank, Time time) {
  memory_.swap_in(rank);
  restore_exceptions(rank);
  begin(rank, time);
  if (rank.context != nullptr) {
    context::switch_to(&engine_, rank.context);
  } else {
    void (*const begins)(context::Context*, Engine*) = &Engine::rank_begins;
    context::save_and_call(begins, this);
  }
}

void Engine::rank_begins(context::Context* engine, Engine* self) {
  self->engine_ = engine;
  context::start_on_stack(self->memory_.stack_end(self->running_->self.rank),
                        &Engine::rank_body, self);
}

void Engine::rank_body(void* engine) {
  Engine& self = *static_cast<Engine*>(engine);
  const int result = self.rank_main_(self.arg_);
  Rank& me = *self.running_;
  self.drain_stores();
  me.result = result;
  me.doing = Doing::kEnded;
  self.last_work_ = std::max(self.last_work_, me.clock);
  self.memory_.leave_region(me);
  self.running_ = nullptr;
  --self.living_;
  context::resume(self.engine_);
}

}  // namespace magpie::rma::sim
