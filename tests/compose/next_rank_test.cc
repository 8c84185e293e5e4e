// Runs fib under the runtime of next_rank.cc and checks the result.

#include <cstdio>
#include <string>
#include <vector>

#include "common/fork_join/fork_join.h"

namespace {

long fib(long n) {
  if (n < 2) return n;
  auto a = magpie::spawn([=] { return fib(n - 1); });
  const long b = fib(n - 2);
  return a.join() + b;
}

}  // namespace

int main(int argc, char** argv) {
  long result = 0;
  magpie::RunReport report;
  const std::vector<std::string> flags(argv + 1, argv + argc);
  const int status = magpie::run_with_result(
      flags, [] { return fib(20); }, &result, &report);
  if (status != 0) return status;
  std::printf("%s on %d ranks: fib(20) = %ld, %lu steals\n", report.runtime,
              report.ranks, result,
              static_cast<unsigned long>(report.stats.steals_ok));
  const bool right = result == 6765 && report.stats.steals_ok > 0 &&
                     report.runtime == std::string("next_rank");
  return right ? 0 : 1;
}
