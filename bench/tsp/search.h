// Branch and bound below the beginning of a tour, by one rank.

#ifndef MAGPIE_BENCH_TSP_SEARCH_H_
#define MAGPIE_BENCH_TSP_SEARCH_H_

#include <algorithm>
#include <cstdint>

#include "bench/tsp/tour.h"

namespace magpie::tsp {

// Goes depth first through all tours that may be shorter than the shortest
// known one.
//
//   look(nodes)    Called after each kLook nodes or fewer, and at the end:
//                  returns the length of the shortest tour that others know.
//   found(tour)    Called with each tour that is shorter than all before it.
template <typename Look, typename Found>
class Search {
 public:
  static constexpr uint64_t kLook = 256;

  Search(const Table& table, Look look, Found found)
      : table_(table), look_(look), found_(found) {}

  void run(const Path& path) {
    path_ = path;
    best_ = look_(0);
    visit();
    look_(nodes_);
  }

 private:
  void visit() {
    if (++nodes_ == kLook) {
      best_ = std::min(best_, look_(nodes_));
      nodes_ = 0;
    }
    if (path_.count == table_.n) return close();
    path_.for_each_next(table_, [this](uint8_t city) {
      if (!path_.may_beat(table_, city, best_)) return;
      path_.go_to(table_, city);
      visit();
      path_.go_back(table_);
    });
  }

  void close() {
    const uint64_t length = path_.length + table_.distance[path_.last()][0];
    if (length >= best_) return;
    best_ = length;
    found_(Tour{length, path_.cities});
  }

  const Table& table_;
  Look look_;
  Found found_;
  Path path_ = {};
  uint64_t best_ = 0;
  // Nodes since the last look.
  uint64_t nodes_ = 0;
};

}  // namespace magpie::tsp

#endif  // MAGPIE_BENCH_TSP_SEARCH_H_
