// A fork-join runtime out of greedy join and a thread layer: the functions of
// the seam (common/fork_join/runtime.h). The root BUILD's runtimes instantiate
// it.

#ifndef MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_
#define MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_

#include <alloca.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/fork_join/invoke.h"
#include "common/fork_join/run_report.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"
#include "impl/greedy_join/greedy_join.h"

namespace magpie::greedy_join {

// `Join` is a GreedyJoin, or a class with its functions, over a thread layer
// with `Options`, add_options(CLI::App&, Options&), run(), end_run() and
// region_bytes_max().
template <typename Join>
class Runtime {
  using Context = typename Join::Context;
  using Entry = typename Join::Entry;
  using EntryPtr = typename Join::EntryPtr;
  using ThreadOptions = typename Join::Options;

 public:
  // The usual case calls nothing before the task starts, so there is nothing to
  // save for a call.
  static void spawn(const TypeInfo* type, const void* closure, Handle* out) {
    if (rma::kBackend.sim != nullptr || !is_small(*type)) [[unlikely]]
      return spawn_any(type, closure, out);
    Join& join = Join::self();
    Entry* const entry = join.recycled_entry(type->result_size);
    if (entry == nullptr) [[unlikely]]
      return spawn_any(type, closure, out);
    start<SmallTask>(join, entry, type, closure, out);
  }

  static void join(const Handle* task, uint32_t, void* result) {
    const EntryPtr entry = entry_of<Entry>(*task);
    const uint32_t bytes = result_size_of(*task);
    if (!Join::join_done(entry, result, bytes)) [[unlikely]]
      Join::join(entry, result, bytes);
  }

  static void discard(const Handle* task, uint32_t) {
    Join::discard(entry_of<Entry>(*task));
  }

  static int run(const std::vector<std::string>& arguments,
                 const TypeInfo* root, const void* closure, void* result,
                 RunReport* report) {
    Job job = {root, closure, result, report, {}};
    CLI::App app;
    add_all_options(app, &job.options);
    flags::parse_rest_or_exit(app, arguments);
    const rma::SegmentLayout layout = {
        .region_bytes = job.options.threads.region_bytes,
        .heap_bytes = job.options.threads.heap_bytes() +
                      job.options.entry_bytes + root->result_size +
                      root->result_align + kOtherBytes,
        .region_overflow =
            "the region is exhausted: tasks nest too deeply; raise "
            "--region_bytes"};
    return rma::launch(layout, &run_rank, &job);
  }

  static const void* root_closure() { return Join::self().root_closure(); }

  static std::string flags_help() {
    CLI::App app;
    Options options;
    add_all_options(app, &options);
    return app.help();
  }

 private:
  static constexpr size_t kOtherBytes =
      4096;  // of the heap: alignment, and a few words

  struct Options {
    ThreadOptions threads;
    uint64_t entry_bytes = 16 << 20;
  };

  static void add_all_options(CLI::App& app, Options* options) {
    app.set_help_flag();  // the program's, which prints these flags with its
                          // own
    rma::add_options(app);
    add_options(app, options->threads);
    flags::add_bytes(
        app, "--entry_bytes", options->entry_bytes,
        "memory for tasks whose result is not yet joined, on each rank",
        1 << 10, 1ull << 36);
  }

  // ------------------------------------------------------------------------------
  // a task

  [[gnu::noinline]] static void spawn_any(const TypeInfo* type,
                                          const void* closure, Handle* out) {
    rma::charge(rma::Cost::kSpawn);
    Join& join = Join::self();
    Entry* const entry = join.new_entry(*type);
    if (is_small(*type)) {
      start<SmallTask>(join, entry, type, closure, out);
    } else {
      start<AnyTask>(join, entry, type, closure, out);
    }
  }

  template <typename Memory>
  static void start(Join& join, Entry* entry, const TypeInfo* type,
                    const void* closure, Handle* out) {
    ++join.stats().spawns;
    *out = make_handle(Join::pointer_to(entry), type->result_size);
    Join::fork(&run_child<Memory>, type, closure, entry);
  }

  // Runs on the stack below the parent's saved context and, from the first
  // spawn or join that the task does, possibly on another rank. The entry is on
  // the rank where it starts.
  template <typename Memory>
  static void run_child(Context* parent, const TypeInfo* type,
                        const void* parents_closure, Entry* entry) {
    Join& join = Join::self();
    const EntryPtr e = Join::pointer_to(entry);
    void* stack = nullptr;
    if constexpr (!std::is_same_v<Memory, SmallTask>)
      stack = alloca(Memory::bytes(*type));
    Memory memory(*type, stack);
    memory.copy_closure(parents_closure,
                        *type);  // before the parent may leave with it
    join.begin_child(parent);
    invoke(*type, memory.closure(), memory.result());
    Join::die(join, entry, e, memory.result(), type->result_size, parent);
  }

