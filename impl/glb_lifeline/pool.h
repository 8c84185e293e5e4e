// Lifeline pools: the functions of the seams (common/task_pool/runtime.h and
// async_any_runtime.h) over bags of tasks that are balanced within and between
// places. The compositions in runtimes/ instantiate it.
//
// Source: hybrid_glb_apgas18.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_POOL_H_
#define MAGPIE_IMPL_GLB_LIFELINE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>

#include "common/rma/rma.h"
#include "common/run/run.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/constructs.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "impl/glb_lifeline/cooperative.h"
#include "impl/glb_lifeline/finishes.h"
#include "impl/glb_lifeline/lifeline_scheme.h"
#include "impl/glb_lifeline/manager.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/own_place.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/worker.h"

namespace magpie::glb {

// What a place is.
enum class PlaceKind : uint8_t {
  kRank,   // one rank, which is asked for tasks (pool_glb)
  kGroup,  // workers of one node and their manager (pool_glb_hybrid)
};

// `Queue<Slot>` is a StealableQueue that tells what it offers; where places are
// ranks, only the own instance is used.
template <template <typename Slot> typename Queue, PlaceKind kPlace>
class PoolRank {
 public:
  using Root = PoolProgram::Root;
  using Options = glb::Options;

  // Ranks that have nothing wait for lifelines; in a place of several ranks the
  // manager has what is sent.
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = false,
      .searches = false,
      .has_inboxes = kPlace == PlaceKind::kRank};

