// Victims at random, uniformly: hpdc15 Fig. 6, line 9.

#ifndef MAGPIE_COMMON_STEALING_RANDOM_VICTIM_H_
#define MAGPIE_COMMON_STEALING_RANDOM_VICTIM_H_

#include <cstdint>
#include <random>

namespace magpie {

// Thread safety: belongs to one rank. Same rank, size and seed, same sequence.
class RandomVictim {
 public:
  RandomVictim(int rank, int size, uint64_t seed)
      : rank_(rank),
        size_(size),
        random_(mixed(seed, static_cast<uint64_t>(rank) + 1)) {}

  int next() {
    // The generator's state is 8 bytes, which counts at 100,000 ranks in one
    // process. Its range is not a multiple of size - 1; the bias is below size
    // / 2^31.
    const int victim =
        static_cast<int>(random_() % static_cast<uint32_t>(size_ - 1));
    return victim < rank_ ? victim : victim + 1;
  }

 private:
  // The high bits, in which neighbouring ranks and seeds are far apart.
  static uint32_t mixed(uint64_t seed, uint64_t rank) {
    return static_cast<uint32_t>(
        (seed * 0x9e3779b97f4a7c15 + rank * 0xbf58476d1ce4e5b9) >> 33);
  }

  int rank_;
  int size_;
  std::minstd_rand random_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_RANDOM_VICTIM_H_
