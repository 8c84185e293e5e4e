// One run of a runtime: its flags, the segment's layout, the run on every rank,
// the balance at its end, the root's result and the report.
//
// A runtime is a class with one instance on each rank, which holds the parts
// that it is composed of:
//
//   return run_everywhere<Rank>(arguments, root, &result, &report);

#ifndef MAGPIE_COMMON_RUN_RUN_H_
#define MAGPIE_COMMON_RUN_RUN_H_

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/describe.h"
#include "common/run/globals.h"
#include "common/run/held.h"
#include "common/run/report.h"
#include "common/trace/recorder.h"

namespace magpie {

// Makes 1 the default of --ranks, whatever the network's default is, and
// refuses more with an error message, also where a launcher has started more:
// `who` takes one rank. To be called after the network's flags were added.
void take_one_rank(CLI::App& app, const std::string& who);

namespace internal {

// The flags of every program, whichever runtime and network it was linked with:
// --help, --version, --stats, and the flags of a trace.

inline constexpr char kVersion[] = "0.8.0";

// Adds the flags of a runtime to an app.
using AddFlags = std::function<void(CLI::App& app)>;

struct CommonOptions {
  // See print_stats.
  std::string stats;
  trace::Options tracing;
};

// Parses the flags of all layers; ends the process where they are wrong, or
// with --help.
CommonOptions parse_all_flags(const std::string& runtime,
                              const AddFlags& add_flags,
                              const std::vector<std::string>& arguments);

// The flags of all layers, as text for --help, without --help itself.
std::string help_on_all_flags(const std::string& runtime,
                              const AddFlags& add_flags);

}  // namespace internal

// The shape of the root's result; size 0 where there is none.
struct ResultShape {
  size_t size;
  uint32_t align;
};

// The place where the root task, which may end on any rank, leaves its result
// for rank 0; or where a task that ends the run leaves a value, whose name in
// logs is `name`.
//
// Thread safety: rank 0 reads after a barrier that follows deliver().
class RootResult {
 public:
  // Collective.
  explicit RootResult(ResultShape shape, const char* name = "root result")
      : bytes_(shape.size),
        result_(rma::allocate_bytes(shape.size, shape.align, name).at(0)) {}

  static size_t heap_bytes(ResultShape shape) {
    return rma::allocated_bytes(shape.size, shape.align);
  }

  // Leaves the result. To be called on the rank where the task has ended.
  // Complete when it returns. Cost: a put, where there is a result.
  void deliver(const void* result) const {
    if (bytes_ > 0) rma::put(result_, result, bytes_);
    rma::flush(0);
  }

  // Place of the result, for a root that always ends on rank 0. REQUIRES, for
  // this and all that follow: called on rank 0.
  void* local() const { return result_.local(); }
  void copy_to(void* result) const {
    if (bytes_ > 0) std::memcpy(result, result_.local(), bytes_);
  }

