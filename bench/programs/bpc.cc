// bpc: the bouncing producer-consumer benchmark (icpp21 §5.2.1). A producer of
// depth d > 0 adds a producer of depth d - 1 and then n consumers; one of depth
// 0 adds nothing. Producers and consumers take a set time.
//
// "Bouncing": the next producer is added before the consumers, so it is the
// oldest task of the bag, and the first to be stolen. The thief then has the
// new tasks, so the work moves from rank to rank.
//
// A producer of depth d leads to
//
//   d + 1 producers and d n consumers: d (n + 1) + 1 tasks,
//
// as in Scioto's own program. The paper's text says n = 8192 and d = 500, which
// are 4,096,501 tasks. Its Table 2 says 2,457,901, which are those of d = 300:
// 300 * 8193 + 1.

#include <cstdint>

#include "bench/pool_program.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

struct Tasks {
  uint64_t producers = 0;
  uint64_t consumers = 0;
  // Producers that ran on another rank than the one that had added them.
  uint64_t bounces = 0;

  void merge(const Tasks& other) {
    producers += other.producers;
    consumers += other.consumers;
    bounces += other.bounces;
  }
};

struct Producer {
  int32_t depth;
  int32_t added_by;
  void operator()() const;
};

struct Consumer {
  void operator()() const;
};

struct Bpc {
  static constexpr uint32_t kTaskBytes = sizeof(Producer);

  int64_t consumers = 32;
  int32_t depth = 16;
  int64_t consumer_us = 5000, producer_us = 1000;

  void operator()() const { add(Producer{depth, rma::rank()}); }
};

void compute_us(int64_t microseconds) {
  rma::compute(static_cast<uint64_t>(microseconds) * 1000);
}

void Producer::operator()() const {
  const Bpc& bpc = pool_root<Bpc>();
  compute_us(bpc.producer_us);
  merge(Tasks{.producers = 1, .bounces = added_by == rma::rank() ? 0u : 1u});
  if (depth == 0) return;
  add(Producer{depth - 1, rma::rank()});
  for (int64_t i = 0; i < bpc.consumers; ++i) add(Consumer{});
}

void Consumer::operator()() const {
  compute_us(pool_root<Bpc>().consumer_us);
  merge(Tasks{.consumers = 1});
}

Answer answer_of(const Bpc& bpc, const Tasks& tasks) {
  const auto depth = static_cast<uint64_t>(bpc.depth);
  const uint64_t consumers = depth * static_cast<uint64_t>(bpc.consumers);
  return {
      .result = {{"tasks", tasks.producers + tasks.consumers},
                 {"producers", tasks.producers},
                 {"consumers", tasks.consumers},
                 {"bounces", tasks.bounces}},
      .mismatch = unless(
          tasks.producers == depth + 1 && tasks.consumers == consumers,
          "there are ", depth + 1, " producers and ", consumers, " consumers")};
}

}  // namespace

int bpc_main(CLI::App& app, int argc, char** argv) {
  Bpc bpc;
  flags::add_integer(app, "--consumers", bpc.consumers,
                     "consumers that each producer adds; the paper: 8192", 0,
                     1'000'000'000);
  flags::add_integer(app, "--depth", bpc.depth,
                     "producers that add others, one after the other; "
                     "the paper: 500 (its Table 2: 300)",
                     0, 1'000'000'000);
  flags::add_integer(app, "--consumer_us", bpc.consumer_us,
                     "microseconds that a consumer takes", 0, 1'000'000'000);
  flags::add_integer(app, "--producer_us", bpc.producer_us,
                     "microseconds that a producer takes", 0, 1'000'000'000);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  const Fields params = {{"consumers", bpc.consumers},
                         {"depth", bpc.depth},
                         {"consumer_us", bpc.consumer_us},
                         {"producer_us", bpc.producer_us}};
  Tasks tasks;
  return run_in_pool(arguments, params, bpc, &tasks,
                     [&] { return answer_of(bpc, tasks); });
}

const Program kProgram("bpc",
                       "Bouncing producer-consumer: each producer adds the "
                       "next and many consumers",
                       bpc_main);

}  // namespace magpie::bench
