// Where to look for work next: the concept, and the simplest class that meets
// it. Its suite is victim_selection_suite.h.

#ifndef MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
#define MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_

#include <concepts>
#include <cstdint>

namespace magpie {

//   V(rank, size, seed)   Belongs to `rank`, of `size`. Same arguments, same
//                         sequence.
//   next()                The next victim: any rank but the own one. Every
//                         other rank comes again and again, or a run may never
//                         end. REQUIRES: size >= 2. Cost: no operation.
template <typename V>
concept VictimSelection = std::constructible_from<V, int, int, uint64_t> &&
    requires(V victims) {
  { victims.next() } -> std::same_as<int>;
};

// Round robin, from the next rank on.
class NextVictim {
 public:
  NextVictim(int rank, int size, uint64_t /*seed*/)
      : rank_(rank), size_(size), victim_(rank) {}

  int next() {
    do {
      victim_ = (victim_ + 1) % size_;
    } while (victim_ == rank_);
    return victim_;
  }

 private:
  int rank_;
  int size_;
  int victim_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_VICTIM_SELECTION_H_
