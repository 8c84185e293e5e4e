// State that C++ keeps for each thread of a process, while tasks move:
// exceptions, static variables that are being initialized, and the end of a
// stack. Nearly all of it is right.

#include <execinfo.h>
#include <signal.h>
#include <sys/time.h>
#include <unwind.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "common/context/context.h"
#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

// Time that a child takes, so that a thief has time to take the parent.
void take_time() { rma::compute(100'000); }

const std::string kAllWays =
    kTwoAndMoving + "|--ranks=3 --explore --memory=pso --seed=1";

// Makes `task` in a run. Status 1: one of its returns was not its argument.
template <long (*kTask)(long)>
int expect_argument(CommandLine line) {
  return run(line.argc, line.argv, [] {
    int wrong = 0;
    for (long i = 0; i < 50; ++i) wrong |= kTask(i) != i;
    return wrong;
  });
}

// Joins at the end of a scope, however that is left.
struct Joined {
  Future<long> future;
  long* to;
  ~Joined() { *to = future.join(); }
};

long joins_as_an_exception_passes(long i) {
  const int passing = std::uncaught_exceptions();
  long value = -1;
  try {
    const Joined joined{spawn([i] {
                          take_time();
                          return i;
                        }),
                        &value};
    throw std::runtime_error("input " + std::to_string(i));
  } catch (const std::exception& e) {
    if (e.what() != "input " + std::to_string(i)) return -2;
  }
  return std::uncaught_exceptions() == passing ? value : -3;
}
LISTED(expect_argument<joins_as_an_exception_passes>,
       join_as_an_exception_passes, kWell, "", kTwoAndMoving);

long joins_in_a_handler(long i) {
  const auto before = spawn([i] {
    take_time();
    return i;
  });
  try {
    throw std::runtime_error("input " + std::to_string(i));
  } catch (const std::exception& e) {
    const long value = before.join();
    return e.what() == "input " + std::to_string(i) ? value : -2;
  }
}
LISTED(expect_argument<joins_in_a_handler>, join_in_a_handler, kWell, "",
       kAllWays);

// A tree of tasks, of which each joins its older child first.
long leaves(long depth) {
  take_time();
  if (depth == 0) return 1;
  const auto a = spawn([depth] { return leaves(depth - 1); });
  const auto b = spawn([depth] { return leaves(depth - 1); });
  const long left = a.join();
  return left + b.join();
}
long spawns_in_a_handler(long i) {
  try {
    try {
      throw i;
    } catch (long) {
      if (leaves(3) != 8) return -2;
      throw;
    }
  } catch (long thrown) {
    return thrown;
  }
}
LISTED(expect_argument<spawns_in_a_handler>, spawn_in_a_handler, kWell, "",
       kAllWays + "|--ranks=1");

// Each task is taken while its child handles an exception.
long a_child_handles(long i) {
  const auto a = spawn([i] {
    try {
      throw i;
    } catch (long thrown) {
      take_time();
      return thrown;
    }
  });
  take_time();
  return a.join();
}
LISTED(expect_argument<a_child_handles>, child_handles, kWell, "",
       kTwoAndMoving);

PROGRAM(run_in_a_handler) {
  try {
    throw 1;
  } catch (int) {
    const int status = expect_argument<joins_as_an_exception_passes>(line);
    return std::current_exception() == nullptr ? 1 : status;
  }
}

// Initializes a table in parallel, when it is first needed.
long sum_of_leaves(long n) {
  return parallel_reduce(
      0, n, 1, 0L,
      [](int64_t i) {
        take_time();
        return static_cast<long>(i);
      },
      std::plus<long>());
}
long table() {
  static const long sum = sum_of_leaves(16);
  return sum;
}
PROGRAM(table, kGoesOn, "", "--ranks=2|--ranks=3 --forced_steal") {
  return run(line.argc, line.argv, [] {
    table();  // while the other ranks have nothing to do
    const long sum = parallel_reduce(
        0, 32, 1, 0L,
        [](int64_t) {
          take_time();
          return table();
        },
        std::plus<long>());
    return sum == 32 * (16 * 15 / 2) ? 0 : 1;
  });
}

// A child needs what its parent initializes.
long needed_by_its_child() {
  static const long own = spawn([] { return needed_by_its_child(); }).join();
  return own;
}
MISTAKE(in_root, table_needs_itself, kTold,
        "deadlock: what initializes a static variable of a function waits for "
        "a task that needs it; to name it: nm -nC '/.*\\| sort -u$") {
  needed_by_its_child();
}

// An initializer that throws is tried again at the next call.
long tries_again(long i) {
  static int tries = 0;
  struct Throws {
    explicit Throws(long i) {
      const auto a = spawn([i] { return i; });
      a.join();
      if (++tries % 2 == 1) throw i;
    }
  };
  try {
    static const Throws initialized(i);
  } catch (long thrown) {
    return thrown;
  }
  return i;
}
LISTED(expect_argument<tries_again>, table_throws, kGoesOn);

// Whether the frame is the last one of a thread that may move: of the root, or
// of one whose parent is elsewhere.
bool is_an_end(void* address) {
  using namespace context;
  void* const function = _Unwind_FindEnclosingFunction(address);
  return function == reinterpret_cast<void*>(&start_on_stack) ||
         function == reinterpret_cast<void*>(&magpie_context_save_and_call);
}

// Adds up the leaves of a tree at which backtraces have an end.
long depths(long n) {
  if (n < 2) {
    void* stack[200];
    const int frames = backtrace(stack, 200);
    const bool ends = !seam::traits().migrates || is_an_end(stack[frames - 1]);
    return frames > 2 && ends ? n : -1'000'000;
  }
  const auto a = spawn([=] {
    take_time();
    return depths(n - 1);
  });
  const long b = depths(n - 2);
  return a.join() + b;
}
PROGRAM(backtrace, kWell, "", "--ranks=3|--ranks=3 --forced_steal") {
  return run(line.argc, line.argv, [] {
    // Where no end is written there may be one by chance.
    for (int i = 0; i < 5; ++i)
      if (depths(12) != 144) return 1;
    return 0;
  });
}

// A profiler: walks the stack at every millisecond of the process's time, until
// each rank has been looked at often enough.
volatile sig_atomic_t looks = 0;
void look(int) {
  void* stack[64];
  if (backtrace(stack, 64) < 2) std::abort();
  looks = looks + 1;
}

struct Profiled {
  static constexpr int kLooks = 100;
  rma::RemotePtr<rma::Word> ranks;

  size_t heap_bytes() const { return rma::allocated_bytes<rma::Word>(); }
  void prepare() {
    ranks = rma::allocate<rma::Word>().at(0);
    void* stack[1];
    backtrace(stack, 1);  // loads what it needs
    signal(SIGPROF, look);
    const itimerval often = {{0, 1000}, {0, 1000}};
    setitimer(ITIMER_PROF, &often, nullptr);
  }
  int operator()() const {
    const auto is_enough = [] {
      if (looks >= kLooks && looks < 2 * kLooks) {
        looks = 2 * kLooks;
        rma::fetch_add(root_task<Profiled>().ranks, 1);
      }
      return rma::get_word(root_task<Profiled>().ranks) >=
             static_cast<uint64_t>(rma::size());
    };
    while (!is_enough()) {
      const auto a = spawn([=] {
        is_enough();
        return depths(9);
      });
      depths(9);
      is_enough();
      a.join();
    }
    return 0;
  }
};
bool has_signals() { return !rma::is_simulated(); }
LISTED(run_root<Profiled>, profiled, kGoesOn, "", kTwoRanks, has_signals);

bool has_one_input() {
  return std::string_view(rma::kBackend.name) == "shm" &&
         seam::traits().migrates;
}
// Reads standard input on every rank: only one has it.
MISTAKE(in_root, input, kTold,
        "rank 1: a task has read standard input on this rank, but only rank 0 "
        "has it: read before the run$",
        kMoving, has_one_input) {
  const auto a = spawn([] {
    take_time();
    return std::getchar();
  });
  std::getchar();
  a.join();
}

}  // namespace
}  // namespace magpie::mistakes
