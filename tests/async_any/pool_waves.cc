// A pool of several ranks with the constructs, as plain as it can be, to test
// the suite itself: a finish ends when the waves of common/stealing say so,
// tasks that are added go to another rank now and then, and nobody steals. Each
// rank is a place of one worker.
//
// Thread safety: an instance belongs to one rank. Invariants:
//   1. A finish has begun when every rank has acknowledged it, and no task is
//      added before; its root counts its body as a task.
//   2. The published result is what the rank had merged when its last task
//      ended: `version` is odd while it changes.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/stealing/inbox.h"
#include "common/stealing/termination.h"
#include "common/task/address_scan.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/slot.h"
#include "common/task_pool/words.h"

namespace magpie {
namespace {

// One rank's result, for others to read.
class Published {
 public:
  // Collective.
  explicit Published(const PartialType& type)
      : words_((type.size + 7) / 8),
        version_(rma::allocate<rma::Word>()),
        value_(rma::allocate<rma::Word>(words_)) {}
  static size_t heap_bytes(const PartialType& type) {
    return rma::allocated_bytes<rma::Word>() +
           rma::allocated_bytes<rma::Word>((type.size + 7) / 8);
  }

  void publish(const void* value, size_t bytes) {
    std::vector<uint64_t> copy(words_);
    std::memcpy(copy.data(), value, bytes);
    rma::Word* const version = version_.local();
    version->store(version->own_value() + 1);
    rma::Word::fence();
    for (size_t i = 0; i < words_; ++i) (value_ + i).local()->store(copy[i]);
    version->store(version->own_value() + 1);
  }
  std::vector<uint64_t> read(int rank) const {
    std::vector<uint64_t> value(words_);
    while (true) {
      const uint64_t before = rma::get_word(version_.at(rank));
      const auto from = value_.at(rank);
      rma::get(value.data(), {from.rank, from.offset}, words_ * 8);
      if (before % 2 == 0 && rma::get_word(version_.at(rank)) == before)
        return value;
      rma::idle();
    }
  }

 private:
  const size_t words_;
  const rma::RemotePtr<rma::Word> version_;
  const rma::RemotePtr<rma::Word> value_;
};

class PoolRank {
  using Task = Slot<kMaxTaskBytes>;
  struct alignas(kMaxTaskAlign) Running : Task {};
  static constexpr size_t kInbox = 4;
  static constexpr uint64_t kOver = UINT64_MAX;

 public:
  using Root = PoolProgram::Root;
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = false, .searches = false, .has_inboxes = true};
  struct Options {
    OnAddress on_address = OnAddress::kStop;
    ConstructsOptions constructs;
  };
  static void add_options(CLI::App& app, Options& options) {
    magpie::add_options(app, options.constructs);
    magpie::add_options(app, options.on_address);
  }
  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    return {.region_bytes = 0,
            .heap_bytes = PoolProgram::heap_bytes(root) +
                          Constructs::heap_bytes(options.constructs) +
                          Published::heap_bytes(*root.info->partial) +
                          Inbox<Task>::heap_bytes(kInbox) +
                          Termination::heap_bytes() +
                          2 * rma::allocated_bytes<rma::Word>()};
  }

  PoolRank(const Options& options, const Root& root)
      : program_(options.on_address, root),
        constructs_(options.constructs, root),
        published_(*root.info->partial),
        inbox_(kInbox),
        begun_(rma::allocate<rma::Word>()),
        entered_(rma::allocate<rma::Word>()) {
    publish();
  }

  void add(const PoolTask& task, const void* closure, uint16_t bits) {
    program_.look_at(task, closure);
    random_ = random_ * 6364136223846793005 + 1442695040888963407;
    const auto rank =
        static_cast<int>((random_ >> 33) % static_cast<uint64_t>(rma::size()));
    add_at(random_ >> 62 == 0 ? rank : rma::rank(), task, closure, bits);
  }
  void add_at(int rank, const PoolTask& task, const void* closure) {
    program_.look_at(task, closure);
    add_at(rank, task, closure, 0);
  }
  void add_at_place(int place, const PoolTask& task, const void* closures,
                    size_t count, uint16_t bits) {
    const auto* closure = static_cast<const std::byte*>(closures);
    for (size_t i = 0; i < count; ++i, closure += task.type.closure_size) {
      program_.look_at(task, closure);
      add_at(place, task, closure, bits);
    }
  }

