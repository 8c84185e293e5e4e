#include "common/run/report.h"

#include <array>
#include <bit>

#include "common/rma/rma.h"

namespace magpie {
namespace {

// A struct of 64-bit numbers, added up over the ranks.
template <typename T>
T sum(const T& part) {
  auto numbers =
      std::bit_cast<std::array<uint64_t, sizeof(T) / sizeof(uint64_t)>>(part);
  rma::reduce(numbers.data(), numbers.size(), rma::Reduction::kSum);
  return std::bit_cast<T>(numbers);
}

}  // namespace

void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            RunReport* out) {
  RunReport& report = *out;
  report.backend = rma::kBackend.name;
  report.machine = rma::machine();
  report.ranks = rma::size();
  report.stats = sum(stats);
  report.rma = sum(counters);
  rma::reduce(&report.region_bytes_max, 1, rma::Reduction::kMax);
  for (OwnCount& count : report.own_counts) {
    rma::reduce(&count.value, 1,
                count.total == OwnCount::kMost ? rma::Reduction::kMax
                                               : rma::Reduction::kSum);
  }
}

}  // namespace magpie