  // A task's closure and result, in its own frame. Most are small: then the
  // places are fixed, and there is little to compute and to copy on the way to
  // the task.
  static bool is_small(const TypeInfo& type) {
    return (type.closure_size | type.result_size) < SmallTask::kBytes &&
           (type.closure_align | type.result_align) < 32;
  }

  class SmallTask {
   public:
    static constexpr uint32_t kBytes =
        64;  // a power of two: is_small compares two sizes at once
    SmallTask(const TypeInfo&, void*) {}
    void copy_closure(const void* from, const TypeInfo& type) {
      if (type.closure_size == 8) [[likely]] {
        std::memcpy(closure_, from,
                    8);  // a call of memcpy would cost more than the copy
      } else {
        std::memcpy(closure_, from, type.closure_size);
      }
    }
    void* closure() { return closure_; }
    void* result() { return result_; }

   private:
    alignas(16) std::byte closure_[kBytes];
    alignas(16) std::byte result_[kBytes];
  };

  // Any size and alignment, in memory that its user has taken from the stack.
  class AnyTask {
   public:
    static size_t bytes(const TypeInfo& type) {
      return size_t{type.closure_size} + type.closure_align + type.result_size +
             type.result_align;
    }
    AnyTask(const TypeInfo& type, void* memory)
        : closure_(align(memory, type.closure_align)),
          result_(align(static_cast<std::byte*>(closure_) + type.closure_size,
                        type.result_align)) {}
    void copy_closure(const void* from, const TypeInfo& type) {
      std::memcpy(closure_, from, type.closure_size);
    }
    void* closure() { return closure_; }
    void* result() { return result_; }

   private:
    static void* align(void* memory, uint32_t to) {
      return reinterpret_cast<void*>(
          (reinterpret_cast<uintptr_t>(memory) + to - 1) & ~uintptr_t{to - 1});
    }
    void* closure_;
    void* result_;
  };

  // ------------------------------------------------------------------------------
  // a run

  struct Job {
    const TypeInfo* root;
    const void* closure;
    void* result;
    RunReport* report;
    Options options;
  };

  // Where the root thread, which may end on any rank, leaves what rank 0 wants
  // to know.
  struct RootThread {
    const TypeInfo* type;
    const void* closure;
    rma::RemotePtr<std::byte> result;
    rma::RemotePtr<uint64_t> ended_on;
  };

  static int run_rank(void* arg) {
    const Job& job = *static_cast<Job*>(arg);
    const auto join =
        std::make_unique<Join>(job.options.threads, job.options.entry_bytes);
    join->set_root_closure(job.closure);
    RootThread root = {job.root, job.closure,
                       rma::allocate_bytes(std::max(job.root->result_size, 1u),
                                           job.root->result_align)
                           .at(0),
                       rma::allocate<uint64_t>().at(0)};
    rma::barrier();
    const rma::OpCounters before = rma::self().counters;
    const uint64_t begin = rma::now();
    join->run(&run_root, &root);
    const uint64_t end = rma::now();
    const rma::OpCounters counters = rma::self().counters - before;
    rma::barrier();  // all have left the run: no operation is on its way any
                     // more
    check_all_is_over(*join);
    sum_up(join->stats(), counters, join->region_bytes_max(), job.report);
    if (rma::rank() == 0) {
      job.report->seconds = static_cast<double>(end - begin) * 1e-9;
      job.report->root_ended_on = static_cast<int>(*root.ended_on.local());
      if (job.root->result_size > 0)
        std::memcpy(job.result, root.result.local(), job.root->result_size);
    }
    return 0;
  }

  static void run_root(void* arg) {
    const RootThread root = *static_cast<RootThread*>(arg);
    AnyTask task(*root.type, alloca(AnyTask::bytes(*root.type)));
    task.copy_closure(root.closure, *root.type);
    invoke(*root.type, task.closure(), task.result());
    if (root.type->result_size > 0)
      rma::put(root.result, task.result(), root.type->result_size);
    rma::put(root.ended_on, static_cast<uint64_t>(rma::rank()));
    rma::flush(0);
    Join::self().end_run();
    Join::self().leave_empty_region();
  }

  // Tasks that were discarded end before their rank leaves the run, so now
  // everything has ended.
  static void check_all_is_over(Join& join) {
    uint64_t totals[] = {join.stats().spawns, join.stats().deaths,
                         join.live_entries(), join.evacuation().live_objects()};
    rma::reduce(totals, std::size(totals), rma::Reduction::kSum);
    if (totals[0] != totals[1] || totals[2] != 0 || totals[3] != 0) {
      if (rma::rank() == 0) {
        rma::fatal(absl::StrCat(
            "at the end of the run ", totals[0], " tasks were spawned, ",
            totals[1], " ended, ", totals[2],
            " were neither joined nor discarded, ", totals[3],
            " still wait; each future is to be joined or discarded once"));
      }
      rma::barrier();  // rank 0 ends the job
    }
  }
};

}  // namespace magpie::greedy_join

#endif  // MAGPIE_IMPL_GREEDY_JOIN_RUNTIME_H_
