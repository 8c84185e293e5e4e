#include "common/task_pool/pool_rank.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/run/invoke.h"

namespace magpie {
namespace {

constexpr uint64_t kMostBytes = uint64_t{1} << 36;

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

// Of what the function is called with there are `count`: "ranks", "places".
void require_one_of(const char* what, int count, const char* function, int i) {
  if (i >= 0 && i < count) return;
  rma::fatal(absl::StrCat(function, "(", i, "): there are ", what, " 0 to ",
                          count - 1));
}

// Pauses of a rank that waits for others, in polls of the network; and its
// longest rest.
constexpr int kLongestPause = 64;
constexpr uint64_t kRestNs = 10'000'000;
int longer(int pause) { return std::min(2 * pause, kLongestPause); }

}  // namespace

struct alignas(kMaxStaticAlign) PoolRank::StaticHeader {
  // Type of the data; null where there are none.
  const StaticType* type;
};

void an_exception_left_task(const PoolTask& task) {
  an_exception_left(absl::StrCat("a task, ", name_of(*task.name)).c_str());
}

void add_options(CLI::App& app, PoolOptions& options) {
  flags::add_bytes(app, "--static_bytes", options.static_bytes,
                   "memory for the data of static_init, on each rank", 1,
                   kMostBytes);
  magpie::add_options(app, options.on_address);
}

void add_options(CLI::App& app, BagOptions& options,
                 uint64_t most_queue_bytes) {
  flags::add_bytes(
      app, "--queue_bytes", options.queue_bytes,
      "memory for tasks that have not started, on each rank; their number is "
      "rounded down to a power of two; other ranks cannot take those that it "
      "has no room for",
      1 << 10, most_queue_bytes);
  flags::add_bytes(app, "--inbox_bytes", options.inbox_bytes,
                   "memory for tasks that other ranks have added, on each "
                   "rank; when it is full they wait until the rank has looked",
                   1, kMostBytes);
  magpie::add_options(app, options.search);
}

PoolRank::PoolRank(const PoolOptions& options, const Root& root)
    : ProgramOf(options.on_address, root),
      finish_(root.is_here() ? 0 : 1),
      phase_(root.is_here() ? Phase::kOutside : Phase::kTasks),
      cancelled_(rma::allocate<rma::Word>(1, "cancelled")),
      static_bytes_(options.static_bytes),
      data_(rma::allocate_bytes(sizeof(StaticHeader) + static_bytes_,
                                alignof(StaticHeader))),
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
  return ProgramOf::heap_bytes(root) + rma::allocated_bytes<rma::Word>() +
         rma::allocated_bytes(sizeof(StaticHeader) + options.static_bytes,
                              alignof(StaticHeader)) +
         PartialResult::heap_bytes(*root.info->partial, root.result_count()) +
         2 * EndOfRun::heap_bytes() +
         Waves::heap_bytes(sizeof(uint64_t), alignof(uint64_t));
}

void PoolRank::run(const RootResult&) {
  if (!root().is_here()) {
    do {
      bag_->run(false);
    } while (has_entered_next());
    return;
  }
  invoke(root().info->task, prepared(), nullptr);
  if (finish_ == 0) begin_finish();
  if (is_open()) end_finish();
  over_.announce();
  over_.poll();
}

// ----------------------------------------------------------- a finish's life

void PoolRank::begin_finish() {
  ++finish_;
  phase_ = Phase::kBody;
  if (next_type_ != nullptr) {
    static_header().type = std::exchange(next_type_, nullptr);
    const size_t bytes = sizeof(StaticHeader) + next_.size();
    std::memcpy(data_.local() + sizeof(StaticHeader), next_.data(),
                next_.size());
    for (int rank = 0; rank < rma::size(); ++rank) {
      if (rank != rma::rank())
        rma::put_nb(data_.at(rank), data_.local(), bytes);
    }
    rma::flush_all();
  }
  if (finish_ == 1) return;
  enter();
  begun_.announce();
  begun_.poll();
  say_entered();
}

