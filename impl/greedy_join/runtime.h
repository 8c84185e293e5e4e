// A fork-join runtime out of greedy join and a thread layer: the functions of
// the seam (common/fork_join/runtime.h). The compositions in runtimes/
// instantiate it.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_
#define MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_

#include <alloca.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "common/flags/flags.h"
#include "common/fork_join/entry_options.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/seam_of_rank.h"
#include "common/fork_join/task_entry.h"
#include "common/fork_join/task_frames.h"
#include "common/fork_join/thread_layer.h"
#include "common/remote_heap/remote_heap.h"
#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/task/address_scan.h"
#include "common/task/root_task.h"
#include "impl/greedy_join/greedy_join.h"

namespace magpie::greedy_join {

// One rank: its parts. `Entries` holds the thread entries.
template <ThreadLayer ThreadsType, RemoteHeap Entries>
class Rank {
 public:
  using Threads = ThreadsType;
  using Joins = GreedyJoin<Rank, Threads, Entries>;
  using Root = RootTask;

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

  static rma::SegmentLayout layout(const Options& options,
                                   const RootTask& root) {
    rma::SegmentLayout layout = Threads::layout(options.threads);
    layout.heap_bytes += Joins::heap_bytes(options.entries.heap()) +
                         AddressScan::heap_bytes() + root.heap_bytes();
    return layout;
  }

  // Collective.
  Rank(const Options& options, const RootTask& root_task)
      : threads(options.threads),
        joins(options.entries.heap()),
        address_scan(options.on_address),
        prepared_root(root_task, address_scan),
        root_(root_task) {}

  static Rank& self() { return this_rank<Rank>(); }

  // Looks at a type of tasks. To be called before this rank spawns the first of
  // them.
  [[gnu::noinline]] void meet(const TypeInfo& type, const void* closure) {
    require_one_consumer(type);
    address_scan.look_at_closure(type, closure);
    require_task_stack();
  }

  void run(const RootResult& result) {
    Start start = {root_, result};
    threads.run(&run_root, &start);
  }

  Balance balance() {
    return {.spawned = joins.stats().spawns,
            .ended = joins.stats().deaths,
            .unclaimed = joins.live_entries(),
            .waiting = threads.live_threads()};
  }
  SchedulerStats stats() const { return threads.stats() + joins.stats(); }
  uint64_t region_bytes_max() const { return threads.region_bytes_max(); }
  const void* root_closure() const { return prepared_root.closure(); }

  Threads threads;
  Joins joins;
  AddressScan address_scan;
  const PreparedRoot prepared_root;

 private:
  struct Start {
    RootTask root;
    RootResult result;
  };

  // The root thread is stealable like any other: it may end on any rank.
  static void run_root(void* arg) {
    const Start start = *static_cast<const Start*>(arg);
    const TypeInfo& type = start.root.info->task;
    AnyFrame task(type, alloca(AnyFrame::bytes(type)));
    std::memcpy(task.closure(), start.root.closure, type.closure_size);
    invoke(type, task.closure(), task.result());
    start.result.deliver(task.result());
    self().threads.end_run();
    self().threads.leave_empty_region();
  }

  const RootTask root_;
};

template <ThreadLayer Threads, RemoteHeap Entries>
class Runtime : public SeamOfRank<Rank<Threads, Entries>> {
  using Rank = greedy_join::Rank<Threads, Entries>;
  using Joins = typename Rank::Joins;
  using Context = typename Threads::Context;
  using Entry = typename Joins::Entry;
  using EntryPtr = typename Joins::EntryPtr;

 public:
  static void spawn(const TypeInfo* type, const void* closure, Handle* out) {
    Threads::fork(
        SmallFrame::fits(*type) ? &run_child<SmallFrame> : &run_child<AnyFrame>,
        type, closure, out);
  }

  static void join(const Handle* task, uint32_t, void* result, uint32_t bytes) {
    rma::charged<rma::Cost::kJoin, &join_task>(task, result, bytes);
  }

  static void discard(const Handle* task, uint32_t) { Joins::discard(*task); }

 private:
  [[gnu::always_inline]] static void join_task(const Handle* task, void* result,
                                               uint32_t bytes) {
    Joins::join(*task, result, bytes);
  }

  template <typename Frame>
  static void run_child(Context* parent, const TypeInfo* type,
                        const void* closure, Handle* out) {
    rma::charged<rma::Cost::kSpawn, &run_task<Frame>>(parent, type, closure,
                                                      out);
  }

  // Runs on the stack below the parent's saved context and, from the first
  // spawn or join that the task does, possibly on another rank. The entry is on
  // the rank where it starts. `closure` and `out` are the parent's, which may
  // leave with them as soon as it is offered.
  template <typename Frame>
  [[gnu::always_inline]] static void run_task(Context* parent,
                                              const TypeInfo* type,
                                              const void* closure,
                                              Handle* out) {
    Frame::assume_fits(*type);
    Rank& rank = Rank::self();
    if (rank.address_scan.is_new(*type)) [[unlikely]]
      rank.meet(*type, closure);
    Entry* const entry = rank.joins.new_entry(*type);
    const EntryPtr e = rma::heap_ptr(entry);
    *out = make_handle(e, entry->state.own_value());
    void* stack = nullptr;
    if constexpr (!std::is_same_v<Frame, SmallFrame>)
      stack = alloca(Frame::bytes(*type));
    Frame task(*type, stack);
    copy_task_bytes(task.closure(), closure, type->closure_size);
    rank.threads.begin_child(parent);
    invoke(*type, task.closure(), task.result());
    if constexpr (AddressScan::kLooksAtAll)
      Rank::self().address_scan.look_at_result(*type, task.result());
    Joins::die(rank, entry, e, task.result(), type->result_size, parent);
  }
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_
