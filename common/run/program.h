// The root task of a run; and what a program is on each rank: its types of
// tasks, each looked at before the rank creates the first of them, and its copy
// of the root. For runtimes.

#ifndef MAGPIE_COMMON_RUN_PROGRAM_H_
#define MAGPIE_COMMON_RUN_PROGRAM_H_

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <typeinfo>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/invoke.h"
#include "common/run/run.h"
#include "common/run/type_info.h"

namespace magpie {

// RunnableRank::Root of common/run/run.h. InfoType is RootInfo, or what a
// facade derives from it.
template <typename InfoType>
struct RootOf {
  using Info = InfoType;

  const Info* info;
  const void* closure;
  // The rank that runs it; the caller of the run, which gets the result, is
  // rank 0 all the same.
  int rank = 0;

  // Whether the calling rank runs it.
  bool is_here() const { return rma::rank() == rank; }

  // Bytes that the root says it takes. Ends the process with status 2 and one
  // line where these are more than there can be, as when computed with a
  // negative number.
  size_t heap_bytes() const {
    const size_t bytes =
        info->heap_bytes == nullptr ? 0 : info->heap_bytes(closure);
    if (bytes >= rma::kTooManyBytes) [[unlikely]]
      flags::die(absl::StrCat("heap_bytes() of the root task says ", bytes,
                              ": no machine has so many"));
    return bytes;
  }
  // Number of values of the run's result. Ends the process likewise where these
  // are more bytes than there can be, or none.
  size_t result_count() const {
    if constexpr (requires(const Info& has) { has.result_count; }) {
      if (info->result_count == nullptr) return 1;
      const size_t count = info->result_count(closure);
      if (count == 0 || rma::bytes_of(count, info->result_size) >=
                            rma::kTooManyBytes) [[unlikely]]
        flags::die(absl::StrCat("result_count() of the root task says ", count,
                                count == 0
                                    ? ": a result has a value at least"
                                    : ": no machine has room for these"));
      return count;
    } else {
      return 1;
    }
  }
  ResultShape result() const {
    return {result_count() * info->result_size, info->result_align};
  }
  // Bytes that travel to other ranks, and the root that is made of them there.
  std::span<const std::byte> bytes() const {
    return {static_cast<const std::byte*>(closure), info->task.closure_size};
  }
  RootOf with_bytes(const std::byte* at) const { return {info, at, rank}; }
};

using RootTask = RootOf<RootInfo>;

namespace internal {

// Makes the calling rank's copy of the root ready. An exception that leaves
// prepare(), more memory than heap_bytes() says, and memory that is not the
// same on all ranks print an error and end the job. Collective.
void prepare(const RootInfo& info, void* closure);

// Prints an error and ends the job unless the type that is asked for is that
// which there is.
void require_type(const std::type_info& asked, const std::type_info& is);

// Prints an error and ends the job unless a run whose results are of type `is`,
// or which has none where that is null, can end with one of type `given`.
void require_result_type(const std::type_info& given, const std::type_info* is);

}  // namespace internal

// Tells all ranks that a run is to end before all of its work is done.
//
// The rank that ends it puts into a word of each rank. A tree, down which ranks
// pass what they have learnt, would be held up by each rank on it that runs a
// long task; and a run ends early once.
//
// Thread safety: an instance belongs to one rank; others change its words.
// Invariants:
//   1. `callers`, on rank 0, is changed by atomics only: one caller is first,
//      and tells all.
//   2. `told` changes once, from 0 to 1, by puts of that caller alone.
class EarlyEnd {
 public:
  // Collective.
  EarlyEnd()
      : words_(rma::allocate<Words>(1, "early end")), own_(words_.local()) {}

  static size_t heap_bytes() { return rma::allocated_bytes<Words>(); }

  // Whether the run is to end, as far as the calling rank knows. Cost: no
  // operation.
  bool is_announced() const { return own_->told.load() != 0; }

  // The same, for a caller that asks again and again, and loads other Words in
  // between. Cost: an instruction; no simulated time.
  bool is_seen() const { return own_->told.glance() != 0; }

  // Tells all ranks. When it has returned, all know where the caller was the
  // first; where it was not, all will know soon. Cost: none where the calling
  // rank knows; else a fetch_add and, for the first, a put_nb to each rank.
  [[gnu::cold]] void announce() const {
    if (is_announced()) return;
    if (rma::fetch_add(words_.field(&Words::callers).at(0), 1) > 0) return;
    rma::put_word_to_all(words_.field(&Words::told), 1);
  }

 private:
  struct Words {
    // Word that its owner looks at again and again, and nobody else.
    alignas(64) rma::Word told;
    alignas(64) rma::Word callers;
  };

  rma::RemotePtr<Words> words_;
  const Words* own_;
};

// Thread safety: belongs to one rank.
template <typename Info>
class ProgramOf {
 public:
  using Root = RootOf<Info>;