void PoolRank::end_finish() {
  phase_ = Phase::kTasks;
  bag_->run(true);
  phase_ = Phase::kOutside;
  std::ranges::fill(known_, nullptr);
}

void PoolRank::enter() {
  partial_.clear();
  bag_->begin_next();
}

bool PoolRank::has_entered_next() {
  const uint64_t begin = rma::now();
  rma::flush_all();
  bool is_over = false;
  for (int pause = 1; !begun_.poll(); pause = longer(pause)) {
    is_over = over_.poll();
    if (is_over) break;
    if (pause < kLongestPause)
      rma::idle(pause);
    else
      rma::rest(kRestNs);
  }
  if (!is_over) {
    ++finish_;
    enter();
    say_entered();
  }
  between_finishes_ns_ += rma::now() - begin;
  return !is_over;
}

void PoolRank::say_entered() {
  begun_.begin_next();
  rma::flush_all();
  uint64_t nothing = 0;
  for (int pause = 1; !entered_.poll(&nothing, [](void*, const void*) {});
       pause = longer(pause))
    rma::idle(pause);
}

void PoolRank::require_root(const char* function) const {
  if (!is_open()) return;
  rma::fatal(absl::StrCat(
      function,
      phase_ == Phase::kBody
          ? " was called within a finish; it is called by the root between "
            "finishes, of which a task that the root adds outside begins one"
          : " was called by a task; it is called by the root between "
            "finishes"));
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
  if (!here.is_open()) here.begin_finish();
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
  look_at(task, closure);
  require_one_of("ranks", rma::size(), "add_at", rank);
  bag_->add_at(rank, task, closure);
}

bool PoolSeam::takes_cancelable() {
  if (!rank().is_open()) rank().begin_finish();
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
  require_one_of("places", places(), "static_async_any", place);
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
    partial.read_first(from, place, rank().is_open());
    type.merge(result, place);
  }
}

void PoolSeam::run_finish(void (*call)(void* body), void* body) {
  rank().require_root("finish_async_any");
  rank().begin_finish();
  try {
    call(body);
  } catch (...) {
    an_exception_left("the body of a finish");
  }
  rank().end_finish();
}

// Tells every rank that the finish is cancelled. Not down a tree: a rank would
// pass that on when its task has ended, and when this returns no cancelable
// task may start anywhere.
void PoolSeam::cancel_all() {
  PoolRank& here = rank();
  if (!here.is_open()) {
    rma::fatal(
        "cancel_all_cancelable_async_any was called outside of a finish");
  }
  const uint64_t finish = here.finish_;
  if (std::exchange(here.cancelled_here_, finish) == finish) return;
  rma::put_word_to_all(here.cancelled_, finish);
}
bool PoolSeam::cancelled() {
  const uint64_t finish = rank().finish_;
  return finish != 0 && rank().cancelled_.local()->load() == finish;
}
bool PoolSeam::drops_cancelable() {
  if (!cancelled()) return false;
  ++bag_->dropped;
  return true;
}

void PoolSeam::static_init(const StaticType& type, const void* data) {
  PoolRank& here = rank();
  here.require_root("static_init");
  if (type.size > here.static_bytes_) {
    rma::fatal(absl::StrCat(
        "static_init of a ", name_of(*type.name), " of ", type.size,
        " bytes: raise --static_bytes=", flags::in_units(here.static_bytes_)));
  }
  const auto* const bytes = static_cast<const std::byte*>(data);
  here.next_.assign(bytes, bytes + type.size);
  here.next_type_ = &type;
}
const void* PoolSeam::static_data(const StaticType& type) {
  const PoolRank::StaticHeader& header = rank().static_header();
  const StaticType* const has = header.type;
  if (has != &type) [[unlikely]] {
    rma::fatal(absl::StrCat("static_data of type ", name_of(*type.name),
                            ", where static_init was ",
                            has == nullptr ? "not called before the finish"
                                           : "given a " + name_of(*has->name)));
  }
  return &header + 1;
}

}  // namespace magpie
