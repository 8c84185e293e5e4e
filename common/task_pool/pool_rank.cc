#include "common/task_pool/pool_rank.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/run/invoke.h"

namespace magpie {
namespace {

[[noreturn]] void too_large(const PoolTask& task, const PoolInfo& root) {
  const std::string most =
      root.kept_to_bytes != 0
          ? absl::StrCat("and the root's kTaskBytes is ", root.kept_to_bytes)
          : absl::StrCat(
                "and the largest task that was known before main() has ",
                largest_task, ": state kTaskBytes in the root");
  rma::fatal(absl::StrCat("a task, ", name_of(*task.name), ", has ",
                          task.type.closure_size, " bytes, ", most));
}

void require_rank(int rank) {
  if (rma::size() == 0) rma::fatal("add_at was called outside run_pool");
  if (rank >= 0 && rank < rma::size()) return;
  rma::fatal(absl::StrCat("add_at(", rank, "): there are ranks 0 to ",
                          rma::size() - 1));
}

void require_place(int place, int places) {
  if (place >= 0 && place < places) return;
  rma::fatal(absl::StrCat("static_async_any(", place,
                          "): there are places 0 to ", places - 1));
}

}  // namespace

void an_exception_left_task(const PoolTask& task) {
  an_exception_left(absl::StrCat("a task, ", name_of(*task.name)).c_str());
}

PoolRank::PoolRank(const PoolOptions& options, const Root& root)
    : ProgramOf(options.on_address, root),
      constructs_(options.static_bytes, root.is_here()),
      partial_(*root.info->partial, root.result_count()) {
  root_type_ = root.info->name;
  root_closure_ = prepared();
  values_ = partial_.values();
  // Others read the values while tasks run, or nobody does.
  if (!results_are_read || rma::size() == 1) {
    plain_type_ = root.info->partial;
    plain_values_ = root.result_count();
  }
}

size_t PoolRank::heap_bytes(const PoolOptions& options, const Root& root) {
  return ProgramOf::heap_bytes(root) +
         Constructs::heap_bytes(options.static_bytes) +
         PartialResult::heap_bytes(*root.info->partial, root.result_count()) +
         Finishes::heap_bytes();
}

void PoolRank::run(const RootResult&) {
  if (!root().is_here()) {
    do {
      bag_->run(false);
    } while (has_entered_next());
    return;
  }
  invoke(root().info->task, prepared(), nullptr);
  if (constructs_.finish() == 0) begin_finish();
  if (constructs_.is_open()) end_finish();
  finishes_.end();
}

void PoolRank::begin_finish() {
  constructs_.begin();
  if (constructs_.finish() == 1) return;
  enter();
  finishes_.begin([] {});
}

void PoolRank::end_finish() {
  constructs_.end_body();
  bag_->run(true);
  constructs_.end();
  std::ranges::fill(known_, nullptr);
}

void PoolRank::enter() {
  partial_.clear();
  bag_->begin_next();
}

bool PoolRank::has_entered_next() {
  const uint64_t begin = rma::now();
  const bool has_entered = finishes_.wait([this] {
    constructs_.enter_next();
    enter();
  });
  between_finishes_ns_ += rma::now() - begin;
  return has_entered;
}

Balance PoolRank::balance() const {
  const SchedulerStats stats = bag_->stats();
  return {stats.spawns, stats.deaths, 0, 0};
}
SchedulerStats PoolRank::stats() const {
  SchedulerStats stats = bag_->stats();
  stats.idle_ns += between_finishes_ns_;
  return stats;
}

// ------------------------------------------------------------------- the seam

PoolRank& PoolSeam::rank() { return static_cast<PoolRank&>(*this); }

void PoolSeam::require_thread(const char* function) const {
  if (&thread_mark == thread_) return;
  rma::fatal(absl::StrCat(function,
                          " was called by a thread of the program's own: it is "
                          "for the root and for tasks"));
}

void PoolSeam::look_at(const PoolTask& task, const void* closure) {
  require_thread("add");
  PoolRank& here = rank();
  here.ProgramOf::look_at(task.type, closure);
  if (!here.constructs_.is_open()) here.begin_finish();
  const uint32_t bytes = task.type.closure_size;
  if (bytes > here.root().info->task_bytes())
    too_large(task, *here.root().info);
  if (bytes == bag_->filling_bytes && !here.is_new(task.type))
    known(task) = &task;
}

void PoolSeam::add_in_full(const PoolTask& task, const void* closure) {
  look_at(task, closure);
  bag_->add(task, closure);
}

void PoolSeam::add_at(int rank, const PoolTask& task, const void* closure) {
  require_rank(rank);
  look_at(task, closure);
  bag_->add_at(rank, task, closure);
}

bool PoolSeam::takes_cancelable() {
  if (!rank().constructs_.is_open()) rank().begin_finish();
  return !cancelled();
}

bool PoolSeam::add_cancelable(const PoolTask& task, const void* closure) {
  if (!takes_cancelable()) return false;
  add_in_full(task, closure);
  return true;
}

bool PoolSeam::add_at_place(int place, const PoolTask& task,
                            const void* closures, size_t count,
                            bool is_cancelable) {
  require_place(place, places());
  if (is_cancelable && !takes_cancelable()) return false;
  const auto* closure = static_cast<const std::byte*>(closures);
  for (size_t i = 0; i < count; ++i, closure += task.type.closure_size) {
    look_at(task, closure);
    bag_->add_at(rank().rank_at(place, i), task, closure);
  }
  return true;
}

void PoolSeam::merge(const PartialType& type, uint64_t index,
                     const void* value) {
  require_thread("merge");
  rank().partial_.merge(type, index, value);
}

void* PoolSeam::partial(const PartialType& type, uint64_t index) {
  require_thread("partial");
  return rank().partial_.in_place(type, index);
}

void PoolSeam::end(const PartialType* type, const void* value) {
  require_thread("end_pool");
  if (type != nullptr) {
    rank().partial_.of(*type, "end_pool()");
    if (merges_plainly(*type, 0))
      type->merge(values_, value);
    else
      merge(*type, 0, value);
  }
  rank().early_end().announce();
}

void PoolSeam::reduce(const PartialType& type, void* result) {
  const PartialResult& partial = rank().partial_;
  std::memcpy(result, partial.of(type, "reduce_async_any()"), type.size);
  std::vector<std::byte> other(type.size + type.align);
  void* place = other.data();
  size_t room = other.size();
  std::align(type.align, type.size, place, room);
  for (int from = 0; from < rma::size(); ++from) {
    if (from == rma::rank()) continue;
    partial.read_first(from, place, rank().constructs_.is_open());
    type.merge(result, place);
  }
}

void PoolSeam::run_finish(void (*call)(void* body), void* body) {
  rank().constructs_.require_root("finish_async_any");
  rank().begin_finish();
  try {
    call(body);
  } catch (...) {
    an_exception_left("the body of a finish");
  }
  rank().end_finish();
}

void PoolSeam::cancel_all() { rank().constructs_.cancel_all(); }
bool PoolSeam::cancelled() { return rank().constructs_.cancelled(); }
bool PoolSeam::drops_cancelable() {
  if (!cancelled()) return false;
  ++bag_->dropped;
  return true;
}

void PoolSeam::static_init(const StaticType& type, const void* data) {
  rank().constructs_.static_init(type, data);
}
const void* PoolSeam::static_data(const StaticType& type) {
  return rank().constructs_.static_data(type);
}

}  // namespace magpie
