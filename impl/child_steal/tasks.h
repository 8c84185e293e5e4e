// Tasks, from their spawn to the join: the entry where a task's result and end
// are to be found, and the closure until it starts.
//
// Source: cluster22 Fig. 3, in its child-stealing form: the flag is all that a
// joining and a joined task share, since whoever joins looks for it itself.
//
// Thread safety: an instance belongs to one rank; entries are operated on from
// all. Invariants:
//   1. An entry begins as kLive and its task's generation, before the handle is
//      known to anybody (an exclusive phase); see task_entries.h.
//   2. kDone is set once, by whoever ran the task, after the result is there:
//      see PolledEntries::put_done. Nobody else changes a state.
//   3. A closure that no descriptor holds lies in the entry until the task has
//      a copy of it, which is before there is a result.
//   4. One consumer frees the entry: the one that has seen kDone, or that runs
//      the task in the midst of its own join. Of several consumers the last one
//      does (TaskEntries).

#ifndef MAGPIE_IMPL_CHILD_STEAL_TASKS_H_
#define MAGPIE_IMPL_CHILD_STEAL_TASKS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <list>
#include <new>

#include "common/fork_join/polled_entries.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/check.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/trace/scheduler_stats.h"
#include "common/trace/scope.h"
#include "impl/child_steal/threads.h"

namespace magpie::child_steal {

struct alignas(16) Entry {
  rma::Word state;
  uint64_t ended_at;  // polled_entries.h
  // 1 + the rank that has started the task, where that is told; else 0.
  rma::Word runner;
  rma::Word finished;
};

template <RemoteHeap Heap>
class Tasks : public PolledEntries<Entry, Heap> {
 public:
  using Entries = PolledEntries<Entry, Heap>;
  using EntryPtr = typename Entries::EntryPtr;
  using Entries::is_done, Entries::let_go;

  // Collective.
  explicit Tasks(const HeapOptions& options)
      : Entries(options), runner_(static_cast<uint64_t>(rma::rank()) + 1) {}

  // Makes a task's entry, and the descriptor to be pushed. Cost: no operation.
  [[gnu::always_inline]] void create(const TypeInfo& type, const void* closure,
                                     Descriptor* task) {
    const size_t bytes = Descriptor::holds_closure_of(type)
                             ? type.result_size
                             : std::max(type.closure_size, type.result_size);
    Entry* const entry = Entries::create(&stats_.spawns, type.consumers,
                                         bytes);  // invariant 1
    entry->ended_at = 0;
    new (&entry->runner) rma::Word(0);
    task->type = &type;
    task->task = make_handle(rma::heap_ptr(entry), entry->state.own_value());
    copy_task_bytes(Descriptor::holds_closure_of(type)
                        ? task->closure
                        : reinterpret_cast<std::byte*>(entry + 1),
                    closure, type.closure_size);
  }

  // Copies the closure of a task that starts here. Cost: 1 get where the
  // closure lies on another rank.
  [[gnu::always_inline]] void copy_closure(const Descriptor& task, void* to) {
    const size_t bytes = task.type->closure_size;
    if (Descriptor::holds_closure_of(*task.type)) [[likely]] {
      copy_task_bytes(to, task.closure, bytes);
    } else {
      copy_spilled(task, to);
    }
  }

  // Tells in the entry that this rank starts the task; other ranks see it by
  // the next flush, which comes before anybody frees the entry (end). Cost:
  // none where it was spawned here; else 1 put_nb.
  void started(const Handle& task) {
    const EntryPtr e = entry_of<Entry>(task);
    if (here(e)) {
      e.local()->runner.store_relaxed(runner_);
    } else {
      const auto at = e.field(&Entry::runner);
      rma::put_nb({at.rank, at.offset}, &runner_, sizeof(runner_));
    }
  }

