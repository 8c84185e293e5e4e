// Addresses in closures and results, of objects that other processes do not
// have, and of objects that they have; and numbers that look like addresses.

#include <sys/mman.h>

#include <bit>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/deeds.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

int root_by_reference(CommandLine line) {
  long result = -1;
  return run(line.argc, line.argv, [&] { result = 5; });
}
int root_by_pointer(CommandLine line) {
  long result = -1;
  return run(line.argc, line.argv, [p = &result] { *p = 5; });
}
int root_of_the_heap(CommandLine line) {
  std::vector<long> numbers(1 << 19, 1);
  return run(line.argc, line.argv,
             [p = numbers.data()] { return p[7] == 1 ? 0 : 1; });
}

void by_reference() {
  long sum = 0;
  spawn([&] { sum += 1; }).join();
}
void loop_by_reference() {
  long sum = 0;
  parallel_for(0, 100, 10, [&](int64_t i) { sum += i; });
}
// The first spawns of the program are fine.
void by_reference_later() {
  for (int i = 0; i < 1000; ++i) spawn([i] { return i; }).join();
  by_reference();
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
void by_reference_after_many_types() {
  spawn_all(std::make_integer_sequence<int, 150>());
  by_reference();
}
[[gnu::noinline]] void spawns_on(long* of_an_ancestor) {
  spawn([of_an_ancestor] { ++*of_an_ancestor; }).join();
}
void by_pointer() {
  long sum = 0;
  spawns_on(&sum);
}
void into_a_large_vector() {
  std::vector<long> numbers(1 << 19);
  spawn([p = numbers.data() + 1000] { *p = 1; }).join();
}
void into_mapped_memory() {
  void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  spawn([memory] { *static_cast<long*>(memory) = 1; }).join();
}
void into_the_environment() {
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
void returns_an_address() {
  spawn([] {
    long local = 1;
    long* volatile address = &local;
    return static_cast<long*>(address);
  }).join();
}
// Spawns a bad closure of a type that was fine before.
void by_pointer_once_in_a_while() {
  long sum = 0;
  for (int i = 0; i < 10; ++i) {
    long* const p = i == 9 ? &sum : nullptr;
    spawn([p] { return p == nullptr; }).join();
  }
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

void small_integers() {
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
// Numbers of which some lie in the heap's range.
void integers_of_some_millions() {
  for (uint64_t n = 4'000'000; n < 40'000'000; n += 99'991) holds(n);
}
void hashes() {
  uint64_t hash = 1;
  for (int i = 0; i < 1000; ++i) {
    hash = hash * 6364136223846793005 + 1442695040888963407;
    holds(hash);
    holds(Pair{static_cast<int>(hash >> 32), 85});
  }
}
void floating_point() {
  for (double x = 1e-300; x < 1e300; x *= 1.7) {
    holds(std::bit_cast<uint64_t>(x));
    holds(std::bit_cast<uint64_t>(-x));
  }
}
long some_global = 3;
void what_all_processes_have() {
  const char* const words = "words";
  std::FILE* const file = stdout;
  long* const global = &some_global;
  void (*const function)() = &small_integers;
  spawn([=] {
    return file != nullptr && function != nullptr && words[0] == 'w' &&
           *global == 3;
  }).join();
}
// Two lambdas without captures leave padding in the closure of the loop.
void padding() {
  with_dirty_padding([](const Padded& padded) {
    spawn([padded] { return padded; }).join();
    parallel_for(0, 8, 1, [](int64_t) {});
  });
}
void empty_pointers() {
  long* const p = nullptr;
  spawn([p] { return p; }).join();
}

constexpr char kTasksStack[] =
    "rank \\d: a task's closure holds at byte \\d+ an address of the stack of "
    "a task, 0x[0-9a-f]+, which .* capture by value, and return results";
constexpr char kProcess[] =
    "rank \\d: a task's closure holds at byte 0 an address of memory of this "
    "process, 0x";
constexpr char kRoot[] =
    "rank 0: .*the root task's closure holds at byte 0 an address of this "
    "process's stack, 0x[0-9a-f]+, which .* return results";
constexpr End kToldInDebugBuilds = kDebug ? kTold : kWell;

constexpr Mistake kMistakes[] = {
    {"root_by_reference", root_by_reference, kTold, kRoot},
    {"root_by_pointer", root_by_pointer, kTold, kRoot, kOneRank},
    {"root_by_reference_not_looked_at", root_by_reference, kWell, "",
     "--ranks=2 --address_scan=off"},
    {"root_of_the_heap", root_of_the_heap, kTold,
     "rank 0: the root task's closure holds at byte 0 an address of memory of "
     "this process, 0x.* --address_scan=off\\)$",
     kOneRank},
    {"by_reference", in_run<by_reference>, kTold, kTasksStack},
    {"loop_by_reference", in_run<loop_by_reference>, kTold, kTasksStack,
     "--ranks=2|--ranks=4"},
    {"by_reference_later", in_run<by_reference_later>, kTold, kTasksStack},
    {"by_reference_after_many_types", in_run<by_reference_after_many_types>,
     kTold, kTasksStack},
    {"by_pointer", in_run<by_pointer>, kTold, kTasksStack},
    {"into_a_large_vector", in_run<into_a_large_vector>, kTold, kProcess},
    {"into_mapped_memory", in_run<into_mapped_memory>, kTold, kProcess},
    {"into_the_environment", in_run<into_the_environment>, kTold,
     "an address of this process's stack"},
    {"into_symmetric_memory", run_root<OwnMemory>, kTold, kProcess},
    {"returns_an_address", in_run<returns_an_address>, kToldInDebugBuilds,
     "rank 0: a task's result holds at byte 0 an address", kOneRank},
    {"by_pointer_once_in_a_while", in_run<by_pointer_once_in_a_while>,
     kToldInDebugBuilds, kTasksStack, kOneRank},
    {"small_integers", in_run<small_integers>},
    {"integers_of_some_millions", in_run<integers_of_some_millions>},
    {"hashes", in_run<hashes>},
    {"floating_point", in_run<floating_point>},
    {"what_all_processes_have", in_run<what_all_processes_have>},
    {"padding", in_run<padding>},
    {"empty_pointers", in_run<empty_pointers>},
};

}  // namespace

std::span<const Mistake> addresses() { return kMistakes; }

}  // namespace magpie::mistakes
