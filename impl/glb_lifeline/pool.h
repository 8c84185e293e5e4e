// Lifeline pools: a rank whose bag is balanced within and between places. The
// compositions in runtimes/ instantiate it.
//
// Source: hybrid_glb_apgas18.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_POOL_H_
#define MAGPIE_IMPL_GLB_LIFELINE_POOL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "common/rma/rma.h"
#include "common/task_pool/bag.h"
#include "common/task_pool/pool_rank.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"
#include "impl/glb_lifeline/cooperative.h"
#include "impl/glb_lifeline/lifeline_scheme.h"
#include "impl/glb_lifeline/manager.h"
#include "impl/glb_lifeline/options.h"
#include "impl/glb_lifeline/places.h"
#include "impl/glb_lifeline/worker.h"

namespace magpie::glb {

// Kinds of places.
enum class PlaceKind : uint8_t {
  kRank,   // one rank, which is asked for tasks (pool_glb)
  kGroup,  // workers of one node and their manager (pool_glb_hybrid)
};

// `Queue<Slot>` is a StealableQueue that tells what it offers; where places are
// ranks, only the own instance is used.
template <template <typename Slot> typename Queue, PlaceKind kPlace>
class Pool : public PoolRank {
 public:
  struct Options : PoolOptions, BagOptions {
    glb::Options lifelines;
  };

  // Ranks that have nothing wait for lifelines; in a place of several ranks the
  // manager has what is sent.
  static constexpr PoolTraits kTraits = {
      .takes_one_rank = false,
      .searches = false,
      .has_inboxes = kPlace == PlaceKind::kRank};

  static void add_options(CLI::App& app, Options& options,
                          const Root* root = nullptr) {
    magpie::add_options(app, options, most_queue_bytes<Queue>(root));
    magpie::add_options(app, static_cast<PoolOptions&>(options));
    glb::add_options(app, options.lifelines);
    if constexpr (kPlace == PlaceKind::kGroup) {
      add_place_options(app, options.lifelines);
      add_forced_steal(app, options.search);  // within the place
    }
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    require_base(options.lifelines);
    const size_t bag = with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      return BagWith<Slot, Cooperative<Slot>>::heap_bytes(options) +
             LifelineScheme<Slot>::heap_bytes(
                 options.lifelines.most_edges(),
                 options.lifelines.template loot<Slot>());
    });
    return {
        .region_bytes = 0,
        .heap_bytes = bag + OwnPlace::heap_bytes() +
                      (kPlace == PlaceKind::kGroup ? Worker::heap_bytes() : 0) +
                      PoolRank::heap_bytes(options, root)};
  }

  // Collective. A rank is a worker, a manager, or alone, be it the only one of
  // a node: a place of the cooperative scheme in either pool.
  Pool(const Options& options, const Root& root)
      : PoolRank(options, root),
        own_(kPlace == PlaceKind::kRank
                 ? Places::of_single_ranks()
                 : Places::of_nodes(options.lifelines.workers_per_place)) {
    if (kPlace == PlaceKind::kGroup) worker_.emplace(options.search, own_);
    with_slot(root.info->task_bytes(), [&]<typename Slot>() {
      auto scheme = std::make_shared<LifelineScheme<Slot>>(
          options.lifelines.graph(own_.places.count()),
          options.lifelines.random_victims, options.search.victim_seed,
          options.lifelines.template loot<Slot>(), own_);
      scheme_ = scheme;
      if constexpr (kPlace == PlaceKind::kGroup) {
        if (!own_.is_manager())
          return make_bag<Slot, Worker&>(options, *worker_);
        if (!own_.place.is_alone())
          return make_bag<Slot, Manager<Slot>>(
              options, options.lifelines.asks(),
              options.lifelines.period_us * 1000, own_, *scheme,
              worker_->shared());
      }
      make_bag<Slot, Cooperative<Slot>>(options,
                                        options.lifelines.tasks_per_step,
                                        options.search.backoff, own_, *scheme);
    });
  }

  int here() const override { return own_.place.number; }
  int places() const override { return own_.places.count(); }
  int workers() const override { return own_.place.workers(); }
  // A worker, where it is the calling rank's place; else its manager has it.
  int rank_at(int number, size_t i) const override {
    const Place place = own_.places.place(number);
    return place.ranks.rank(
        static_cast<int>(i % static_cast<size_t>(place.workers())));
  }

 private:
  template <typename Slot, typename Balancer>
  using BagWith = BagOf<Slot, Queue<Slot>, Balancer>;

  // The balancer is made of `its`.
  template <typename Slot, typename Balancer, typename... Its>
  void make_bag(const Options& options, Its&&... its) {
    bag_ = std::make_unique<BagWith<Slot, Balancer>>(options, early_end(),
                                                     std::forward<Its>(its)...);
  }

  OwnPlace own_;
  std::optional<Worker> worker_;
  std::shared_ptr<void> scheme_;  // a LifelineScheme
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_POOL_H_
