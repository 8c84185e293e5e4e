// A fork-join runtime of threads whose continuations are stolen, out of a
// thread layer and a way to join: the object of one rank, and the functions of
// the seam (runtime.h). The compositions in runtimes/ instantiate it.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_

#include <cstddef>
#include <cstdint>

#include "common/flags/flags.h"
#include "common/fork_join/charged.h"
#include "common/fork_join/entry_options.h"
#include "common/fork_join/join_policy.h"
#include "common/fork_join/plain_types.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/task_frames.h"
#include "common/fork_join/task_program.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/task/address_scan.h"
#include "common/task/invoke.h"
#include "common/task/seam_of_rank.h"

namespace magpie {

// One rank: its parts.
template <JoinPolicy Joins>
class ThreadRank : public JoinParts<typename Joins::Threads, Joins> {
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
  ThreadRank(const Options& options, const Root& root)
      : Parts{Threads(options.threads, root.rank),
              Joins(options.entries.heap())},
        program_(options.on_address, root),
        may_be_plain_(rma::kBackend.sim == nullptr &&
                      !AddressScan::kLooksAtAll && hooks_no_spawns()) {
    check(static_cast<void*>(static_cast<Parts*>(this)) == this,
          "the parts do not stand first");
  }

  static ThreadRank& self() { return this_rank<ThreadRank>(); }

  // A new thread on this rank.
  [[gnu::always_inline]] typename Joins::Running create(const TypeInfo& type,
                                                        const void* closure) {
    program_.look_at(type, closure);
    if (may_be_plain_ && SmallFrame::fits(type)) plain_types_.add(type);
    return this->joins.create(type);
  }
  // The same of a type that is_plain().
  [[gnu::always_inline]] typename Joins::Running create_plain(
      const TypeInfo& type) {
    return this->joins.create(type);
  }
  [[gnu::always_inline]] bool is_plain(const TypeInfo& type) const {
    return plain_types_.has(type);
  }
  TaskProgram& program() { return program_; }

  void run(const RootResult& result) {
    Start start = {program_.root(), result};
    auto&& ready = ready_threads(this->joins);
    this->threads.run(&run_root, &start, ready);
  }

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
  struct Start {
    RootTask root;
    RootResult result;
  };

  // The root thread is stealable like any other: it may end on any rank.
  static void run_root(void* arg) {
    const Start start = *static_cast<const Start*>(arg);
    magpie::run_root(start.root, start.result);
    self().threads.end_run();
    self().threads.exit_to_scheduler();
  }

  bool hooks_no_spawns() const {
    if constexpr (requires { this->threads.hooks_spawns(); })
      return !this->threads.hooks_spawns();
    return false;
  }

  PlainTypes plain_types_;
  TaskProgram program_;
  // Whether types of small tasks are plain on this rank.
  const bool may_be_plain_;
};

// A task as a thread: what a thread layer creates. `closure` and `out` are the
// parent's, which may leave with them as soon as it is offered.
template <JoinPolicy Joins, typename FrameType, bool kIsOfPlainType = false>
class TaskThread {
  using Rank = ThreadRank<Joins>;

 public:
  static constexpr bool kIsPlain = kIsOfPlainType;
  using Frame = FrameType;
  static size_t frame_bytes(const TypeInfo* type, const void*,
                            Handle*) requires(!Frame::kIsFixed) {
    return Frame::bytes(*type);
  }
  [[gnu::always_inline]] static Frame frame_in(void* memory,
                                               const TypeInfo* type,
                                               const void*, Handle*) {
    Frame::assume_fits(*type);
    return Frame(*type, memory);
  }

  [[gnu::always_inline]] TaskThread(Frame& frame, const TypeInfo* type,
                                    const void* closure, Handle* out)
      : home_(Rank::self()),
        frame_(frame),
        type_(*type),
        running_(kIsPlain ? home_.create_plain(*type)
                          : home_.create(*type, closure)) {
    *out = running_.handle();
    copy_task_bytes(frame_.closure(), closure, type_.closure_size);
  }

  [[gnu::always_inline]] typename Joins::Threads& threads() const {
    return home_.threads;
  }
  [[gnu::always_inline]] void run() {
    invoke(type_, frame_.closure(), frame_.result());
    if constexpr (AddressScan::kLooksAtAll)
      Rank::self().program().look_at_result(type_, frame_.result());
    is_away_ = !running_.put_result(frame_.result(), type_.result_size);
  }
  [[gnu::always_inline]] bool is_away() const { return is_away_; }
  [[gnu::always_inline]] void return_to_parent() {
    running_.return_to_parent();
  }
  [[noreturn, gnu::always_inline]] void leave() {
    running_.leave(type_.result_size);
  }

 private:
  // The rank where the thread was created; looked at only there.
  Rank& home_;
  Frame& frame_;
  const TypeInfo& type_;
  typename Joins::Running running_;
  bool is_away_ = false;
};

// The functions of the seam.
template <JoinPolicy Joins>
class ThreadRuntimeOf : public SeamOfRank<ThreadRank<Joins>> {
 public:
  [[gnu::always_inline]] static void spawn(const TypeInfo* type,
                                           const void* closure, Handle* out) {
    if (SmallFrame::fits(*type)) [[likely]]
      return create<TaskThread<Joins, SmallFrame>>(type, closure, out);
    create<TaskThread<Joins, AnyFrame>>(type, closure, out);
  }
  // REQUIRES: the calling rank's is_plain(*type).
  [[gnu::always_inline]] static void spawn_plain(const TypeInfo* type,
                                                 const void* closure,
                                                 Handle* out) {
    create<TaskThread<Joins, SmallFrame, true>>(type, closure, out);
  }

  [[gnu::always_inline]] static void join(const Handle* task, uint32_t consumer,
                                          void* result, uint32_t bytes) {
    Joins::join(*task, consumer, result, bytes);
  }

  static void discard(const Handle* task, uint32_t consumer, uint32_t bytes) {
    Joins::discard(*task, consumer, bytes);
  }

 private:
  template <typename Thread>
  static void create(const TypeInfo* type, const void* closure, Handle* out) {
    Joins::Threads::template create_thread<Thread>(type, closure, out);
  }
};

template <JoinPolicy Joins>
class ThreadRuntime : public Charged<ThreadRuntimeOf<Joins>> {
 public:
  static void spawn(const TypeInfo* type, const void* closure, Handle* out) {
    if (ThreadRank<Joins>::self().is_plain(*type)) [[likely]]
      return ThreadRuntimeOf<Joins>::spawn_plain(type, closure, out);
    Charged<ThreadRuntimeOf<Joins>>::spawn(type, closure, out);
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_RUNTIME_H_
