// Tasks that end the process, throw, take too much, or get their sizes wrong.

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "tests/mistakes/deeds.h"
#include "tests/mistakes/mistakes.h"

namespace magpie::mistakes {
namespace {

void throws() {
  spawn([]() -> int { throw std::runtime_error("no such file"); }).join();
}

template <int kStatus>
void exits() {
  spawn([] { std::exit(kStatus); }).join();
}
void exits_at_once() {
  spawn([] { _exit(0); }).join();
}
[[gnu::noinline]] long recurses(long n) {
  volatile long here = n;
  return spawn([n] { return recurses(n + 1); }).join() + here;
}
void recurses_with_tasks() { recurses(0); }
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
    {"exception", in_run<throws>, kTold,
     "rank \\d: an exception left a task: no such file$"},
    {"exception_of_the_root", in_run<[] { throw 5; }>, kTold,
     "rank 0: an exception left a task; it is no std::exception$"},
    {"exit_3", in_run<exits<3>>, kDies,
     "rank \\d: called exit in the middle of the run"},
    {"exit_0", in_run<exits<0>>, kTold,
     "rank \\d: called exit in the middle of the run"},
    {"exit_at_once", in_run<exits_at_once>, kTold, kExits},
    {"exit_at_once_alone", in_run<exits_at_once>, kTold, kExits, kOneRank},
    {"exit_quickly", in_run<[] { spawn([] { std::quick_exit(0); }).join(); }>,
     kTold, kExits},
    {"abort", in_run<[] { std::abort(); }>, kDies, "rank \\d: Aborted"},
    {"crash", in_run<[] { std::printf("printed before\n"), crashes(); }>, kDies,
     "rank \\d: Segmentation fault"},
    {"recursion", in_run<recurses_with_tasks>, kDies, kTooDeep,
     "--ranks=2 --region_bytes=1M"},
    {"recursion_of_entries", in_run<recurses_with_tasks>, kTold, kTooLittle,
     "--ranks=2 --entry_bytes=4K"},
    {"plain_recursion", in_run<exhausts_the_stack>, kDies, kTooDeep, kOneRank},
    {"large_frame", in_run<large_frame>, kDies, kTooDeep, kOneRank},
    {"large_closure", in_run<large_closure>, kDies, kTooDeep,
     "--ranks=2 --region_bytes=256K"},
    {"large_result", in_run<large_result>, kTold, kTooLittle,
     "--ranks=2 --entry_bytes=4K"},
};

}  // namespace

std::span<const Mistake> endings() { return kMistakes; }

}  // namespace magpie::mistakes
