#include "common/task_pool/pool_rank.h"

#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/run/invoke.h"

namespace magpie {
namespace {

PoolRank& self() { return this_rank<PoolRank>(); }

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
      task_bytes_(root.is_here() ? 0 : root.info->task_bytes()),
      partial_(*root.info->partial, root.result_count()) {}

size_t PoolRank::heap_bytes(const PoolOptions& options, const Root& root) {
  return ProgramOf::heap_bytes(root) +
         Constructs::heap_bytes(options.static_bytes) +
         PartialResult::heap_bytes(*root.info->partial, root.result_count()) +
         Finishes::heap_bytes();
}

void PoolRank::end(const PartialType* type, const void* value) const {
  require_thread("end_pool");
  if (type != nullptr) {
    partial_.of(*type, "end_pool()");
    partial_.merge(*type, 0, value);
  }
  early_end().announce();
}

void PoolRank::reduce(const PartialType& type, void* result) const {
  std::memcpy(result, partial_.of(type, "reduce_async_any()"), type.size);
  std::vector<std::byte> other(type.size + type.align);
  void* place = other.data();
  size_t room = other.size();
  std::align(type.align, type.size, place, room);
  for (int rank = 0; rank < rma::size(); ++rank) {
    if (rank == rma::rank()) continue;
    partial_.read_first(rank, place, constructs_.is_open());
    type.merge(result, place);
  }
}

void PoolRank::run_finish(void (*call)(void* body), void* body) {
  constructs_.require_root("finish_async_any");
  begin_finish();
  try {
    call(body);
  } catch (...) {
    an_exception_left("the body of a finish");
  }
  end_finish();
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
  task_bytes_ = root().info->task_bytes();
  if (constructs_.finish() == 1) return;
  enter();
  finishes_.begin([] {});
}

void PoolRank::end_finish() {
  constructs_.end_body();
  bag_->run(true);
  constructs_.end();
  task_bytes_ = 0;
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

void PoolRank::begin_or_refuse(const PoolTask& task) {
  if (task_bytes_ == 0) begin_finish();
  if (task.type.closure_size > task_bytes_) too_large(task, *root().info);
}

void PoolRank::refuse_thread(const char* function) {
  rma::fatal(absl::StrCat(function,
                          " was called by a thread of the program's own: it is "
                          "for the root and for tasks"));
}

namespace pool_seam {

void add_at(int rank, const PoolTask* type, const void* closure) {
  require_rank(rank);
  self().add_at(rank, *type, closure, 0);
}
bool add_at_place(int place, const PoolTask* type, const void* closures,
                  size_t count, bool is_cancelable) {
  PoolRank& rank = self();
  require_place(place, rank.places());
  if (is_cancelable && !rank.takes_cancelable()) return false;
  const auto* closure = static_cast<const std::byte*>(closures);
  for (size_t i = 0; i < count; ++i, closure += type->type.closure_size) {
    rank.add_at(rank.rank_at(place, i), *type, closure,
                is_cancelable ? kCancelable : 0);
  }
  return true;
}
void merge(const PartialType* type, uint64_t index, const void* value) {
  self().merge(*type, index, value);
}
void* partial(const PartialType* type, uint64_t index) {
  return self().partial(*type, index);
}
void reduce(const PartialType* type, void* result) {
  self().reduce(*type, result);
}
void end(const PartialType* type, const void* value) {
  self().end(type, value);
}
void finish(void (*call)(void*), void* body) { self().run_finish(call, body); }
void cancel_all() { self().constructs().cancel_all(); }
bool cancelled() { return self().constructs().cancelled(); }
void static_init(const StaticType* type, const void* data) {
  self().constructs().static_init(*type, data);
}
const void* static_data(const StaticType* type) {
  return self().constructs().static_data(*type);
}
int here() { return self().here(); }
int places() { return self().places(); }
int workers() { return self().workers(); }

}  // namespace pool_seam
}  // namespace magpie
