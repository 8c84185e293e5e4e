// Tasks that end the process, throw, take too much, or get their sizes wrong.

#include <alloca.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

void throws() {
  spawn([]() -> int { throw std::runtime_error("no such file"); }).join();
}
void throws_a_number() { throw 5; }

template <int kStatus>
void exits() {
  spawn([] { std::exit(kStatus); }).join();
}
void exits_at_once() {
  spawn([] { _exit(0); }).join();
}
void exits_quickly() {
  spawn([] { std::quick_exit(0); }).join();
}
void aborts() { std::abort(); }
void crashes() {
  std::printf("printed before\n");
  volatile int* volatile nowhere = nullptr;
  *nowhere = 1;
}

[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return spawn([n] { return recurses(n + 1); }).join() + here;
}
[[gnu::noinline]] long recurses_plainly(long n) {
  volatile long here = n;
  return (n < 0 ? 0 : recurses_plainly(n + 1)) + here;
}
void recurses_without_tasks() { recurses_plainly(0); }
void recurses_with_tasks() { recurses(0); }
[[gnu::noinline]] void large_frame() {
  volatile char* const large = static_cast<char*>(alloca(32 << 20));
  large[0] = 1;
}
struct Huge {
  std::array<char, 1 << 20> bytes;
};
struct Long {
  std::array<char, 8 << 10> bytes;
};
[[gnu::noinline]] void large_closure() {
  static Huge huge;
  spawn([h = huge] { return h.bytes[0]; }).join();
}
[[gnu::noinline]] void large_result() {
  spawn([] { return Long{}; }).join();
}

constexpr char kExits[] = "rank \\d: called exit in the middle of the run";
constexpr char kTooDeep[] =
    "rank \\d: (the region is exhausted: tasks nest too deeply; raise "
    "--region_bytes|the stack of .*; raise --stack_bytes)$";
constexpr char kTooLittle[] =
    "the memory of task entries is exhausted: .* raise --entry_bytes$";

constexpr Mistake kMistakes[] = {
    {"exception", kTwoRanks, End::kTold,
     "rank \\d: an exception left a task: no such file$", in_run<throws>},
    {"exception_of_the_root", kTwoRanks, End::kTold,
     "rank 0: an exception left a task; it is no std::exception$",
     in_run<throws_a_number>},
    {"exit_3", kTwoRanks, End::kDies,
     "rank \\d: called exit in the middle of the run", in_run<exits<3>>},
    {"exit_0", kTwoRanks, End::kTold,
     "rank \\d: called exit in the middle of the run", in_run<exits<0>>},
    {"exit_at_once", kTwoRanks, End::kTold, kExits, in_run<exits_at_once>},
    {"exit_at_once_alone", kOneRank, End::kTold, kExits, in_run<exits_at_once>},
    {"exit_quickly", kTwoRanks, End::kTold, kExits, in_run<exits_quickly>},
    {"abort", kTwoRanks, End::kDies, "rank \\d: Aborted", in_run<aborts>},
    {"crash", kTwoRanks, End::kDies, "rank \\d: Segmentation fault",
     in_run<crashes>},
    {"recursion", "--ranks=2 --region_bytes=1M", End::kDies, kTooDeep,
     in_run<recurses_with_tasks>},
    {"recursion_of_entries", "--ranks=2 --entry_bytes=4K", End::kTold,
     kTooLittle, in_run<recurses_with_tasks>},
    {"plain_recursion", kOneRank, End::kDies, kTooDeep,
     in_run<recurses_without_tasks>},
    {"large_frame", kOneRank, End::kDies, kTooDeep, in_run<large_frame>},
    {"large_closure", "--ranks=2 --region_bytes=256K", End::kDies, kTooDeep,
     in_run<large_closure>},
    {"large_result", "--ranks=2 --entry_bytes=4K", End::kTold, kTooLittle,
     in_run<large_result>},
};

}  // namespace

std::span<const Mistake> endings() { return kMistakes; }

}  // namespace magpie::mistakes
