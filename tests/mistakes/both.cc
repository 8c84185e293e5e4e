// Mistakes of users who link both a runtime and a pool: tasks of one call the
// functions of the other; and uses that are no mistakes.

#include <cstdint>
#include <thread>

#include "tests/mistakes/mistakes.h"
#include "tests/mistakes/pool_mistakes.h"

namespace magpie::mistakes {
namespace {

template <auto kDeed>
int in_spawned_task(CommandLine line) {
  return run(line.argc, line.argv, [] { spawn([] { kDeed(); }).join(); });
}
template <auto kDeed>
void in_a_thread() {
  std::thread([] { kDeed(); }).join();
}
template <auto kDeed>
struct InPrepare {
  void prepare() { kDeed(); }
  void operator()() const {}
};

struct Root {
  int n;
  void operator()() const {}
};

void spawns() {
  spawn([] { return 5; }).join();
}
void adds() {
  add([] {});
}

void starts_a_run() {
  char name[] = "program";
  char* argv[] = {name, nullptr};
  run(1, argv, [] {});
}

int one_after_the_other(CommandLine line) {
  for (uint64_t i = 1; i <= 3; ++i) {
    uint64_t sum = 0;
    const int of_pool = run_pool(
        line.argc, line.argv, [i] { add([i] { merge(i); }); }, &sum);
    if (of_pool != 0 || sum != i) return 4;
    const int of_run = run(line.argc, line.argv, [i] {
      return spawn([i] { return i; }).join() == i ? 0 : 5;
    });
    if (of_run != 0) return of_run;
  }
  return 0;
}

constexpr char kInAPool[] =
    "rank \\d: this is a run of run_pool\\(\\): add, merge and pool_root are "
    "for the root and for tasks, and prepare\\(\\) runs before them; spawn, "
    "join and root_task are for tasks of run\\(\\)$";
constexpr char kInARun[] =
    "rank \\d: this is a run of run\\(\\): spawn, join and root_task are for "
    "tasks, and prepare\\(\\) runs before them; add, merge and pool_root are "
    "for tasks of run_pool\\(\\)$";
constexpr char kOutside[] = "^magpie: called outside a run";

constexpr Mistake kMistakes[] = {
    {"root_of_a_pool_spawns", in_root<spawns>, kTold, kInAPool},
    {"task_of_a_pool_spawns", in_task<spawns>, kTold, kInAPool},
    {"task_of_a_pool_asks_for_the_root", in_task<[] { root_task<Root>(); }>,
     kTold, kInAPool},
    {"prepare_of_a_pool_spawns", run_pool_root<InPrepare<spawns>>, kTold,
     kInAPool},
    {"prepare_of_a_pool_adds", run_pool_root<InPrepare<adds>>, kTold, kInAPool},

    {"root_adds", in_run<adds>, kTold, kInARun},
    {"task_adds", in_spawned_task<adds>, kTold, kInARun},
    {"task_adds_at", in_spawned_task<[] { add_at(0, [] {}); }>, kTold, kInARun},
    {"task_merges", in_spawned_task<[] { merge(uint64_t{1}); }>, kTold,
     kInARun},
    {"task_asks_for_the_pools_root", in_spawned_task<[] { pool_root<Root>(); }>,
     kTold, kInARun},
    {"prepare_adds", run_root<InPrepare<adds>>, kTold, kInARun},
    {"prepare_spawns", run_root<InPrepare<spawns>>, kTold, kInARun},

    {"thread_spawns", in_run<in_a_thread<spawns>>, kTold,
     "rank 0: spawn was called by a thread of the program's own", kOneRank},
    {"thread_adds", in_root<in_a_thread<adds>>, kTold,
     "rank 0: add was called by a thread of the program's own", kOneRank},
    {"thread_of_a_pool_spawns", in_root<in_a_thread<spawns>>, kTold, kInAPool,
     kOneRank},
    {"thread_of_a_run_adds", in_run<in_a_thread<adds>>, kTold, kInARun,
     kOneRank},

    {"spawn_after_a_pool", after<in_root<[] {}>, spawns>, kTold, kOutside},
    {"add_after_a_run", after<in_run<[] {}>, adds>, kTold, kOutside},
    {"nested_run", in_task<starts_a_run>, kTold,
     "rank \\d: .*runs do not nest"},
    {"one_after_the_other", one_after_the_other, kWell, "", kOneAndTwo},
};

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  using namespace magpie::mistakes;
  return make_or_list({argc, argv}, {kMistakes},
                      [](const Mistake&, const std::string&) { return true; });
}
