// A fork-join runtime of threads whose continuations are stolen, out of a
// thread layer and a way to join. The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_

#include <cstdint>
#include <vector>

#include "common/flags/flags.h"
#include "common/fork_join/join_policy.h"
#include "common/fork_join/seam_types.h"
#include "common/fork_join/task_entries.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/costs.h"
#include "common/run/held.h"
#include "common/run/program.h"
#include "common/run/run.h"

namespace magpie {

// One instance on each rank, which consists of its parts.
template <JoinPolicy Joins>
class ThreadRuntime : public JoinParts<typename Joins::Threads, Joins>,
                      public SeamOfRank<ThreadRuntime<Joins>> {
  using Parts = JoinParts<typename Joins::Threads, Joins>;

 public:
  using Threads = typename Joins::Threads;
  using Root = RootTask;
  static_assert(ThreadLayer<Threads>);

  struct Options {
    typename Threads::Options threads;
    EntryOptions entries;
    OnAddress on_address = OnAddress::kStop;
  };

  static void add_options(CLI::App& app, Options& options) {
    Threads::add_options(app, options.threads);
    magpie::add_options(app, options.entries);
    magpie::add_options(app, options.on_address);
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    rma::SegmentLayout layout = Threads::layout(options.threads);
    layout.heap_bytes += Joins::heap_bytes(options.entries.heap()) +
                         TaskProgram::heap_bytes(root);
    return layout;
  }

  // Collective.
  ThreadRuntime(const Options& options, const Root& root)
      : Parts{Threads(options.threads, root.rank),
              Joins(options.entries.heap())},
        program_(options.on_address, root),
        may_be_plain_(!AddressScan::kLooksAtAll && !rma::is_simulated() &&
                      !this->threads.hooks_spawns()) {
    check(static_cast<void*>(static_cast<Parts*>(this)) == this,
          "the parts do not stand first");
    const SchedulerStats& stats = this->joins.stats();
    rma::self().status->show("spawned", stats.spawns);
    rma::self().status->show("ended", stats.deaths);
  }
  ~ThreadRuntime() {
    for (bool* const is_plain : plain_types_) *is_plain = false;
  }

  // ---------------------------------------------------- functions of the seam

  static constexpr bool kMigrates = !requires { requires !Threads::kMigrates; };
  static constexpr bool kWaitsInTurns = requires {
    requires Joins::kWaitsInTurns;
  };
  static constexpr ForkJoinTraits kTraits = {.spreads = kMigrates,
                                             .migrates = kMigrates,
                                             .buries = false,
                                             .waits_in_turns = kWaitsInTurns};

  // hpdc15 Fig. 4, line 19.
  [[gnu::always_inline]] static void spawn(const SpawnedType* type,
                                           const void* closure, Handle* out) {
    Threads::create_thread(type->run_below, closure, out);
  }

  // Begins a task, below its parent: hpdc15 Fig. 4, lines 2-7. `closure` and
  // `out` are the parent's, which may leave with them as soon as it is offered.
  [[gnu::always_inline]] static void begin_task(const SpawnedType* type,
                                                context::Context* parent,
                                                const void* closure,
                                                Handle* out, Handle* task) {
    if (!*type->is_plain || !self().joins.can_create_at_once()) [[unlikely]]
      return begin(*type, parent, closure, out, task);
    rma::assume_not_simulated();
    if (!type->is_small) __builtin_unreachable();
    create_and_offer(*type, parent, out, task);
  }

  // Ends a task. Returns where its parent goes on. Nothing of a rank is kept
  // from its beginning: the task may have moved.
  [[gnu::always_inline]] static void end_task(const SpawnedType* type,
                                              const Handle* task,
                                              context::Context* parent,
                                              const void* result) {
    // In debug builds all results are looked at.
    if (AddressScan::kLooksAtAll || rma::is_simulated()) [[unlikely]]
      return look_and_end(*type, *task, parent, result);
    Joins::die(*type, *task, parent, result);
  }

  static void join(const Handle* task, uint32_t consumer, void* result,
                   uint32_t bytes) {
    rma::charged<cost::kJoin, &ThreadRuntime::join_thread>(task, consumer,
                                                           result, bytes);
  }
  static void discard(const Handle* task, uint32_t consumer, uint32_t bytes) {
    Joins::discard(*task, consumer, bytes);
  }

  // ------------------------------------------------------------------ for runs

  const TaskProgram& program() const { return program_; }

  using SeamOfRank<ThreadRuntime>::run;
  void run(const RootResult& result) {
    RootResult to = result;
    this->threads.run(&run_root, &to, this->joins);
  }

  void finish(const RootResult& result) { program_.finish(result); }

  Balance balance() {
    return {.spawned = this->joins.stats().spawns,
            .ended = this->joins.stats().deaths,
            .unclaimed = this->joins.live_entries(),
            .waiting = this->threads.live_threads()};
  }
  SchedulerStats stats() const {
    return this->threads.stats() + this->joins.stats();
  }
  OwnCounts own_counts() const {
    return own_counts_of(this->threads, this->joins);
  }
  uint64_t region_bytes_max() const { return this->threads.region_bytes_max(); }

 private:
  static ThreadRuntime& self() { return this_rank<ThreadRuntime>(); }

  // The whole of begin_task.
  [[gnu::noinline]] static void begin(const SpawnedType& type,
                                      context::Context* parent,
                                      const void* closure, Handle* out,
                                      Handle* task) {
    rma::charge(cost::kSpawn);
    ThreadRuntime& rank = self();
    rank.program_.look_at(type, closure);
    if (rank.may_be_plain_ && type.is_small && !*type.is_plain) {
      rank.plain_types_.push_back(type.is_plain);
      *type.is_plain = true;
    }
    create_and_offer(type, parent, out, task);
    if (rank.threads.hooks_spawns() && !must_stay()) rank.threads.after_spawn();
  }
  // Creates the task and offers its parent, unless that must stay. Where
  // begin_task comes here the offer is the only call, and the last thing done:
  // so the function of the seam needs no frame.
  [[gnu::always_inline]] static void create_and_offer(const SpawnedType& type,
                                                      context::Context* parent,
                                                      Handle* out,
                                                      Handle* task) {
    ThreadRuntime& rank = self();
    const Handle created = rank.joins.create(type);
    *out = created;
    *task = created;
    if (!must_stay()) [[likely]]
      rank.threads.offer_parent(parent);
  }
  [[gnu::noinline]] static void look_and_end(const SpawnedType& type,
                                             Handle task,
                                             context::Context* parent,
                                             const void* result) {
    self().program_.look_at_result(type, result);
    Joins::die(type, task, parent, result);
  }

  [[gnu::always_inline]] static void join_thread(const Handle* task,
                                                 uint32_t consumer,
                                                 void* result, uint32_t bytes) {
    Joins::join(*task, consumer, result, bytes);
  }

  // The root thread is stealable like any other: it may end on any rank.
  static void run_root(void* arg) {
    const RootResult result = *static_cast<const RootResult*>(arg);
    const RootTask root = self().program_.root();
    magpie::run_root(root, result);
    self().threads.end_run();
    self().threads.exit_to_scheduler();
  }

  TaskProgram program_;
  // Types of tasks whose spawns have nothing to be asked any more. All else
  // that is asked of each spawn (is its type new, is it small, is it charged
  // for, does a test hook it) is then asked once for each type; later spawns
  // look at one byte, at an address that the compiler knows: the type's own.
  // The next run asks anew: the destructor clears these bytes.
  std::vector<bool*> plain_types_;
  // Whether types of small tasks are plain on this rank, the only one in the
  // process then.
  const bool may_be_plain_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_
