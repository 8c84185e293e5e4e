// One simulation: its parts, which ../README.md lists, and the steps of ranks
// through them.
//
// Thread safety: one thread; the functions of the running rank are called on
// its stack. Invariants are the parts'.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_ENGINE_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_ENGINE_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/rma/sim/engine/collective.h"
#include "common/rma/sim/engine/effects.h"
#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/engine/rank.h"
#include "common/rma/sim/engine/turns.h"
#include "common/rma/sim/options.h"

namespace magpie::rma::sim {

// `amount` times `unit`. Prints an error and ends the job where no Time is so
// long.
inline Time product(uint64_t amount, Time unit) {
  Time time;
  if (__builtin_mul_overflow(amount, unit, &time))
    fatal("a piece of work takes more than 2^64 ps");
  return time;
}

class Engine {
 public:
  // Events are printed to `log`, unless it is null.
  Engine(const Options& options, const SegmentLayout& layout, std::FILE* log,
         int (*rank_main)(void*), void* arg);
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  // Runs all ranks to their ends. Returns the result of rank 0, or the first
  // other one that is not 0.
  int run();

  const Network& net() const { return world_.options.net; }
  Memory& memory() { return world_.memory; }
  const Log& log() const { return world_.log; }
  // Names bytes of all heaps (common/rma/rma.h), for the log.
  void name_bytes(uint64_t offset, size_t bytes, size_t count,
                  const char* name) {
    if (running().self.rank == 0) world_.log.name(offset, bytes, count, name);
  }
  // Tells an event of the running rank, by its clock, in nanoseconds.
  void tell_event(const char* name, uint64_t begin, uint64_t end);
  const Turns& turns() const { return turns_; }
  uint64_t operations() const { return transport_.sent(); }
  std::string hint() const { return world_.hint(); }

  // ------------------------------------------------------ for the running rank

  Rank& running() { return turns_.running(); }
  // Notes whence the rank calls the shim, for the log. Cost: one branch where
  // none is printed.
  void called_from(const void* address) {
    if (world_.log.prints()) [[unlikely]]
      running().caller = address;
  }

  // Moves the rank's clock on for work of the program: a sign of life. Under
  // exploration others may run then. Otherwise they may not: that would cost a
  // switch for each task and bring nothing, since nothing is left to chance.
  void work(Time time);
  // Takes the time of `amount` units of such work.
  void charge(const Cost& what, uint64_t amount) {
    work(time_of(what, amount));
  }
  // Takes the time of all these and of `polls` polls among them, each of which
  // serves what poll() would, in one step.
  void charge_and_poll(std::span<const Work> all, uint64_t polls);
  void idle(int times);
  // Rests at most so long, until it is woken, and under exploration often less.
  void rest(Time time);
  // Serves the atomics that wait for the rank, where that is left to ranks.
  void poll() {
    if (serves_) serve();
  }

  uint64_t load(const uint64_t* word);
  void store(uint64_t* word, uint64_t value, StoreOrder order);
  void fence() { let_all_out("fence"); }
  // Later plain stores are seen at once, so earlier stores have to be seen now:
  // later loads find all stores let out, too.
  void order_stores() { let_all_out("orders stores"); }
  // The rank is about to write there plainly (rma::plain_write).
  void plain_write(void* place, size_t bytes);

  // Returns an operation, to be completed by its kind's members and issued.
  Op* prepare(OpKind kind, int target, uint64_t offset, size_t bytes) {
    return transport_.prepare(kind, running().self.rank, target, offset, bytes);
  }
  // Issues it and returns when it is complete; the caller gives it back.
  void issue_and_wait(Op* op);
  // Issues it and returns; a flush of its target completes it and gives it
  // back.
  void issue_unflushed(Op* op);
  void give_back(Op* op) { transport_.pool().give_back(op); }
  void flush(int target);
  bool reads_late() { return world_.chance.reads_late(); }

  void collective(const Collective::Call& call, void* data);

 private:
  // Waits for a kResume of the rank's own, and serves others meanwhile.
  void suspend(Doing doing);
  // The running rank's clock after that time. Ends the job where there is none.
  Time clock_after(Time time);
  Time time_of(const Cost& what, uint64_t amount) const {
    magpie::check(
        what.index() < unit_costs_.size(),
        "an rma::Cost was defined after main() had begun: they stand at "
        "namespace scope");
    return product(amount, unit_costs_[what.index()]);
  }
  void attend(Time from);
  void compute();
  void serve();
  // Notes how long it has polled, and served what it found.
  void has_served(Time polling);
  void step();
  void step_and_fence();
  void let_all_out(const char* what);
  // The offset in the heap of a word of the rank's own; nothing where it lies
  // outside.
  std::optional<uint64_t> heap_offset(const uint64_t* word);
  void print(const char* how, const uint64_t* word, uint64_t after);
  void issue(Op* op);
  void send(Op* op);
  // The rank has looked and found nothing, and looks again now.
  void has_polled(Doing doing);
  void check_flushed(Doing doing);
  void check_idles();
  void did_more_than_load() { running().only_loads_since = running().clock; }

  World world_;
  Transport transport_;
  Collective collective_;
  Turns turns_;
  // Time of a unit of each Cost, by its index.
  const std::vector<Time> unit_costs_;
  // Whether ranks serve atomics themselves.
  const bool serves_;
  // Whether a rank that waits in a loop without idle() is found.
  const bool watches_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_ENGINE_H_
