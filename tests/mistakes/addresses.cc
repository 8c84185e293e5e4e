// Addresses in closures and results, of objects that other processes do not
// have, and of objects that they have; and numbers that look like addresses.

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

void by_reference() {
  long sum = 0;
  spawn([&] { sum += 1; }).join();
}
MISTAKE(in_root, loop_by_reference, kTold, kStack, "--ranks=2|--ranks=4") {
  long sum = 0;
  parallel_for(0, 100, 10, [&](int64_t i) { sum += i; });
}
// There are spawns of many other types before.
template <int kNumber>
struct OfManyTypes {
  int operator()() const { return kNumber; }
};
template <int... kNumbers>
void spawn_all(std::integer_sequence<int, kNumbers...>) {
  (spawn(OfManyTypes<kNumbers>()).join(), ...);
}
MISTAKE(in_root, by_reference_after_many_types, kTold, kStack) {
  spawn_all(std::make_integer_sequence<int, 150>());
  by_reference();
}
MISTAKE(in_root, into_the_environment, kTold,
        "an address of this process's stack") {
  const char* const path = std::getenv("PATH");
  spawn([path] { return path[0]; }).join();
}
struct OwnMemory {
  rma::RemotePtr<long> numbers;
  size_t heap_bytes() const { return rma::allocated_bytes<long>(8); }
  void prepare() { numbers = rma::allocate<long>(8); }
  void operator()() const {
    long* const mine = root_task<OwnMemory>().numbers.local();
    spawn([mine] { *mine = 1; }).join();
  }
};
LISTED(
    run_root<OwnMemory>, into_symmetric_memory, kTold,
    "rank \\d: a task's closure holds at byte 0 an address of memory of this "
    "process, 0x");
MISTAKE(in_root, returns_an_address, kDebug ? kTold : kWell,
        "rank 0: a task's result holds at byte 0 an address", kOneRank) {
  spawn([] {
    long local = 1;
    long* volatile address = &local;
    return static_cast<long*>(address);
  }).join();
}

// ---------------------------------------------------------- what is no mistake

// A closure of two 32-bit numbers, or of one word.
struct Pair {
  int first, second;
};
void holds(Pair pair) {
  spawn([pair] { return pair.first; }).join();
}
void holds(uint64_t word) {
  spawn([word] { return word; }).join();
}

MISTAKE(in_root, small_integers) {
  for (const int second : {-1, 0, 1, 32, 64, 85, 127, 128, 1000, 32767}) {
    for (const int first : {-1, 0, 1, 64, 132, 1000, 65536, 1 << 20, 1 << 24})
      holds(Pair{first, second});
  }
  long sum = 0;
  for (int last = 64; last > 0; last /= 2)
    sum += parallel_reduce(
        0, last, 1, 0l, [](int64_t i) { return long{i}; },
        [](long a, long b) { return a + b; });
  if (sum != 2667) std::abort();
}
// Some of the integers lie in the heap's range.
MISTAKE(in_root, large_numbers) {
  for (uint64_t n = 4'000'000; n < 40'000'000; n += 99'991) holds(n);
  uint64_t hash = 1;
  for (int i = 0; i < 1000; ++i) {
    hash = hash * 6364136223846793005 + 1442695040888963407;
    holds(hash);
    holds(Pair{static_cast<int>(hash >> 32), 85});
  }
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    holds(std::bit_cast<uint64_t>(x));
    holds(std::bit_cast<uint64_t>(-x));
  }
}
long some_global = 3;
MISTAKE(in_root, what_all_processes_have) {
  const char* const words = "words";
  std::FILE* const file = stdout;
  long* const global = &some_global;
  void (*const function)() = &by_reference;
  spawn([=] {
    return file != nullptr && function != nullptr && words[0] == 'w' &&
           *global == 3;
  }).join();
}

}  // namespace
}  // namespace magpie::mistakes
