// The time of one steal by its volume, with both queues of icpp21 (Figure 6):
// rank 1 steals V tasks from rank 0, again and again, and times it.
//
//   bazel run //bench/microbenchmarks:steal_volume -- --ranks=2
//   bazel-bin/bench/microbenchmarks/steal_volume_sim --ranks=2
//       --net=lotus,node_size=1
//
// Timed is the thief's wait until the tasks lie in its memory; neither the
// arrival of its notice of completion, nor putting them into its own queue.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/stealing/stealable_queue.h"
#include "impl/sws_queue/sdc_queue.h"
#include "impl/sws_queue/sws_queue.h"

namespace magpie::bench {
namespace {

using Json = nlohmann::ordered_json;

template <size_t kBytes>
struct alignas(8) Task {
  std::byte bytes[kBytes];
};

struct Job {
  uint64_t max_volume = 1024;
  int repetitions = 100;
  // Set on rank 0: the simulated machine, empty on other networks; the time of
  // one steal, by its volume.
  std::string machine;
  Json steals = Json::array();

  QueueOptions queue() const {
    return {.capacity = offered_with(max_volume), .empty_check = false};
  }
  // Number of tasks to push so that 2 * volume are offered.
  static uint64_t offered_with(uint64_t volume) { return 4 * volume + 1; }
};

// Lets the owner, which calls this, offer 2 * volume tasks, of which a steal
// takes half. The first task that is pushed is offered at once. When it is
// gone, half of all others are offered.
template <StealableQueue Queue>
void offer(Queue& queue, uint64_t volume) {
  for (uint64_t i = 0; i < Job::offered_with(volume); ++i) queue.push({});
  queue.steal(queue.remote(rma::rank()), [](auto) {});
  rma::flush_all();
  queue.share();
}

template <StealableQueue Queue>
void take_back_all(Queue& queue) {
  while (queue.pop() != nullptr) {
  }
  queue.quiesce();
}

// Returns the time of one steal from rank 0. Ends the job with an error message
// unless it takes `volume` tasks.
template <StealableQueue Queue>
uint64_t time_steal(Queue& queue, uint64_t volume) {
  uint64_t taken = 0;
  const auto victim = queue.remote(0);
  const uint64_t begin = rma::now();
  queue.steal(victim, [&](auto loot) { taken = loot.size(); });
  const uint64_t end = rma::now();
  rma::flush_all();
  if (taken != volume)
    rma::fatal(absl::StrCat("a steal took ", taken, " tasks, not ", volume));
  return end - begin;
}

// The median of some steals, on all ranks. A block that wraps around the end of
// the ring costs a get more: in a ring with room for 8 volumes such blocks are
// few, and not the median.
template <StealableQueue Queue>
uint64_t time_steals(Queue& queue, uint64_t volume, int repetitions) {
  constexpr int kFirstOnes = 10;
  std::vector<uint64_t> times;
  for (int i = 0; i < kFirstOnes + repetitions; ++i) {
    if (rma::rank() == 0) offer(queue, volume);
    rma::barrier();
    if (rma::rank() == 1) times.push_back(time_steal(queue, volume));
    rma::barrier();
    if (rma::rank() == 0) take_back_all(queue);
  }
  uint64_t median = 0;
  if (rma::rank() == 1) {
    const auto middle = times.begin() + kFirstOnes + repetitions / 2;
    std::nth_element(times.begin() + kFirstOnes, middle, times.end());
    median = *middle;
  }
  rma::reduce(&median, 1, rma::Reduction::kSum);
  return median;
}

template <size_t kBytes>
struct Queues {
  sws_queue::SdcQueue<Task<kBytes>> sdc;
  sws_queue::SwsQueue<Task<kBytes>> sws;

  // Collective.
  explicit Queues(const QueueOptions& options) : sdc(options), sws(options) {}
  static size_t heap_bytes(const QueueOptions& options) {
    return decltype(sdc)::heap_bytes(options) +
           decltype(sws)::heap_bytes(options);
  }

  void time(Job& job) {
    for (uint64_t volume = 1; volume <= job.max_volume; volume *= 2) {
      const uint64_t sdc_ns = time_steals(sdc, volume, job.repetitions);
      const uint64_t sws_ns = time_steals(sws, volume, job.repetitions);
      if (rma::rank() != 0) continue;
      job.steals.push_back({{"task_bytes", kBytes},
                            {"tasks", volume},
                            {"sdc_ns", sdc_ns},
                            {"sws_ns", sws_ns},
                            {"ratio", static_cast<double>(sws_ns) /
                                          static_cast<double>(sdc_ns)}});
    }
  }
};

int run_rank(void* arg) {
  Job& job = *static_cast<Job*>(arg);
  if (rma::rank() == 0) job.machine = rma::machine();
  Queues<24>(job.queue()).time(job);
  Queues<192>(job.queue()).time(job);
  return 0;
}

Json describe(const Job& job) {
  Json run = {{"program", "steal_volume"}, {"backend", rma::kBackend.name}};
  if (!job.machine.empty()) run["machine"] = job.machine;
  run["ranks"] = rma::ranks_to_launch();
  run["params"] = {{"max_volume", job.max_volume},
                   {"repetitions", job.repetitions}};
  run["result"]["steals"] = job.steals;
  return run;
}

int benchmark(int argc, char** argv) {
  flags::App app("Times steals by their volume, from SDC and from SWS queues.");
  Job job;
  bool json = false;
  flags::add_integer(app, "--max_volume", job.max_volume,
                     "largest number of tasks of a steal; the number "
                     "begins with 1, and doubles up to this",
                     1, 1 << 16);
  flags::add_integer(app, "--repetitions", job.repetitions,
                     "number of steals of each volume", 1, 1'000'000);
  flags::add_switch(app, "--json", json,
                    "print one JSON object instead of one for each volume");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  if (rma::ranks_to_launch() < 2)
    flags::die("--ranks=1: a steal needs two ranks (--ranks=2, mpirun -n 2)");
  const size_t heap_bytes = Queues<24>::heap_bytes(job.queue()) +
                            Queues<192>::heap_bytes(job.queue());
  const int status = rma::launch({.heap_bytes = heap_bytes}, run_rank, &job);
  if (status != 0) return status;
  if (json) {
    std::printf("%s\n", describe(job).dump().c_str());
  } else {
    for (const Json& steal : job.steals)
      std::printf("%s\n", steal.dump().c_str());
  }
  return 0;
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) { return magpie::bench::benchmark(argc, argv); }