 private:
  const size_t bytes_;
  // Lies on rank 0.
  const rma::RemotePtr<std::byte> result_;
};

// Counts of a rank's tasks at the end of a run. Summed over all ranks, `ended`
// equals `spawned`, and the others are 0.
struct Balance {
  uint64_t spawned;
  uint64_t ended;
  // Tasks that were neither joined nor discarded.
  uint64_t unclaimed;
  // Threads that are suspended.
  uint64_t waiting;
};

//   R::Options            Default-constructible, trivially copyable.
//   R::Root               The root task: bytes() are what it needs on every
//                         rank, with_bytes(there) is the task with its bytes
//                         at another place, result() the shape of its result.
//                         Trivially copyable.
//   R::add_options(app, options)
//                         Or R::add_options(app, options, root), where a
//                         flag's allowed values depend on the root: a pointer
//                         to it, null where it is not known, the default.
//   R::layout(options, root)
//                         Bytes of the region, and of the parts' heap.
//   R(options, root)      Collective.
//   run(root_result)      Collective. Runs the root, which delivers its result,
//                         and all its descendants; returns when all is over.
//   finish(root_result)   Collective. Called after run(), and not timed.
//                         Delivers the result where run() did not.
//   balance(), stats(), region_bytes_max()
//                         Called after the run, for the calling rank.
//                         Optional: own_counts(), what the parts count besides.
template <typename R>
concept RunnableRank = std::default_initializable<typename R::Options> &&
    std::is_trivially_copyable_v<typename R::Options> &&
    std::is_trivially_copyable_v<typename R::Root> &&
    std::constructible_from<R, const typename R::Options&,
                            const typename R::Root&> &&
    requires(R rank, typename R::Options options, CLI::App& app,
             const typename R::Root& root, const std::byte* there,
             const RootResult& root_result) {
  { R::add_options(app, options) } -> std::same_as<void>;
  { R::layout(options, root) } -> std::same_as<rma::SegmentLayout>;
  { root.bytes() } -> std::same_as<std::span<const std::byte>>;
  { root.with_bytes(there) } -> std::same_as<typename R::Root>;
  { root.result() } -> std::same_as<ResultShape>;
  { rank.run(root_result) } -> std::same_as<void>;
  { rank.finish(root_result) } -> std::same_as<void>;
  { rank.balance() } -> std::same_as<Balance>;
  { rank.stats() } -> std::convertible_to<SchedulerStats>;
  { rank.region_bytes_max() } -> std::same_as<uint64_t>;
};

namespace internal {

template <typename R>
constexpr Facade facade_of() {
  constexpr bool kIsPool = requires { R::Root::Info::kIsPool; };
  return kIsPool ? Facade::kPool : Facade::kForkJoin;
}

// Adds the flags of R. `root` is null where it is not known.
template <typename R>
void add_options_of(CLI::App& app, typename R::Options& options,
                    const typename R::Root* root) {
  static_assert(
      !requires { R::add_options(app, options, *root); },
      "add_options() takes the root by a pointer, which may be null");
  if constexpr (requires { R::add_options(app, options, root); })
    R::add_options(app, options, root);
  else
    R::add_options(app, options);
}

// Place of a rank's instance: pools and fork-join runtimes have different
// places, so that a call of a facade that has no run is found.
template <typename R>
[[gnu::always_inline]] inline auto& object_of(rma::Self& self) {
  if constexpr (facade_of<R>() == Facade::kPool)
    return self.pool;
  else
    return self.local;
}

// Words for a call of the other facade, or before tasks, in a run of `facade`.
const char* mistaken_call(Facade facade);

}  // namespace internal

// The calling rank's instance, while it runs. Read it again after each point
// where a task may have moved.
template <typename R>
[[gnu::always_inline]] inline R& this_rank() {
  return *static_cast<R*>(internal::object_of<R>(rma::self()));
}

// Prints an error and ends the job, from rank 0, unless the ranks' balances sum
// up as they must. Collective.
void check_balance(const Balance& mine, Facade facade);

namespace internal {

// The counts that a trace has of a rank, besides its events.
OwnCounts traced_counts(const SchedulerStats& stats, const Balance& balance,
                        uint64_t region_bytes_max, const OwnCounts& own);

// Data that rank 0 hands to every rank; the root's bytes follow it.
template <RunnableRank R>
struct Job {
  typename R::Options options;
  typename R::Root root;
  trace::Sizes traced;
  // All lie on rank 0.
  trace::Options* tracing;
  void* result;
  RunReport* report;
};

template <RunnableRank R>
int run_rank(void* packed) {
  const Job<R>& job = *static_cast<const Job<R>*>(packed);
  const typename R::Root root =
      job.root.with_bytes(static_cast<const std::byte*>(packed) + sizeof(job));
  constexpr Facade kFacade = facade_of<R>();
  rma::self().mistaken_call = mistaken_call(kFacade);
  R rank(job.options, root);
  internal::object_of<R>(rma::self()) = &rank;
  const RootResult root_result(root.result());
  const bool is_first = rma::rank() == 0;
  if (is_first) trace::open_files(*job.tracing);
  trace::Recorder recorder(job.traced);
  rma::barrier();
  WrittenGlobals written;
  recorder.start();
  const rma::OpCounters before = rma::self().counters;
  const uint64_t begin = rma::now();
  {
    const RunsTasks runs_tasks;
    rank.run(root_result);
  }
  const uint64_t end = rma::now();
  recorder.stop();
  const rma::OpCounters counters = rma::self().counters - before;
  // All have left the run: no operation is on its way any more.
  rma::barrier();
  written.look();
  rank.finish(root_result);
  const Balance balance = rank.balance();
  check_balance(balance, kFacade);
  RunReport report;
  report.facade = kFacade;
  report.run_ns = end - begin;
  report.region_bytes_max = rank.region_bytes_max();
  report.own_counts = own_counts_of(rank);
  const OwnCounts traced = traced_counts(
      rank.stats(), balance, report.region_bytes_max, report.own_counts);
  sum_up(rank.stats(), counters, &report);
  if (is_first) {
    report.runtime = job.report->runtime;
    report.seconds = static_cast<double>(end - begin) * 1e-9;
    *job.report = report;
    root_result.copy_to(job.result);
  }
  recorder.write(is_first ? job.tracing : nullptr,
                 is_first ? job.report->runtime : "", traced);
  return 0;
}

}  // namespace internal

// Parses the flags of the runtime and the network (all of `arguments`: unknown
// ones end the process with status 2, --help and --version with 0), runs `root`
// on all ranks, and returns the exit status on rank 0, where *result and
// *report are set. REQUIRES: report->runtime is set.
template <RunnableRank R>
int run_everywhere(const std::vector<std::string>& arguments,
                   const typename R::Root& root, void* result,
                   RunReport* report) {
  internal::Job<R> job = {{}, root, {}, nullptr, result, report};
  internal::CommonOptions options = internal::parse_all_flags(
      report->runtime,
      [&](CLI::App& app) {
        internal::add_options_of<R>(app, job.options, &root);
      },
      arguments);
  job.tracing = &options.tracing;
  job.traced = trace::sizes_of(options.tracing);
  // The root's heap_bytes() may ask for the number of ranks.
  rma::SegmentLayout layout = [&] {
    const rma::SizeIsKnown size_is_known;
    return R::layout(job.options, root);
  }();
  layout.heap_bytes += RootResult::heap_bytes(root.result()) +
                       trace::Recorder::heap_bytes(job.traced);
  const auto* const begin = reinterpret_cast<const std::byte*>(&job);
  std::vector<std::byte> packed(begin, begin + sizeof(job));
  const std::span<const std::byte> bytes = root.bytes();
  packed.insert(packed.end(), bytes.begin(), bytes.end());
  const int status =
      rma::launch(layout, &internal::run_rank<R>, packed.data(), packed.size());
  if (status == 0) print_stats(options.stats, *report);
  return status;
}

// The functions of both facades' seams that are the same for every class of
// ranks, for seams to derive from. `Rank` is a RunnableRank whose Root is a
// RootOf, and whose program() is a ProgramOf (program.h).
template <typename Rank>
class SeamOfRank {
 public:
  template <typename Info>
  static int run(const std::vector<std::string>& arguments, const Info* root,
                 const void* closure, void* result, RunReport* report) {
    return run_everywhere<Rank>(arguments, {root, closure}, result, report);
  }
  static const void* root_closure(const std::type_info& type) {
    return this_rank<Rank>().program().root_closure(type);
  }
  static void end_run(const std::type_info* type, const void* value) {
    this_rank<Rank>().program().end_run(type, value);
  }
  static bool is_ending() {
    return this_rank<Rank>().program().early_end().is_announced();
  }
  static std::string flags_help(const char* runtime) {
    typename Rank::Options options;
    return internal::help_on_all_flags(runtime, [&](CLI::App& app) {
      internal::add_options_of<Rank>(app, options, nullptr);
    });
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_RUN_H_