  // The same for a task in the midst of its own join. Where that is its only
  // join nobody else waits for the task: another rank is not told, since a put
  // could come after this rank has freed the entry, and name this rank to the
  // next task's joiner. Cost: then no operation.
  [[gnu::always_inline]] void started_joined(const Descriptor& task) {
    const EntryPtr e = entry_of<Entry>(task.task);
    if (here(e)) [[likely]]
      e.local()->runner.store_relaxed(runner_);
    else if (task.type->consumers != 1)
      started(task.task);
  }

  // Checks that the entry of a task that has run here names no other rank.
  void check_runner(const Handle& task) const {
    if (checks_are_active()) [[unlikely]]
      check_runner_of(entry_of<Entry>(task));
  }

  // The rank that has told that it started the task; -1 where none has yet, or
  // the task has ended. Cost: as is_done.
  int started_on(const Handle& task) const {
    const EntryPtr e = entry_of<Entry>(task);
    uint64_t state, runner;
    if (here(e)) {
      state = e.local()->state.load();
      runner = e.local()->runner.load();
    } else {
      const Entry seen = rma::get(e);
      state = seen.state.load();
      runner = seen.runner.load();
    }
    if ((state & ~kShared) != new_state_of(task)) return -1;
    return static_cast<int>(runner) - 1;
  }

  // Ends a task in the midst of its only consumer's join: nobody else will look
  // for it (invariant 4). Cost: what freeing its entry costs.
  [[gnu::always_inline]] void end_joined(const Handle& task) {
    ++stats_.deaths;
    this->free(task);
  }
  // Ends a task otherwise. Cost: that of PolledEntries::put_done.
  void end(const Handle& task, const void* result, size_t bytes) {
    ++stats_.deaths;
    Entries::put_done(task, result, bytes);  // lines 5-6
  }
  static bool was_spawned_here(const Handle& task) {
    return here(entry_of<Entry>(task));
  }

  // ------------------------------------------------------------------ discards

  // The consumer does not want the result: lets go of the entry, at once or
  // when the task is done.
  void discard(const Handle& task, uint32_t consumer) {
    require_task(task);
    discarded_.push_back({task, consumer});
    // Twice, so that the list gets shorter as tasks end.
    free_discarded();
    free_discarded();
  }
  // Looks whether the longest waiting discarded task is done, and then lets go
  // of its entry. Cost: as is_done, and what it costs to free the entry.
  void free_discarded() {
    if (discarded_.empty()) return;
    const Discarded first = discarded_.front();
    discarded_.pop_front();
    if (is_done(first.task)) {
      let_go(first.task, first.consumer);
    } else {
      discarded_.push_back(first);
    }
  }
  size_t discarded() const { return discarded_.size(); }

  // spawns, deaths, what was stolen of closures.
  const SchedulerStats& stats() const { return stats_; }

 private:
  struct Discarded {
    Handle task;
    uint32_t consumer;
  };

  using Entries::here;

  [[gnu::cold, gnu::noinline]] void check_runner_of(EntryPtr e) const {
    if (!here(e)) return;
    const uint64_t runner = e.local()->runner.own_value();
    check(runner == 0 || runner == runner_,
          "an entry names another rank than has run its task");
  }

  [[gnu::noinline]] void copy_spilled(const Descriptor& task, void* to) {
    const rma::RemotePtr<std::byte> from =
        retval_of(entry_of<Entry>(task.task));
    const size_t bytes = task.type->closure_size;
    if (from.rank == rma::rank()) {
      std::memcpy(to, from.local(), bytes);
      return;
    }
    trace::Scope scope;
    rma::get(to, from, bytes);
    scope.end(trace::Event::kTaskCopy, stats_.task_copy_ns,
              {.bytes = bytes, .rank = from.rank});
    stats_.stolen_bytes += bytes;
  }

  SchedulerStats stats_;
  const uint64_t runner_;
  // Tasks that this rank has discarded before they were done, the longest
  // waiting first.
  std::list<Discarded> discarded_;
};

}  // namespace magpie::child_steal

#endif  // MAGPIE_IMPL_CHILD_STEAL_TASKS_H_
