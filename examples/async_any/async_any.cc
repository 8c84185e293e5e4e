// Looks for a factor of a number, in tasks that may run anywhere; the one that
// finds it cancels those that have not started.

#include "common/task_pool/async_any.h"

#include <cstdint>
#include <cstdio>

constexpr uint64_t kNumber = 1000036000099;
// No number from here on is the smaller one of two factors.
constexpr uint64_t kEnd = 1000018;

struct Candidates {
  uint64_t first, end;

  void operator()() const {
    if (end - first > 1000) {
      const uint64_t middle = first + (end - first) / 2;
      magpie::cancelable_async_any(Candidates{middle, end});
      magpie::cancelable_async_any(Candidates{first, middle});
      return;
    }
    for (uint64_t factor = first; factor < end; ++factor) {
      if (kNumber % factor != 0) continue;
      magpie::merge_async_any(factor);
      magpie::cancel_all_cancelable_async_any();
    }
  }
};

int main(int argc, char** argv) {
  return magpie::run_pool<uint64_t>(argc, argv, [] {
    magpie::finish_async_any([] { magpie::async_any(Candidates{2, kEnd}); });
    const auto factor = magpie::reduce_async_any<uint64_t>();
    std::printf("%llu * %llu\n", static_cast<unsigned long long>(factor),
                static_cast<unsigned long long>(kNumber / factor));
  });
}