  void run(const RootResult&) {
    const Root& root = program_.root();
    program_.run_root();
    if (!root.info->opens_finishes) return run_tasks();
    if (root.is_here())
      tell_all(kOver);
    else
      while (take_part()) {
      }
  }
  void finish(const RootResult& result) { program_.finish(result); }

  Constructs& constructs() { return constructs_; }
  void begin_finish() {
    ++counts_.created;  // the body
    enter();
    for (int rank = 0; rank < rma::size(); ++rank)
      if (rank != rma::rank()) constructs_.static_data().send_to(rank);
    rma::flush_all();
    tell_all(constructs_.finish());
    const uint64_t all =
        constructs_.finish() * (static_cast<uint64_t>(rma::size()) - 1);
    while (entered_.local()->load() < all) rma::idle();
  }
  void end_finish() {
    ++counts_.ended;
    publish();
    run_tasks();
  }
  void reduce(const PartialType& type, void* result) const {
    std::memcpy(result, program_.partial_to_reduce(type), type.size);
    std::vector<std::byte> other(type.size);
    for (int rank = 0; rank < rma::size(); ++rank) {
      if (rank != rma::rank()) type.merge(result, published_.read(rank).data());
    }
  }
  int here() const { return rma::rank(); }
  int places() const { return rma::size(); }
  int workers() const { return 1; }

  Balance balance() const { return {counts_.created, counts_.ended, 0, 0}; }
  SchedulerStats stats() const {
    return {.spawns = counts_.created, .deaths = counts_.ended};
  }
  uint64_t region_bytes_max() const { return 0; }
  const PoolProgram& program() const { return program_; }

 private:
  void publish() {
    const PartialType& type = *program_.root().info->partial;
    published_.publish(program_.partial_to_reduce(type), type.size);
  }

  void tell_all(uint64_t finish) const {
    for (int rank = 0; rank < rma::size(); ++rank)
      rma::put_word(begun_.at(rank), finish);
    rma::flush_all();
  }

  // Makes the calling rank enter the finish that constructs_ knows.
  void enter() {
    program_.clear_partial();
    publish();
    if (constructs_.finish() > 1) termination_.begin_next();
  }

  // Takes part in the next finish, on ranks other than the root's. False: the
  // run is over.
  bool take_part() {
    const uint64_t last = constructs_.finish();
    while (begun_.local()->load() == last) rma::idle();
    const uint64_t finish = begun_.local()->load();
    if (finish == kOver) return false;
    constructs_.enter(finish);
    enter();
    rma::Word::fence();
    rma::fetch_add(entered_.at(program_.root().rank), 1);
    run_tasks();
    return true;
  }

  void add_at(int rank, const PoolTask& task, const void* closure,
              uint16_t bits) {
    ++counts_.created;
    Task slot = {};
    slot.fill(task, closure, bits);
    if (rank == rma::rank()) return tasks_.push_back(slot);
    Inbox<Task>::Turn turn = inbox_.draw(rank);
    while (!inbox_.put(rank, turn, slot)) {
      rma::flush_all();
      empty_inbox();
      rma::idle();
    }
  }

  void empty_inbox() {
    Task task;
    while (inbox_.take(&task)) tasks_.push_back(task);
  }

  // Runs tasks until the finish has ended.
  void run_tasks() {
    while (true) {
      empty_inbox();
      if (!tasks_.empty()) {
        Running task;
        static_cast<Task&>(task) = tasks_.back();
        tasks_.pop_back();
        if (!constructs_.drops(task.bits()) &&
            !program_.early_end().is_announced()) {
          run_task(task.type(), task.closure);
          publish();
        }
        ++counts_.ended;
        continue;
      }
      rma::flush_all();
      if (termination_.poll(counts_)) return;
      rma::idle();
    }
  }

  PoolProgram program_;
  Constructs constructs_;
  Published published_;
  Inbox<Task> inbox_;
  Termination termination_;
  // Number of the finish that the root has begun last. Lies on each rank.
  const rma::RemotePtr<rma::Word> begun_;
  // On the root's rank: how often others have entered a finish.
  const rma::RemotePtr<rma::Word> entered_;
  std::vector<Task> tasks_;
  TaskCounts counts_;
  uint64_t random_ = static_cast<uint64_t>(rma::rank());
};

using Pool = ConstructsOfRank<PoolRank>;

}  // namespace

const RuntimeTraits kPool = {.name = "pool_waves"};

MAGPIE_TASK_POOL_SEAM(Pool)
MAGPIE_ASYNC_ANY_SEAM(Pool)

}  // namespace magpie
