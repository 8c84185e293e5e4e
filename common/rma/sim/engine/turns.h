// Whose turn it is: ranks with clocks of their own, and the agenda of what
// reaches them when.
//
// A rank runs until it has to wait, or until its clock passes its *horizon*:
// the first effect on its own segment that is on its way, or the time before
// which no other rank can reach it, which is the first event on the agenda plus
// the shortest way. Up to there nobody can do anything that it would notice, so
// it runs ahead of others, and a switch of fibers is paid once for many steps.
// Then the agenda is worked off up to the rank's clock.
//
// Thread safety: one thread. Invariants:
//   1. Events are worked off in the order of (time, order); now() is the time
//      of the last.
//   2. Each rank that has not ended runs, has one kResume on the agenda, or
//      waits for something whose end puts one there.
//   3. All events before the running rank's clock have happened when it looks
//      at a Word of its own or changes one (sync).
//   4. What happens to a rank's segment at time t happens before the rank sees
//      or changes it at a later time, and after what it did at earlier ones.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "common/rma/sim/engine/diagnosis.h"
#include "common/rma/sim/engine/events.h"
#include "common/rma/sim/engine/fibers.h"
#include "common/rma/sim/engine/log.h"
#include "common/rma/sim/engine/memory.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/engine/transport.h"
#include "common/rma/sim/engine/words.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

class Turns {
 public:
  // What the turns are about.
  struct Parts {
    std::vector<Rank>& ranks;
    Memory& memory;
    Agenda& agenda;
    Transport& transport;
    Words& words;
    Log& log;
    const Diagnosis& diagnosis;
  };
  // `shortest_way` is that of an operation from one rank to another. Ranks that
  // only poll for longer than `patience` end the job.
  Turns(const Parts& parts, Time shortest_way, Time patience,
        std::function<int()> rank_main);

  // Runs all ranks to their ends.
  void run();

  Rank& running() { return *running_; }
  Time now() const { return now_; }
  bool over() const { return living_ == 0; }
  uint64_t switches() const { return switches_; }

  // ------------------------------------------------------ for the running rank

  // Everything before its clock happens first.
  void sync(Doing doing) {
    if (running_->clock > horizon_) [[unlikely]]
      catch_up(doing);
  }
  // Waits for a kResume of its own.
  void suspend(Doing doing);
  // Its own operation reaches a rank at `time`, maybe itself.
  void expect(Time time, bool itself) {
    horizon_ = std::min(horizon_, itself ? time : time + shortest_way_);
  }
  // Somebody works until then: a sign of life.
  void worked(Time until) { last_work_ = std::max(last_work_, until); }
  // It polls. Ends the job in words when nobody has worked for too long.
  void check_patience();

 private:
  void begin(Rank& rank, Time time);
  bool lost_patience(Time time) const;
  void find_horizon();
  void catch_up(Doing doing);
  void switch_away();
  void happen(const Event& event);
  void run_rank();
  Rank& rank_of(const Event& event) { return parts_.ranks[event.index]; }

  const Parts parts_;
  const Time shortest_way_;
  const Time patience_;
  const std::function<int()> rank_main_;
  Fibers fibers_;

  Rank* running_ = nullptr;
  Time now_ = 0;
  Time horizon_ = 0;
  Time last_work_ = 0;
  int living_;
  uint64_t switches_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_TURNS_H_
