// The items of the suite of queues (stealable_queue_suite.h), and the books
// that its ranks keep of them: which was taken, and how often.

#ifndef MAGPIE_COMMON_STEALING_QUEUE_SUITE_ITEMS_H_
#define MAGPIE_COMMON_STEALING_QUEUE_SUITE_ITEMS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "common/rma/rma.h"
#include "common/testing/once.h"
#include "common/testing/spmd.h"

namespace magpie::queue_suite {

// An item that shows when it is torn.
struct Item {
  uint64_t number;
  uint64_t check;
};
inline Item item(uint64_t number) { return {number, number * 3 + 1}; }
inline bool is_whole(const Item& item) {
  return item.check == item.number * 3 + 1;
}
inline uint64_t number_of(const Item& item) {
  EXPECT_TRUE(is_whole(item))
      << "entry " << item.number << " is torn: beside it stands " << item.check
      << ", must be " << item.number * 3 + 1;
  return item.number;
}

// The queue, made within what its heap_bytes() says. Collective.
template <typename Queue, typename Options>
Queue made(const Options& options) {
  return spmd::made_within<Queue>(Queue::heap_bytes(options), "the queue",
                                  options);
}

// Items that a rank has taken, and how often each.
class Taken {
 public:
  void add(const Item& item) {
    ++count_;
    if (!torn_.expect(is_whole(item), [&] {
          return "entry " + std::to_string(item.number) + ", beside which " +
                 std::to_string(item.check) + " stands";
        }))
      return;
    if (item.number >= kMost) {
      ++unknown_;
      return;
    }
    if (times_.size() <= item.number)
      times_.resize(std::max<size_t>(2 * times_.size(), item.number + 1));
    uint8_t& times = times_[item.number];
    times = static_cast<uint8_t>(std::min(times + 1, kOften));
  }
  uint64_t count() const { return count_; }

  // Expects that all of [0, pushed), which rank 0 has pushed, were taken once
  // each, over all ranks, and no others. Says on rank 0 which was lost.
  // Collective.
  void expect_each_once(uint64_t pushed) {
    expect_once(pushed,
                [=](uint64_t number) { return number < pushed ? 0 : -1; });
  }
  // The same where rank r has pushed `pushed` items, item i with the number i *
  // size() + r.
  void expect_each_once_of_all(uint64_t pushed) {
    const auto ranks = static_cast<uint64_t>(rma::size());
    std::vector<uint64_t> of(ranks);
    of[static_cast<size_t>(rma::rank())] = pushed;
    rma::reduce(of.data(), of.size(), rma::Reduction::kSum);
    const uint64_t most = *std::max_element(of.begin(), of.end());
    expect_once(most * ranks, [&](uint64_t number) {
      const uint64_t rank = number % ranks;
      return number / ranks < of[rank] ? static_cast<int>(rank) : -1;
    });
  }

 private:
  static constexpr int kOften = 100;
  static constexpr uint64_t kMost = uint64_t{1} << 28;
  static constexpr uint64_t kPart = 4096;

  // `pusher(number)` is the rank that has pushed the item, or -1: nobody has.
  // No number from `end` on was pushed.
  template <typename Pusher>
  void expect_once(uint64_t end, const Pusher& pusher) {
    torn_.tell();
    uint64_t beyond = unknown_;
    for (uint64_t i = end; i < times_.size(); ++i) beyond += times_[i];
    spmd::Once lost("an entry is lost"), twice("an entry comes again");
    std::vector<uint64_t> times;
    for (uint64_t first = 0; first < end; first += kPart) {
      times.assign(std::min(end - first, kPart), 0);
      for (uint64_t i = 0; i < times.size() && first + i < times_.size(); ++i)
        times[i] = times_[first + i];
      rma::reduce(times.data(), times.size(), rma::Reduction::kSum);
      for (uint64_t i = 0; rma::rank() == 0 && i < times.size(); ++i) {
        const int rank = pusher(first + i);
        if (rank < 0) beyond += times[i];
        if (rank < 0) continue;
        const auto entry = [&, number = first + i] {
          return "entry " + std::to_string(number) + " was pushed by rank " +
                 std::to_string(rank);
        };
        lost.expect(times[i] > 0,
                    [&] { return entry() + " and taken by nobody"; });
        twice.expect(times[i] <= 1, [&] {
          return entry() + " once and taken " + std::to_string(times[i]) +
                 " times";
        });
      }
    }
    EXPECT_EQ(beyond, 0u) << "entries were taken that nobody has pushed";
  }

  uint64_t count_ = 0;
  // Number of times that the item of each number was taken.
  std::vector<uint8_t> times_;
  uint64_t unknown_ = 0;
  spmd::Once torn_{"an entry is torn"};
};

}  // namespace magpie::queue_suite

#endif  // MAGPIE_COMMON_STEALING_QUEUE_SUITE_ITEMS_H_
