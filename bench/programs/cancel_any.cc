// cancel_any: how soon a cancel takes effect (hybrid_glb_apgas18 §4.3). There
// are many cancelable tasks that take a while each, and one that cancels them
// after some time. Measured is when the last of them started.

#include <algorithm>
#include <cstdint>

#include "bench/pool_program.h"
#include "common/rma/rma.h"
#include "common/task_pool/async_any.h"

namespace magpie::bench {
namespace {

// Times in nanoseconds of the node's clock.
struct Times {
  uint64_t last_start = 0;
  uint64_t called = 0, returned = 0;
  uint64_t started = 0;

  void merge(const Times& other) {
    last_start = std::max(last_start, other.last_start);
    called = std::max(called, other.called);
    returned = std::max(returned, other.returned);
    started += other.started;
  }
};

struct CancelAny {
  int64_t n = 4000;
  uint64_t task_us = 100, after_ms = 50;

  void operator()() const {
    finish_async_any([this] {
      const auto canceller = [after = after_ms * 1'000'000] {
        const uint64_t end = rma::now() + after;
        while (rma::now() < end) rma::idle();
        const uint64_t called = rma::now();
        cancel_all_cancelable_async_any();
        merge_async_any(Times{.called = called, .returned = rma::now()});
      };
      if (places() > 1) static_async_any(places() - 1, {canceller});
      for (int64_t i = 0; i < n; ++i) {
        cancelable_async_any([us = task_us] {
          merge_async_any(Times{.last_start = rma::now(), .started = 1});
          rma::compute(us * 1000);
        });
      }
      // The canceller is the youngest task, which is run first.
      if (places() == 1) async_any(canceller);
    });
  }
};

}  // namespace

int cancel_any_main(CLI::App& app, int argc, char** argv) {
  CancelAny root;
  flags::add_integer(app, "--n", root.n, "number of cancelable tasks", 1,
                     100'000'000);
  flags::add_integer(app, "--task_us", root.task_us,
                     "time of each task, in microseconds", 0, 10'000'000);
  flags::add_integer(app, "--after_ms", root.after_ms,
                     "time after which they are cancelled, in milliseconds", 0,
                     1'000'000);
  const Arguments arguments = parse_for_pool(app, argc, argv);
  Times times;
  return run_in_pool(
      arguments,
      {{"n", root.n}, {"task_us", root.task_us}, {"after_ms", root.after_ms}},
      root, &times, [&] {
        const auto since_call = [&](uint64_t time) {
          return static_cast<double>(time - std::min(time, times.called)) *
                 1e-3;
        };
        return Answer{
            .result = {{"started", times.started},
                       {"cancel_us", since_call(times.returned)},
                       {"last_start_us", since_call(times.last_start)}},
            .mismatch = ""};
      });
}

const Program kProgram(
    "cancel_any",
    "Measures how soon a cancel takes effect, on one node, with one clock",
    cancel_any_main);

}  // namespace magpie::bench
