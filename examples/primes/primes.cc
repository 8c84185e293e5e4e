// Counts the primes below a million: a loop whose results are added up.

#include <cstdint>
#include <cstdio>
#include <functional>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"

// Charge for a number on a simulated machine: the time of a node of UTS,
// which has this name. On real machines charging does nothing.
const magpie::rma::Cost kNumber("uts_node");

int64_t is_prime(int64_t n) {
  magpie::rma::charge(kNumber);
  for (int64_t divisor = 2; divisor * divisor <= n; ++divisor) {
    if (n % divisor == 0) return 0;
  }
  return n >= 2;
}

int main(int argc, char** argv) {
  return magpie::run(argc, argv, [] {
    // Pieces of 1000 numbers are plain loops.
    const int64_t primes = magpie::parallel_reduce(
        0, 1'000'000, 1000, int64_t{0}, is_prime, std::plus<int64_t>());
    std::printf("%ld\n", primes);
  });
}
