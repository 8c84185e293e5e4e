// Traffic: every rank operates on ranks at random, without a pause. On the
// simulated network this measures the simulator's own speed, in operations a
// second of real time.
//
//   bazel run //bench/microbenchmarks:traffic_sim -- --ranks=64 --net=ito_a
//
// Prints one JSON object.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <random>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

struct Job {
  uint64_t operations = 100'000;
  // Operations of all ranks together; set by rank 0.
  uint64_t done = 0;
};

struct Target {
  alignas(64) rma::Word count;
  alignas(64) rma::Word word;
};

// A steal's mix: gets, fetch-and-adds, swaps, and puts with their flush.
void operate(rma::RemotePtr<Target> target, uint64_t i) {
  const auto word = target.field(&Target::word);
  switch (i % 8) {
    case 0:
      rma::fetch_add(target.field(&Target::count), 1);
      break;
    case 1:
      rma::put_word(word, i);
      rma::flush(word.rank);
      break;
    case 2:
      rma::swap(word, i);
      break;
    default:
      rma::get_word(word);
  }
}

int run_rank(void* arg) {
  Job& job = *static_cast<Job*>(arg);
  const auto targets = rma::allocate<Target>();
  std::minstd_rand random(static_cast<uint32_t>(rma::rank()) + 1);
  const auto size = static_cast<uint32_t>(rma::size());
  rma::barrier();
  for (uint64_t i = 0; i < job.operations; ++i)
    operate(targets.at(static_cast<int>(random() % size)), i);
  rma::barrier();
  uint64_t done = rma::self().counters.operations();
  rma::reduce(&done, 1, rma::Reduction::kSum);
  if (rma::rank() == 0) job.done = done;
  return 0;
}

int benchmark(int argc, char** argv) {
  flags::App app("Random RMA traffic between all ranks.");
  Job job;
  flags::add_integer<uint64_t>(app, "--operations", job.operations,
                               "number of operations of each rank", 1,
                               1'000'000'000);
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  const auto begin = std::chrono::steady_clock::now();
  const int status = rma::launch({.heap_bytes = 4096}, run_rank, &job);
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  const nlohmann::ordered_json report = {
      {"program", "traffic"},
      {"backend", rma::kBackend.name},
      {"operations", job.done},
      {"seconds", seconds.count()},
      {"operations_per_second",
       static_cast<double>(job.done) / seconds.count()}};
  std::printf("%s\n", report.dump().c_str());
  return status;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) { return magpie::benchmark(argc, argv); }