  // Collective. Prepares the root. Before that the closure is looked through as
  // its caller, rank 0, has it: others have the same bytes.
  ProgramOf(OnAddress on_address, const Root& root)
      : address_scan_(on_address),
        root_(root),
        type_(root.info->name),
        prepared_(::operator new(root.info->task.closure_size, align())) {
    const RootInfo& info = *root.info;
    if (rma::rank() == 0 && info.task.has_clean_bytes) {
      address_scan_.look("the root task's closure", root.closure,
                         info.task.closure_size,
                         rma::self().region + rma::self().region_bytes);
    }
    std::memcpy(prepared_, root.closure, info.task.closure_size);
    if (info.prepare != nullptr) internal::prepare(info, prepared_);
  }
  ~ProgramOf() { ::operator delete(prepared_, align()); }
  ProgramOf(const ProgramOf&) = delete;
  ProgramOf& operator=(const ProgramOf&) = delete;

  static size_t heap_bytes(const Root& root) {
    return EarlyEnd::heap_bytes() + root.heap_bytes();
  }

  // Looks at a task that the calling rank is about to create: at the first of
  // its type, in debug builds at all. An address in it, and a fork-join task
  // that no task creates, print an error and end the job.
  [[gnu::always_inline]] void look_at(const TypeInfo& type,
                                      const void* closure) {
    if (is_new(type)) [[unlikely]]
      look_at_first(type, closure);
  }
  // Whether look_at() would look.
  bool is_new(const TypeInfo& type) const { return address_scan_.is_new(type); }
  // Looks at the result of a task that has ended here.
  [[gnu::always_inline]] void look_at_result(const TypeInfo& type,
                                             const void* result) {
    if constexpr (AddressScan::kLooksAtAll) {
      if (type.has_clean_bytes)
        address_scan_.look("a task's result", result, type.result_size,
                           rma::self().region);
    }
  }

  // End of a run before its work is done.
  const EarlyEnd& early_end() const { return early_end_; }

  const Root& root() const { return root_; }
  const void* prepared() const { return prepared_; }
  // The calling rank's copy, made ready. Prints an error and ends the job where
  // it is not of that type.
  const void* root_closure(const std::type_info& type) const {
    if (&type != type_) [[unlikely]]
      internal::require_type(type, *type_);
    return prepared_;
  }

 private:
  [[gnu::noinline]] void look_at_first(const TypeInfo& type,
                                       const void* closure) {
    address_scan_.set_seen(type);
    if (type.has_clean_bytes)
      address_scan_.look("a task's closure", closure, type.closure_size,
                         __builtin_frame_address(0));
    if constexpr (!requires { Info::kIsPool; }) require_task_stack();
  }

  std::align_val_t align() const {
    return std::align_val_t{root_.info->task.closure_align};
  }

  AddressScan address_scan_;
  const EarlyEnd early_end_;
  const Root root_;
  const std::type_info* const type_;
  void* const prepared_;
};

// A fork-join program, where only tasks spawn tasks. A value that a task ends
// the run with is its result, in the place of what the root returns.
//
// Invariants:
//   1. `callers_`, on rank 0, is changed by atomics only: one caller is first,
//      and its value alone is delivered.
class TaskProgram : public ProgramOf<RootInfo> {
 public:
  // Collective.
  TaskProgram(OnAddress on_address, const Root& root)
      : ProgramOf(on_address, root),
        early_result_(root.result(), "early result"),
        callers_(rma::allocate<rma::Word>().at(0)) {}

  static size_t heap_bytes(const Root& root) {
    return ProgramOf::heap_bytes(root) + RootResult::heap_bytes(root.result()) +
           rma::allocated_bytes<rma::Word>();
  }

  // Ends the run on all ranks, called by a task; with *value, where there is a
  // type, as its result, unless it has one. Another type than the root's result
  // prints an error and ends the job.
  [[gnu::cold]] void end_run(const std::type_info* type,
                             const void* value) const {
    // Asked first, so that a call where there is no run faults here, in its
    // words.
    const bool is_known = early_end().is_announced();
    require_task_stack("end_run");
    if (type != nullptr) {
      internal::require_result_type(*type, root().info->result_name);
      if (rma::fetch_add(callers_, 1) == 0) early_result_.deliver(value);
    }
    if (!is_known) early_end().announce();
  }
  // See RunnableRank::finish.
  void finish(const RootResult& result) const {
    if (rma::rank() == 0 && callers_.local()->load() != 0)
      early_result_.copy_to(result.local());
  }

 private:
  const RootResult early_result_;
  const rma::RemotePtr<rma::Word> callers_;
};

// Runs the root of a fork-join program and delivers its result. It may end on
// another rank: both arguments are copies on the stack where it runs, or stay
// where they are.
inline void run_root(const RootTask& root, const RootResult& result) {
  const TypeInfo& type = root.info->task;
  with_any_frame(type, [&](AnyFrame& frame) {
    std::memcpy(frame.closure(), root.closure, type.closure_size);
    invoke(type, frame.closure(), frame.result());
    result.deliver(frame.result());
  });
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_RUN_PROGRAM_H_
