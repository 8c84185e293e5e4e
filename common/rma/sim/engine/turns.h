// Whose turn it is: ranks as fibers with clocks of their own, and the agenda of
// what reaches them when.
//
// A rank runs until it has to wait, or until its clock passes its *horizon*:
// the first effect on its own segment that is on its way, or the time before
// which no other rank can reach it, which is the first event on the agenda plus
// the shortest way. Up to there nobody can do anything that it would notice, so
// it runs ahead of others, and a switch of fibers is paid once for many steps.
// Then the agenda is worked off up to the rank's clock.
//
// A rank runs on a stack of its own until it switches to another rank; or to
// the main fiber, which called run(), if memory must first be brought to the
// state that the other needs.
//
// Thread safety: one thread. Invariants:
//   1. Events are worked off in the order of (time, order); now() is the time
//      of the last.
//   2. Each rank that has not ended runs, has one kResume on the agenda, or
//      waits for something whose end puts one there; or rests, and has one
//      kRest on the agenda that counts. Of a rest that was ended by a wake the
//      kRest is still there, and stands for nothing.
//   3. All events before the running rank's clock have happened when it looks
//      at a Word of its own or changes one (sync).
//   4. What happens to a rank's segment at time t happens before the rank sees
//      or changes it at a later time, and after what it did at earlier ones.
//   5. A rank's context is where it goes on, except while it runs.
//   6. The region is swapped on the main fiber's stack alone.
//   7. The real clock decides nothing but when a line is shown.
//   8. What the C++ runtime keeps for a thread, it keeps for each rank.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>

#include "common/context/context.h"
#include "common/rma/sim/engine/agenda.h"
#include "common/rma/sim/engine/collective.h"
#include "common/rma/sim/engine/effects.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/machine/time.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma::sim {

class Turns {
 public:
  Turns(World* world, Transport* transport, const Collective* collective,
        std::function<int()> rank_main);

  // Runs all ranks to their ends.
  void run();

  Rank& running() { return *running_; }
  Time now() const { return now_; }
  uint64_t switches() const { return counted_ - until_look_; }

  // ------------------------------------------------------ for the running rank

  // Makes everything before the rank's clock happen.
  void sync(Doing doing) {
    if (running_->clock > horizon_) [[unlikely]]
      catch_up(doing);
  }
  // Waits for a kResume of its own.
  void suspend(Doing doing);
  // Moves the rank's clock to `until`, or to when it is woken.
  void rest(Time until);
  // Says that an operation of the rank reaches a rank at `time`, maybe itself.
  void expect(Time time, bool itself) {
    horizon_ = std::min(horizon_, itself ? time : time + shortest_way_);
  }
  // Says that some rank works until then: a sign of life.
  void worked(Time until) { last_work_ = std::max(last_work_, until); }
  // The rank polls: prints an error and ends the job when no rank has worked
  // for too long.
  void check_patience(Doing doing);
  // Time for which all ranks may poll without work.
  Time patience() const { return patience_; }

 private:
  // Lets the rank go on, or begin. Called on the main fiber; returns when some
  // rank switches back.
  void resume(Rank& rank);
  static void run_rank(void* self);

  void begin(Rank& rank, Time time);
  // Takes the first event off the agenda.
  Event next_event() {
    const Event event = world_.agenda.pop();
    if (world_.agenda.date() != date_) [[unlikely]]
      look_ahead();
    return event;
  }
  void look_ahead();
  bool lost_patience(Time time) const;
  // Whether the event gives a rank its turn.
  bool is_turn(const Event& event) const {
    return event.kind == EventKind::kResume || ends_rest(event);
  }
  bool ends_rest(const Event& event) const;
  void schedule_rest(Rank& rank, Time now);
  void find_horizon();
  void catch_up(Doing doing);
  void switch_away();
  // Answers SIGUSR1, which asks what ranks do, and shows the line.
  void look_at_clock();
  void happen(const Event& event);
  Rank& rank_of(const Event& event) const { return world_.ranks[event.index]; }

  // Ends the job with a message: what has happened, and every rank's state.
  [[noreturn]] void end_job(const char* what);
  void print_states() const;
  std::string state_of(const Rank& rank) const;

  World& world_;
  Transport& transport_;
  const Collective& collective_;
  const std::function<int()> rank_main_;
  // Least time of an operation's way from one rank to another.
  const Time shortest_way_;
  // Ranks that only poll for longer end the job.
  const Time patience_;

  // Place at which the main fiber goes on, while a rank runs.
  context::Context* main_ = nullptr;
  Rank* running_ = nullptr;
  Time now_ = 0;
  Time horizon_ = 0;
  Time last_work_ = 0;
  int living_;
  // The agenda's date at the last look ahead.
  uint64_t date_ = 0;

  // Number of switches between two looks at the real clock.
  static constexpr uint64_t kSwitches = 1 << 16;
  uint64_t counted_ = kSwitches;
  uint64_t until_look_ = kSwitches;
  internal::ProgressLine progress_;
  // The operations and real seconds until the line was shown last.
  uint64_t shown_operations_ = 0;
  double shown_seconds_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_