  static void add_options(CLI::App& app, Options& options) {
    add_options_for(app, options, kMaxTaskBytes);
  }
  static void add_options(CLI::App& app, Options& options, const Root& root) {
    add_options_for(app, options, root.info->task_bytes());
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    require_base(options);
    const size_t bag = with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      return BagOf<Slot, Queue<Slot>, Cooperative<Slot>>::heap_bytes(options) +
             LifelineScheme<Slot>::heap_bytes(options);
    });
    return {
        .region_bytes = 0,
        .heap_bytes = bag + OwnPlace::heap_bytes(options.constructs) +
                      (kPlace == PlaceKind::kGroup ? Worker::heap_bytes() : 0) +
                      Finishes::heap_bytes() + PoolProgram::heap_bytes(root)};
  }

  // Collective.
  PoolRank(const Options& options, const Root& root)
      : own_(places_of(options), options.constructs, root),
        program_(options.on_address, root),
        worker_(kPlace == PlaceKind::kGroup
                    ? std::make_unique<Worker>(options, own_)
                    : nullptr),
        bag_(with_slot(root.info->task_bytes(), [&]<typename Slot>() {
          return make_bag<Slot>(options);
        })) {}

  void add(const PoolTask& task, const void* closure, uint16_t bits) {
    program_.look_at(task, closure);
    bag_->add(task, closure, bits);
  }
  void add_at(int rank, const PoolTask& task, const void* closure) {
    program_.look_at(task, closure);
    bag_->add_at(rank, task, closure, 0);
  }
  // Deals tasks out in turn to the place's workers, where it is the calling
  // rank's place; else its manager has them.
  void add_at_place(int number, const PoolTask& task, const void* closures,
                    size_t count, uint16_t bits) {
    const Place place = own_.places.place(number);
    const auto* closure = static_cast<const std::byte*>(closures);
    for (size_t i = 0; i < count; ++i, closure += task.type.closure_size) {
      program_.look_at(task, closure);
      bag_->add_at(place.ranks.rank(static_cast<int>(
                       i % static_cast<size_t>(place.workers()))),
                   task, closure, bits);
    }
  }

  // A task may read the result meanwhile.
  void merge(const PartialType& type, uint64_t index, const void* value) {
    program_.merge_in_sight(type, index, value);
  }

  void run(const RootResult&) {
    program_.run_root();
    if (!program_.root().info->opens_finishes)
      return bag_->run(program_.root().is_here());
    if (program_.root().is_here()) return finishes_.end();
    while (has_entered_next()) bag_->run(false);
  }
  void finish(const RootResult& result) { program_.finish(result); }

  // Functions that ConstructsOfRank asks for.
  Constructs& constructs() { return own_.constructs; }
  void begin_finish() {
    for (int rank = 0; rank < rma::size(); ++rank) {
      if (rank != rma::rank()) own_.constructs.static_data().send_to(rank);
    }
    rma::flush_all();
    enter_finish();
    finishes_.begin([] {});
  }
  void end_finish() { bag_->run(true); }
  void reduce(const PartialType& type, void* result) const {
    program_.reduce_now(type, result, own_.constructs.is_open());
  }
  int here() const { return own_.place.number; }
  int places() const { return own_.places.count(); }
  int workers() const { return own_.place.workers(); }

  Balance balance() const {
    const SchedulerStats stats = bag_->stats();
    return {stats.spawns, stats.deaths, 0, 0};
  }
  SchedulerStats stats() const {
    SchedulerStats stats = bag_->stats();
    stats.idle_ns += between_finishes_ns_;
    return stats;
  }
  OwnCounts own_counts() const { return bag_->own_counts(); }
  uint64_t region_bytes_max() const { return 0; }
  const PoolProgram& program() const { return program_; }

 private:
  // Makes the bag of a worker, of a manager, or of a rank that is alone, be it
  // the only one of a node: a place of the cooperative scheme in either pool.
  template <typename Slot>
  std::unique_ptr<Bag> make_bag(const Options& options) {
    auto scheme = std::make_shared<LifelineScheme<Slot>>(options, own_);
    scheme_ = scheme;
    if constexpr (kPlace == PlaceKind::kGroup) {
      if (!own_.is_manager()) return bag_of<Slot, Worker&>(options, *worker_);
      if (!own_.place.is_alone())
        return bag_of<Slot, Manager<Slot>>(options, options, own_, *scheme,
                                           worker_->words());
    }
    return bag_of<Slot, Cooperative<Slot>>(options, options, own_, *scheme);
  }
  template <typename Slot, typename Balancer, typename... Its>
  std::unique_ptr<Bag> bag_of(const Options& options, Its&&... its) {
    return std::make_unique<BagOf<Slot, Queue<Slot>, Balancer>>(
        options, program_.early_end(), std::forward<Its>(its)...);
  }

  static void add_options_for(CLI::App& app, Options& options,
                              uint32_t task_bytes) {
    glb::add_options(app, options, queue_limit<Queue>(task_bytes));
    if constexpr (kPlace == PlaceKind::kGroup)
      add_place_options(app, options);
    else
      options.steal_by = StealBy::kAsking;
  }

  // Waits for the next finish. Called by ranks other than the root's.
  bool has_entered_next() {
    const uint64_t begin = rma::now();
    const bool has_entered = finishes_.wait([this] {
      own_.constructs.enter(own_.constructs.finish() + 1);
      enter_finish();
    });
    between_finishes_ns_ += rma::now() - begin;
    return has_entered;
  }

  // Enters a finish, on every rank; first on the root's, whose place is not
  // inactive then.
  void enter_finish() {
    program_.clear_partial();
    if (own_.constructs.finish() > 1) bag_->begin_next();
  }

  static Places places_of(const Options& options) {
    const Places all = kPlace == PlaceKind::kRank
                           ? Places::of_single_ranks()
                           : Places::of_nodes(options.workers_per_place);
    require_reach(options, all.count());
    return all;
  }

  OwnPlace own_;
  PoolProgram program_;
  const std::unique_ptr<Worker> worker_;
  std::shared_ptr<void> scheme_;  // a LifelineScheme
  const std::unique_ptr<Bag> bag_;
  Finishes finishes_;
  uint64_t between_finishes_ns_ = 0;
};

template <template <typename Slot> typename Queue, PlaceKind kPlace>
class Pool : public ConstructsOfRank<PoolRank<Queue, kPlace>> {
 public:
  static void merge(const PartialType* type, uint64_t index,
                    const void* value) {
    this_rank<PoolRank<Queue, kPlace>>().merge(*type, index, value);
  }
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_POOL_H_
