// Loot: tasks that go from one place to another, half of what the ranks of the
// one offer to thieves, ahead of time. Source: hybrid_glb_apgas18 §4.1.
//
// Thread safety: an instance belongs to a place's manager. `bag` is its BagOf
// (common/task_pool/bag.h).

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/names.h"
#include "common/rma/rma.h"
#include "impl/glb_lifeline/places.h"

namespace magpie::glb {

// Boxes in each place's memory for the loot that other places send it. A box
// holds one load, and has one sender at a time: the protocol of its users
// (lifelines.h) sees to it that the last load was received.
//
// Thread safety: send is for the box's present sender, receive for its owner.
// Invariants:
//   1. `loads` of a box counts the loads that were put there, each from when it
//      was there as a whole. It is changed by atomics only.
//   2. Between a load's receipt and the next request nobody touches the box.
template <typename Task>
class LootBoxes {
  struct Head {
    rma::Word loads;
    uint64_t tasks;
  };

 public:
  // Makes `boxes` boxes, for up to `capacity` tasks each. Collective.
  LootBoxes(size_t boxes, size_t capacity)
      : capacity_(capacity),
        heads_(rma::allocate<Head>(boxes)),
        tasks_(rma::allocate<Task>(boxes * capacity)),
        received_(boxes) {
    rma::name_words(heads_, "loot head", boxes);
    rma::name_words(tasks_, "loot", boxes * capacity);
    for (size_t box = 0; box < boxes; ++box) {
      rma::name_words((heads_ + box).field(&Head::loads), "loot arrived");
      rma::name_words((heads_ + box).field(&Head::tasks), "loot size");
    }
  }

  static size_t heap_bytes(size_t boxes, size_t capacity) {
    return rma::allocated_bytes<Head>(boxes) +
           rma::allocated_bytes<Task>(boxes * capacity);
  }

  size_t capacity() const { return capacity_; }

  // Puts a load into a box of `rank`, maybe an empty one. Cost: put, flush,
  // fetch_add; a put more where there are tasks.
  void send(int rank, size_t box, std::span<const Task> loot) const {
    check(loot.size() <= capacity_, "more loot than fits into a box");
    const auto head = heads_.at(rank) + box;
    const auto tasks = tasks_.at(rank) + box * capacity_;
    rma::put(head.field(&Head::tasks), uint64_t{loot.size()});
    if (!loot.empty())
      rma::put({tasks.rank, tasks.offset}, loot.data(), loot.size_bytes());
    rma::flush(rank);
    rma::fetch_add(head.field(&Head::loads), 1);
  }

  // Calls take(loot) where a load has come into a box, and returns whether one
  // has. Cost: none.
  template <typename Take>
  bool receive(size_t box, Take take) {
    const Head& head = heads_.local()[box];
    if (head.loads.load() == received_[box]) return false;
    ++received_[box];
    take(std::span<const Task>(tasks_.local() + box * capacity_, head.tasks));
    return true;
  }

 private:
  const size_t capacity_;
  const rma::RemotePtr<Head> heads_;
  const rma::RemotePtr<Task> tasks_;
  // Number of loads that the owner has received, for each box.
  std::vector<uint64_t> received_;
};

template <typename Task>
class Loot {
 public:
  // `random` chooses which rank of a place is robbed first, and outlives it.
  explicit Loot(std::minstd_rand& random) : random_(random) {}

  // Whether the ranks of a place offer fewer than `wanted` tasks. Looks at no
  // more queues than it has to, at another one first each time. Cost: a get for
  // each.
  template <typename Bag>
  bool is_less_than(uint64_t wanted, Bag& bag, const Place& place) {
    looks_first_ = (looks_first_ + 1) % place.ranks.size;
    for (int i = 0; i < place.ranks.size && wanted > 0; ++i) {
      const int member = (looks_first_ + i) % place.ranks.size;
      wanted -= std::min(wanted, bag.offered(place.ranks.rank(member)));
    }
    return wanted > 0;
  }

  // Takes half of what the ranks of the own place offer, and no more than
  // `most` tasks; never the only one. They are the caller's: it sends them.
  // The span returned holds until the next call. Cost: a get for each rank, and
  // the queue's steal for each that is robbed.
  template <typename Bag>
  std::span<const Task> take_half(Bag& bag, const Place& own, size_t most) {
    hands_.clear();
    bag.offer_all();
    const Offers all = offers(bag, own);
    const size_t want = std::min<size_t>(all.sum / 2, most);
    go_round(
        own, all, [&] { return hands_.size() < want; },
        [&](int rank) {
          bag.take_from(
              rank,
              [this](std::span<const Task> tasks) {
                hands_.insert(hands_.end(), tasks.begin(), tasks.end());
              },
              want - hands_.size());
        });
    // A queue may give more than it was asked for.
    const std::span<const Task> taken = hands_;
    const size_t sent = std::min(want, taken.size());
    bag.keep(taken.subspan(sent));
    return taken.first(sent);
  }

  // Pulls half of what the ranks of another place offer into the own bag, and
  // calls came(bytes) with what each of them gave. The only task is pulled from
  // a worker, which has another one to run, and not from a manager. False:
  // there was nothing. Cost: as above, and a flush for each robbed rank.
  template <typename Bag, typename Came>
  bool pull_half(Bag& bag, const Place& victim, Came came) {
    const Offers all = offers(bag, victim);
    const bool is_managers = all.sum == 1 && all.of_rank.back() == 1;
    const uint64_t want = is_managers ? 0 : (all.sum + 1) / 2;
    uint64_t pulled = 0;
    go_round(
        victim, all, [&] { return pulled < want; },
        [&](int rank) {
          bag.take_from(rank, [&](std::span<const Task> tasks) {
            came(tasks.size_bytes());
            bag.keep(tasks);
            pulled += tasks.size();
          });
          rma::flush(rank);
        });
    bag.offer_all();
    return pulled > 0;
  }

 private:
  // Numbers of tasks that the ranks of a place offer, and their sum.
  struct Offers {
    std::vector<uint64_t> of_rank;
    uint64_t sum;
  };
  template <typename Bag>
  static Offers offers(Bag& bag, const Place& place) {
    Offers all = {{}, 0};
    for (int i = 0; i < place.ranks.size; ++i)
      all.sum += all.of_rank.emplace_back(bag.offered(place.ranks.rank(i)));
    return all;
  }

  // Calls take(rank) for ranks of the place that offer tasks, in turn, from a
  // random one on, as long as more() asks for it.
  template <typename More, typename Take>
  void go_round(const Place& place, const Offers& all, More more, Take take) {
    const auto ranks = static_cast<size_t>(place.ranks.size);
    const size_t first = random_() % ranks;
    for (size_t i = 0; i < ranks && more(); ++i) {
      const size_t member = (first + i) % ranks;
      if (all.of_rank[member] > 0)
        take(place.ranks.rank(static_cast<int>(member)));
    }
  }

  std::minstd_rand& random_;
  int looks_first_ = 0;
  std::vector<Task> hands_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_
