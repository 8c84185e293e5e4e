// Mistakes of users who link both a runtime and a pool: tasks of one call the
// functions of the other; and uses that are no mistakes.

#include <cstdint>

#include "tests/mistakes/fork_join.h"
#include "tests/mistakes/pool.h"

namespace magpie::mistakes {
namespace {

struct Root {
  int n;
  void operator()() const {}
};

void spawns() { fork_join::makes_a_task(); }
void adds() { pool::makes_a_task(); }

const std::string kInAPool =
    "rank \\d: this is a run of run_pool\\(\\): add, merge and pool_root are "
    "for the root and for tasks, and prepare\\(\\) runs before them; spawn, "
    "join and root_task are for tasks of run\\(\\)$";
const std::string kInARun =
    "rank \\d: this is a run of run\\(\\): spawn, join and root_task are for "
    "tasks, and prepare\\(\\) runs before them; add, merge and pool_root are "
    "for tasks of run_pool\\(\\)$";

LISTED(pool::in_task<spawns>, task_of_a_pool_spawns, kTold, kInAPool);
MISTAKE(pool::in_task, task_of_a_pool_asks_for_the_root, kTold, kInAPool) {
  root_task<Root>();
}
LISTED(pool::in_prepare<spawns>, prepare_of_a_pool_spawns, kTold, kInAPool);

LISTED(fork_join::in_task<adds>, task_adds, kTold, kInARun);
MISTAKE(fork_join::in_task, task_asks_for_the_pools_root, kTold, kInARun) {
  pool_root<Root>();
}
LISTED(fork_join::in_prepare<adds>, prepare_adds, kTold, kInARun);
PROGRAM(one_after_the_other, kWell, "", kOneAndTwo) {
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

}  // namespace
}  // namespace magpie::mistakes

int main(int argc, char** argv) {
  return magpie::mistakes::make_or_list({argc, argv});
}
