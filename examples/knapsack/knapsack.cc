// Finds what is best to put into a knapsack, by branch and bound: a bag of
// tasks that share a bound.

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <random>

#include "common/flags/flags.h"
#include "common/run/shared_max.h"
#include "common/task_pool/task_pool.h"

constexpr int kMostItems = 64;

struct Item {
  int32_t weight, value;
};

// Result that tasks merge: the best of all, and which items that is, a bit for
// each.
struct Packing {
  int64_t value = 0;
  uint64_t taken = 0;

  void merge(const Packing& other) {
    if (other.value > value) *this = other;
  }
};

// A task: some items are decided on, all from `next` on are not.
struct Node {
  int64_t next, room, value;
  uint64_t taken;

  void operator()() const;
};

// The root.
struct Knapsack {
  static constexpr uint32_t kTaskBytes = sizeof(Node);

  // The most valuable for their weight come first.
  std::array<Item, kMostItems> item;
  int64_t items, room;
  // The value of the best packing that was found on any rank.
  magpie::SharedMax best;

  size_t heap_bytes() const { return magpie::SharedMax::heap_bytes(); }
  void prepare() { best.allocate(0); }
  void operator()() const { magpie::add(Node{0, room, 0, 0}); }

  // No packing that a node leads to is worth more: items are taken in their
  // order, of the last one a part.
  int64_t bound(const Node& node) const {
    int64_t left = node.room, value = node.value;
    for (int64_t i = node.next; i < items; ++i) {
      const auto [weight, worth] = item[static_cast<size_t>(i)];
      if (weight > left) return value + worth * left / weight;
      left -= weight;
      value += worth;
    }
    return value;
  }
};

void Node::operator()() const {
  const auto& knapsack = magpie::pool_root<Knapsack>();
  if (value > knapsack.best.get()) {
    knapsack.best.raise(value);
    magpie::merge(Packing{value, taken});
  }
  if (next == knapsack.items || knapsack.bound(*this) <= knapsack.best.get())
    return;
  const Item item = knapsack.item[static_cast<size_t>(next)];
  magpie::add(Node{next + 1, room, value, taken});
  // Runs first, since it is the younger.
  if (item.weight <= room)
    magpie::add(Node{next + 1, room - item.weight, value + item.value,
                     taken | uint64_t{1} << next});
}

// Items whose value is about their weight, and room for half of them.
Knapsack random_knapsack(int items) {
  std::mt19937_64 random(1);
  Knapsack knapsack = {};
  knapsack.items = items;
  const auto end = knapsack.item.begin() + items;
  for (auto item = knapsack.item.begin(); item != end; ++item) {
    item->weight = 100 + static_cast<int32_t>(random() % 900);
    item->value = item->weight + 100 + static_cast<int32_t>(random() % 10);
    knapsack.room += item->weight;
  }
  knapsack.room /= 2;
  std::sort(knapsack.item.begin(), end, [](Item a, Item b) {
    return a.value * b.weight > b.value * a.weight;
  });
  return knapsack;
}

int main(int argc, char** argv) {
  magpie::flags::App app("Fills a knapsack, by branch and bound.");
  int items = 40;
  magpie::flags::add_integer(app, "--items", items, "number of items", 1,
                             kMostItems);
  const auto arguments = magpie::flags::parse_known_or_exit(
      app, argc, argv, magpie::pool_seam::flags_help());

  const Knapsack knapsack = random_knapsack(items);
  Packing best;
  magpie::RunReport report;
  const int status = magpie::run_pool(arguments, knapsack, &best, &report);
  // Here is rank 0 alone.
  if (status != 0) return status;
  int64_t taken = 0;
  for (size_t i = 0; i < kMostItems; ++i)
    if ((best.taken >> i & 1) != 0) taken += knapsack.item[i].value;
  std::printf("%d items, %d ranks: the best are worth %ld\n", items,
              report.ranks, taken);
  return 0;
}
