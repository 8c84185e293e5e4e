// A child-stealing runtime: spawn, join, and what a rank does when its task
// cannot go on. The threads, Full or RtC, are a parameter. The compositions in
// runtimes/ instantiate it.
//
// Source: cluster22 §II-A, Fig. 1 (child stealing), and Fig. 3 (stalling join).
//
// Thread safety: belongs to one rank. Tasks are tied: once started, they never
// leave it. So references to a rank hold across spawns and joins.

#ifndef MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
#define MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_

#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <utility>

#include "common/flags/flags.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/task_entries.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/costs.h"
#include "common/run/held.h"
#include "common/run/invoke.h"
#include "common/run/program.h"
#include "common/run/run.h"
#include "common/stealing/group.h"
#include "common/stealing/search.h"
#include "common/stealing/stealable_queue.h"
#include "common/stealing/victim_selection.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"
#include "impl/child_steal/tasks.h"
#include "impl/child_steal/threads.h"

namespace magpie::child_steal {

template <TiedThreads Threads, StealableQueue Queue, RemoteHeap Heap,
          VictimSelection Victims>
class Runtime : public SeamOfRank<Runtime<Threads, Queue, Heap, Victims>>,
                public RunsTasksLater {
 public:
  using Root = RootTask;
  static constexpr ForkJoinTraits kTraits = {
      .spreads = true, .migrates = false, .buries = Threads::kBuries};

  struct Options {
    uint64_t stack_bytes = Threads::kStackBytes;
    uint64_t queue_bytes = 1 << 20;
    EntryOptions entries;
    bool empty_check = true;
    SearchOptions search;
    OnAddress on_address = OnAddress::kStop;

    QueueOptions queue() const {
      return {.capacity = queue_bytes / sizeof(Descriptor),
              .empty_check = empty_check};
    }
  };

  static void add_options(CLI::App& app, Options& options) {
    flags::add_bytes(app, "--stack_bytes", options.stack_bytes,
                     Threads::kStackBytesHelp, 8 << 10, 1ull << 32);
    flags::add_bytes(app, "--queue_bytes", options.queue_bytes,
                     "memory for tasks that have not started, 64 bytes each, "
                     "on each rank; further ones are run at once",
                     1 << 10, most_queue_bytes<Queue>());
    magpie::add_options(app, options.entries);
    add_empty_check(app, options.empty_check);
    magpie::add_options(app, options.search);
    add_forced_steal(app, options.search);
    magpie::add_options(app, options.on_address);
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    return {.region_bytes = 0,
            .heap_bytes =
                EndOfRun::heap_bytes() + Queue::heap_bytes(options.queue()) +
                Search<Victims>::heap_bytes() + Threads::heap_bytes() +
                Tasks<Heap>::heap_bytes(options.entries.heap()) +
                TaskProgram::heap_bytes(root)};
  }

  // Collective.
  Runtime(const Options& options, const Root& root)
      : queue_(options.queue()),
        capacity_(options.queue().capacity),
        search_(options.search, Group::of_all(), root.rank),
        hooked_spawn_(search_.hooks_spawns()),
        threads_(options.stack_bytes),
        tasks_(options.entries.heap()),
        program_(options.on_address, root) {
    rma::self().status->show("spawned", tasks_.stats().spawns);
    rma::self().status->show("ended", tasks_.stats().deaths);
  }

  // ---------------------------------------------------- functions of the seam

  // Offers the child to thieves; the parent goes on. Cost: no operation.
  static void spawn(const SpawnedType* type, const void* closure, Handle* out) {
    rma::charged<cost::kSpawn, &Runtime::spawn_task>(type, closure, out);
  }

  // Waits for a task, and lets go of its entry. Runs the rank's own tasks
  // first, the youngest of which is the joined one where nobody has stolen it
  // (cluster22 §II-B). Cost: then none. Else that of Tasks::is_done, for each
  // look, and of Tasks::take_result.
  static void join(const Handle* task, uint32_t consumer, void* result,
                   uint32_t bytes) {
    rma::charged<cost::kJoin, &Runtime::join_task>(task, consumer, result,
                                                   bytes);
  }

  static void discard(const Handle* task, uint32_t consumer, uint32_t) {
    self().tasks_.discard(*task, consumer);
  }

  // --------------------------------------------------------------- for Threads

  // Runs a task that nobody on this stack waits for. Where the caller must
  // stay, nothing else runs on this rank before that task has ended.
  void start(const Descriptor& task) {
    const auto run = [this, task] { execute<false>(task); };
    if (must_stay()) return threads_.call(run);
    threads_.start(run);
  }

  // Takes the rank's own youngest task.
  bool pop(Descriptor* task) {
    const Descriptor* const youngest = pop();
    if (youngest != nullptr) *task = *youngest;
    return youngest != nullptr;
  }

  bool is_done(const Handle& task) const { return tasks_.is_done(task); }

  // The rank that has started the task, or -1. REQUIRES: Threads::kBuries.
  int started_on(const Handle& task) const { return tasks_.started_on(task); }
  bool is_started_here(const Handle& task) const {
    return tasks_.was_spawned_here(task) && started_on(task) == rma::rank();
  }

  // Whether the root has ended, and all tasks that this rank has discarded.
  bool is_over() { return end_.poll() && tasks_.discarded() == 0; }

  // Looks for a task of others; false where stop() says so before there is one.
  // failed() is called after each attempt that found nothing. Pauses between
  // two do not grow while a task waits that is not buried. Cost: that of
  // attempts to steal.
  template <typename Stop, typename Failed = void (*)()>
  bool search(
      Descriptor* stolen, Stop stop, Failed failed = [] {}) {
    const auto failed_too = [&] {
      tasks_.free_discarded();
      failed();
    };
    if (rma::size() == 1) {
      // stop() comes true within one round, or never.
      const size_t waiting = threads_.waiting() + tasks_.discarded();
      for (size_t i = 0; i < waiting && !stop(); ++i) failed_too();
      if (!stop()) rma::fatal("deadlock: every task waits for another one");
      return false;
    }
    const auto attempt = [&](int victim) {
      const Outcome outcome = steal(victim, stolen);
      if (outcome != Outcome::kTaken) failed_too();
      return outcome;
    };
    const auto in_a_hurry = [&] {
      return !Threads::kBuries && threads_.waiting() > 0;
    };
    return search_.until(stop, attempt, in_a_hurry);
  }
  // Makes one attempt to steal. Finds nothing where there are no other ranks.
  bool try_to_steal(Descriptor* stolen) {
    if (rma::size() == 1) {
      tasks_.free_discarded();
      return false;
    }
    bool tried = false;
    return search(stolen, [&] { return std::exchange(tried, true); });
  }

  // ------------------------------------------------------------------ for runs

  using SeamOfRank<Runtime>::run;
  void run(const RootResult& result) {
    const auto root = [this, &result] {
      run_root(program_.root(), result);
      end_.announce();
    };
    threads_.run(*this, program_.root().is_here() ? &root : nullptr);
    rma::flush_all();
  }

  void finish(const RootResult& result) { program_.finish(result); }

  Balance balance() {
    return {.spawned = tasks_.stats().spawns,
            .ended = tasks_.stats().deaths,
            .unclaimed = tasks_.live_entries(),
            .waiting = threads_.waiting()};
  }
  SchedulerStats stats() const {
    return search_.stats() + tasks_.stats() + stats_;
  }
  OwnCounts own_counts() const { return own_counts_of(threads_); }
  uint64_t region_bytes_max() const { return threads_.stack_bytes_max(); }
  const TaskProgram& program() const { return program_; }

 private:
  static Runtime& self() { return this_rank<Runtime>(); }

  [[gnu::always_inline]] static void spawn_task(const SpawnedType* type,
                                                const void* closure,
                                                Handle* out) {
    Runtime& rank = self();
    rank.program_.look_at(*type, closure);
    const auto create = [&](Descriptor * task) __attribute__((always_inline)) {
      rank.tasks_.create(*type, closure, task);
      copy_words(out, &task->task);
    };
    if (!push_at_once(rank.queue_, create)) [[unlikely]]
      return rank.spawn_in_full(*type, closure, out);
    rank.is_dry_ = false;
    if (rank.hooked_spawn_) [[unlikely]]
      rank.search_.after_push(rank.queue_);
  }
  [[gnu::always_inline]] static void join_task(const Handle* handle,
                                               uint32_t consumer, void* result,
                                               uint32_t bytes) {
    Runtime& rank = self();
    if (rank.tasks_.is_done(*handle)) [[unlikely]]
      return rank.tasks_.take_result(*handle, consumer, result, bytes);
    if constexpr (!Threads::kJoinsRunTheirOwn)
      return rank.finish_join(*handle, consumer, result, bytes);
    if (const Descriptor* const task = rank.pop()) [[likely]] {
      if (task->task == *handle) [[likely]]
        return rank.run_joined(*task, consumer, result);
      rank.start(*task);
    }
    rank.finish_join(*handle, consumer, result, bytes);
  }

  // Runs a task; called on the stack where it is to run. With kJoined that is
  // in the midst of its join by `consumer`, whose result goes to `to`.
  template <bool kJoined>
  [[gnu::always_inline]] void execute(const Descriptor& task,
                                      uint32_t consumer = 0,
                                      void* to = nullptr) {
    const TypeInfo& type = *task.type;
    // A copy, since what the task spawns may take the descriptor's place.
    Handle handle;
    copy_words(&handle, &task.task);
    if constexpr (Threads::kBuries)
      kJoined ? tasks_.started_joined(task) : tasks_.started(handle);
    const auto run = [&](auto& frame) __attribute__((always_inline)) {
      tasks_.copy_closure(task, frame.closure());
      invoke(type, frame.closure(), frame.result());
      program_.look_at_result(type, frame.result());
      if constexpr (Threads::kBuries) tasks_.check_runner(handle);
      if constexpr (kJoined) {
        copy_task_bytes(to, frame.result(), type.result_size);
        if (type.consumers == 1) [[likely]]
          return tasks_.end_joined(handle);
      }
      tasks_.end(handle, frame.result(), type.result_size);
      if constexpr (kJoined) tasks_.let_go(handle, consumer);
    };
    with_frame(type, run);
  }
  // Runs a task in the midst of its own join.
  [[gnu::always_inline]] void run_joined(const Descriptor& task,
                                         uint32_t consumer, void* result) {
    const auto run = [ =, this, &task ]() __attribute__((always_inline)) {
      execute<true>(task, consumer, result);
    };
    threads_.call(run);
  }

  // The rest of join: cluster22 Fig. 3, lines 14-21.
  [[gnu::noinline]] void finish_join(Handle handle, uint32_t consumer,
                                     void* result, size_t bytes) {
    Descriptor task;
    while (!tasks_.is_done(handle)) {  // lines 13-14 and 18
      if (!(Threads::kJoinsRunTheirOwn || must_stay()) || !pop(&task)) {
        wait_for(handle);
      } else if (task.task == handle) {
        return run_joined(task, consumer, result);
      } else {
        start(task);
      }
    }
    tasks_.take_result(handle, consumer, result, bytes);  // lines 19-20
  }

  // Waits for a task. Counts the join as outstanding where the task ended on
  // another rank than it was spawned on.
  void wait_for(const Handle& handle) {
    if (must_stay())
      return wait_in_place([&] { return tasks_.is_done(handle); });
    trace::Scope outstanding;
    threads_.wait(*this, handle);
    const uint64_t ended = tasks_.ended_at(handle);
    if (ended == 0) return;
    ++stats_.outstanding_joins;
    outstanding.begins_no_sooner(ended);
    outstanding.end(trace::Event::kOutstandingJoin, stats_.outstanding_join_ns);
  }

  // Makes one attempt to steal. Takes several tasks where the queue's policy
  // gives them: one to run, and the others become this rank's. Cost: the
  // queue's, and a flush, which has nothing to wait for with THE.
  Outcome steal(int victim, Descriptor* stolen) {
    const auto take = [&](std::span<const Descriptor> taken) {
      *stolen = taken.front();
      overflow_.insert(overflow_.end(), taken.begin() + 1, taken.end());
      trace::stole(taken.size_bytes(), stats_.stolen_bytes);
    };
    const Outcome outcome = queue_.steal(queue_.remote(victim), take);
    // The victim gets its queue's places back however long the task runs.
    if (outcome == Outcome::kTaken) rma::flush(victim);
    // Now, when it has no victim's lock: a push may wait for a thief.
    if (!overflow_.empty()) {
      offer_waiting(overflow_, queue_);
      is_dry_ = false;
    }
    return outcome;
  }

  // Takes the rank's own youngest task, which keeps its place until the next
  // push. A queue's pop may cost operations where it is empty: so an empty
  // queue is asked only once.
  [[gnu::always_inline]] const Descriptor* pop() {
    if (is_dry_) return nullptr;
    const Descriptor* const youngest = queue_.pop();
    return youngest != nullptr ? youngest : pop_overflow();
  }
  // The rest of pop, where the queue is empty.
  [[gnu::noinline]] const Descriptor* pop_overflow() {
    if (!overflow_.empty()) {
      offer_waiting(overflow_, queue_);
      if (const Descriptor* const youngest = queue_.pop()) return youngest;
    }
    is_dry_ = overflow_.empty();
    if (is_dry_) return nullptr;
    last_of_overflow_ = overflow_.back();
    overflow_.pop_back();
    return &last_of_overflow_;
  }

  // The rest of spawn, where the queue's fast path does not apply. A queue that
  // is full was filled since it last was empty, and may be empty again: a pop
  // may make room, or thieves still copy what it held. Else, or where as many
  // as it holds wait in overflow_, the task is run at once.
  [[gnu::noinline]] void spawn_in_full(const TypeInfo& type,
                                       const void* closure, Handle* out) {
    Descriptor task;
    tasks_.create(type, closure, &task);
    *out = task.task;
    if (!queue_.full()) {
      queue_.push(task);
    } else if (queue_.empty() && overflow_.size() < capacity_) {
      if (const Descriptor* const youngest = queue_.pop())
        queue_.push(Descriptor(*youngest));
      overflow_.push_back(task);
      offer_waiting(overflow_, queue_);
    } else {
      return start(task);
    }
    is_dry_ = false;
    if (hooked_spawn_) search_.after_push(queue_);
  }

  // First in the heap, on one page: the words that an idle rank polls, and
  // those that thieves look at.
  EndOfRun end_;
  Queue queue_;
  const size_t capacity_;
  // Tasks for which the queue has no room, the oldest first.
  std::list<Descriptor> overflow_;
  // The task that was last popped from there.
  Descriptor last_of_overflow_;
  // Whether a pop has found nothing, and nothing was pushed since.
  bool is_dry_ = true;
  Search<Victims> search_;
  const bool hooked_spawn_;
  Threads threads_;
  SchedulerStats stats_;
  Tasks<Heap> tasks_;
  TaskProgram program_;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_RUNTIME_H_
