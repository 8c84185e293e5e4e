// The simulation: ranks as fibers with clocks of their own, and the agenda of
// what reaches them when.
//
// A rank runs until it has to wait, or until its clock passes its *horizon*:
// the first effect on its own segment that is on its way, or the time before
// which no other rank can reach it, which is the first event on the agenda plus
// the shortest way. Up to there nobody can do anything that it would notice, so
// it runs ahead of others, and a switch of fibers is paid once for many steps.
// Then the agenda is worked off up to the rank's clock.
//
// Thread safety: one thread. Invariants:
//   1. Events are worked off in the order of (time, order); now_ is the time of
//      the last.
//   2. Each rank that has not ended runs, has one kResume on the agenda, or
//      waits for something whose end puts one there.
//   3. All events before the running rank's clock have happened when it looks
//      at a Word of its own or changes one (sync).
//   4. What happens to a rank's segment at time t happens before the rank sees
//      or changes it at a later time, and behind what it did at earlier ones.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/chance.h"
#include "common/rma/sim/collective.h"
#include "common/rma/sim/events.h"
#include "common/rma/sim/log.h"
#include "common/rma/sim/memory.h"
#include "common/rma/sim/operation.h"
#include "common/rma/sim/options.h"
#include "common/rma/sim/rank.h"

namespace magpie::rma::sim {

class Engine {
 public:
  Engine(const Options& options, const SegmentLayout& layout,
         int (*rank_main)(void*), void* arg);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs all ranks to their ends. Returns the result of rank 0, or the first
  // other one that is not 0.
  int run();

  Rank& running() { return *running_; }
  Rank& rank(int r) { return ranks_[static_cast<size_t>(r)]; }
  int size() const { return static_cast<int>(ranks_.size()); }
  Memory& memory() { return memory_; }
  const Network& net() const { return options_.net; }
  uint64_t switches() const { return switches_; }
  uint64_t operations() const { return operations_; }
  Time now() const { return now_; }
  const Log& log() const { return log_; }
  bool over() const { return living_ == 0; }
  // The seed, to be printed behind a failure's words.
  std::string hint() const;

  // ------------------------------------------------- the running rank's steps

  // Its clock goes on. `work` is the program's own: a sign of life.
  void work(Time time);
  void idle(int times);

  uint64_t load(const uint64_t* word);
  void store(uint64_t* word, uint64_t value, StoreOrder order);
  void fence();

  // An operation, to be completed by its kind's members and issued.
  Op* prepare(OpKind kind, int target, uint64_t offset, size_t bytes);
  // Returns when it is complete; the caller gives it back.
  void issue_and_wait(Op* op);
  // Goes on; a flush of its target completes it and gives it back.
  void issue_unflushed(Op* op);
  void give_back(Op* op) { pool_.give_back(op); }
  void flush(int target);
  // Whether the source of a non-blocking put is read when it arrives, instead
  // of now.
  bool reads_late() { return !chance_ || chance_->coin(); }

  void collective(const Collective::Call& call, void* data);

 private:
  // The agenda.
  void schedule(Time time, EventKind kind, uint32_t index);
  void schedule_resume(Rank& rank, Time time);

  // Switching of ranks.
  void begin(Rank& rank, Time time);
  bool lost_patience(Time time) const;
  [[noreturn]] void livelock();
  void find_horizon();
  void sync(Doing doing);
  void suspend(Doing doing);
  void switch_from(Rank& me);
  void resume_from_engine(Rank& rank, Time time);
  static void rank_begins(context::Context* engine, Engine* self);
  static void rank_body(void* engine);

  // Operations.
  void step();
  void issue(Op* op);
  template <typename Which>
  void retire(Which which);
  Time way(int from, int to);
  Interface interface_of(const Op& op) const;
  void happen(const Event& event);
  void arrive(Op& op);
  void take_effect(Op& op);
  void apply(Op& op);
  static void apply_to_memory(Op& op, std::byte* at);
  std::byte* bytes_at_target(const Op& op);
  void read_source(Op& op);
  static void remember_word(Op& op);
  [[noreturn]] void refuse(const Op& op, int whose, const std::string& why);

  // Store buffers.
  void be_seen(Op& op);
  void drain_stores();
  void fence_stores();
  void let_out(Op& op);
  void hide(uint64_t* word, uint64_t value, StoreOrder order);

  Time collective_time(size_t bytes) const;
  bool in_heap(const void* address) const;
  std::string name_of(const void* address) const;
  std::string state_of(const Rank& rank) const;
  // Every rank's state, in words; ends the job.
  [[noreturn]] void stuck(const char* what);

  const Options options_;
  int (*const rank_main_)(void*);
  void* const arg_;
  Memory memory_;
  std::vector<Rank> ranks_;
  OpPool pool_;
  EventQueue agenda_;
  std::optional<Chance> chance_;
  Collective collective_;
  Log log_;

  Rank* running_ = nullptr;
  context::Context* engine_ = nullptr;  // run(), while a rank runs
  Time now_ = 0;
  Time horizon_ = 0;
  Time shortest_way_;
  Time patience_;
  Time last_work_ = 0;
  int living_;
  uint64_t order_ = 0;
  uint64_t switches_ = 0;
  uint64_t operations_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_H_
