// Boxes for loot, tasks that go from one place to another.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_
#define MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/rma.h"

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
        tasks_(rma::allocate<Task>(boxes * capacity, "loot")),
        received_(boxes) {
    for (size_t box = 0; box < boxes; ++box) {
      rma::name_word((heads_ + box).field(&Head::loads), "loot arrived");
      rma::name_word((heads_ + box).field(&Head::tasks), "loot size");
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

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_LOOT_H_
