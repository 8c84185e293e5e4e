// Looks for a factor of a number, in a bag of tasks; the one that finds it ends
// the run.

#include <cstdint>
#include <cstdio>

#include "common/task_pool/task_pool.h"

constexpr uint64_t kNumber = 1000036000099;
// No number from here on is the smaller one of two factors.
constexpr uint64_t kEnd = 1000018;

struct Candidates {
  uint64_t first, end;

  void operator()() const {
    if (end - first > 1000) {
      const uint64_t middle = first + (end - first) / 2;
      magpie::add(Candidates{middle, end});
      magpie::add(Candidates{first, middle});
      return;
    }
    for (uint64_t factor = first; factor < end; ++factor)
      if (kNumber % factor == 0) return magpie::end_pool(factor);
  }
};

int main(int argc, char** argv) {
  uint64_t factor = 0;
  const int status = magpie::run_pool(
      argc, argv,
      [] {
        magpie::add(Candidates{2, kEnd});
      },
      &factor);
  if (status == 0)
    std::printf("%lu * %lu\n", factor, factor == 0 ? 0 : kNumber / factor);
  return status;
}
