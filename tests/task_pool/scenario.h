// The programs of the conformance suite of task pools.
//
// A scenario runs the pool, once or more often, and checks the exact result; it
// is written against the facade alone, compiled once, and linked with every
// pool and every network. A mistake ends the process with an error message.

#ifndef MAGPIE_TESTS_TASK_POOL_SCENARIO_H_
#define MAGPIE_TESTS_TASK_POOL_SCENARIO_H_

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"

namespace magpie::pool_conformance {

struct Parameters {
  // Approximate number of tasks, the same on all ranks.
  int64_t n = 1000;
  // Flags of the pool and the network.
  std::vector<std::string> flags;

  // The same with one flag more, "--queue_bytes=1K", where the pool has it.
  Parameters with(const std::string& flag) const;
};

// Adds a scenario to those of the program. Returns true.
//
//   program [--scenario=tree,chain] [--n=1000] [flags of the pool and the
//           network]
//
// runs one after the other, all of them by default, in one process. Status 0:
// nothing was found wrong.
bool add_scenario(const char* name, void (*run)(const Parameters&));

// SCENARIO(tree) { ... p.n ... } defines tree(p), and adds it by its name.
#define SCENARIO(name)                                    \
  static void name(const Parameters& p);                  \
  [[maybe_unused]] static const bool name##_is_scenario = \
      add_scenario(#name, name);                          \
  static void name([[maybe_unused]] const Parameters& p)

// Ends the job, or outside a run the process, unless `value` is `expected`, or
// at most `most`.
void expect_equal(const char* what, uint64_t value, uint64_t expected);
void expect_at_most(const char* what, uint64_t value, uint64_t most);

// The sum of 0, 1, ..., n - 1.
inline uint64_t sum_below(uint64_t n) { return n * (n - 1) / 2; }

template <typename T>
struct Ran {
  // Result that tasks have merged.
  T result;
  uint64_t ranks;
  // Number of tasks that have ended, and how many of these were not run.
  uint64_t tasks;
  uint64_t dropped = 0;
};

// Runs a pool with a place for its results, and ends the process unless the run
// succeeds.
template <typename T, typename F>
RunReport run_into(const Parameters& p, const F& root, T* results) {
  RunReport report;
  const int status = run_pool(p.flags, root, results, &report);
  if (status != 0) std::exit(status);
  expect_equal("tasks that ended", report.stats.deaths, report.stats.spawns);
  return report;
}

// The same with one result.
template <typename T, typename F>
Ran<T> run(const Parameters& p, const F& root) {
  T result;
  const RunReport report = run_into(p, root, &result);
  Ran<T> ran = {result, static_cast<uint64_t>(report.ranks),
                report.stats.deaths};
  for (const OwnCount& count : report.own_counts)
    if (std::string_view(count.name) == "dropped") ran.dropped = count.value;
  return ran;
}

// Runs a pool whose tasks merge numbers.
template <typename F>
Ran<uint64_t> run(const Parameters& p, const F& root) {
  return run<uint64_t>(p, root);
}

// Runs a pool whose tasks merge nothing.
template <typename F>
void run_without_result(const Parameters& p, const F& root) {
  std::vector<std::string> arguments = p.flags;
  arguments.insert(arguments.begin(), "program");
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  expect_equal("exit status",
               run_pool(static_cast<int>(argv.size()), argv.data(), root), 0);
}

// A task that counts.
struct One {
  void operator()() const { merge(uint64_t{1}); }
};

}  // namespace magpie::pool_conformance

#endif  // MAGPIE_TESTS_TASK_POOL_SCENARIO_H_
