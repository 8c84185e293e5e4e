#include "common/run/report.h"

#include <algorithm>
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

// The least and the greatest of each number over the ranks.
template <size_t kNumbers>
std::array<Spread, kNumbers> spread(
    const std::array<uint64_t, kNumbers>& numbers) {
  std::array<uint64_t, kNumbers> least = numbers, most = numbers;
  rma::reduce(least.data(), kNumbers, rma::Reduction::kMin);
  rma::reduce(most.data(), kNumbers, rma::Reduction::kMax);
  std::array<Spread, kNumbers> both;
  for (size_t i = 0; i < kNumbers; ++i) both[i] = {least[i], most[i]};
  return both;
}

// Sets per_rank, run_ns and busy_ns. `stats` are the calling rank's own.
void tell_per_rank(const SchedulerStats& stats, RunReport* report) {
  const uint64_t idle_ns = std::min(stats.idle_ns, report->run_ns);
  const uint64_t busy_ns = report->run_ns - idle_ns;
  const auto [tasks, steals_ok, idle, busy] =
      spread(std::array{stats.deaths, stats.steals_ok, idle_ns, busy_ns});
  report->per_rank = {
      .tasks = tasks, .steals_ok = steals_ok, .idle_ns = idle, .busy_ns = busy};
  const auto [all_run_ns, all_busy_ns] =
      sum(std::array{report->run_ns, busy_ns});
  report->run_ns = all_run_ns;
  report->busy_ns = all_busy_ns;
}

}  // namespace

void sum_up(const SchedulerStats& stats, const rma::OpCounters& counters,
            RunReport* out) {
  RunReport& report = *out;
  report.backend = rma::kBackend.name;
  report.machine = rma::machine();
  report.ranks = rma::size();
  tell_per_rank(stats, &report);
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
