// The period with which a cancelable program looks at its result: tasks of one
// rank do so once in a while (hybrid_glb_apgas18 §3: "every second or by a
// single worker only").

#ifndef MAGPIE_BENCH_PROGRAMS_REDUCE_PERIOD_H_
#define MAGPIE_BENCH_PROGRAMS_REDUCE_PERIOD_H_

#include <cstddef>
#include <cstdint>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie::bench {

// A member of the root, whose heap_bytes() and prepare() call these.
struct ReducePeriod {
  int64_t milliseconds = 1000;
  // Time when the period is over. A word on each rank; only rank 0 uses its
  // own.
  rma::RemotePtr<rma::Word> over = {};

  static size_t heap_bytes() { return rma::allocated_bytes<rma::Word>(); }
  void prepare() {
    over = rma::allocate<rma::Word>();
    begin();
  }

  // Whether the period has passed since this last returned true. Called by
  // tasks; always false on ranks other than 0.
  bool is_over() const {
    if (rma::rank() != 0 || rma::now() < over.local()->own_value())
      return false;
    begin();
    return true;
  }

 private:
  void begin() const {
    over.local()->store(rma::now() +
                        static_cast<uint64_t>(milliseconds) * 1'000'000);
  }
};

inline void add_option(CLI::App& app, ReducePeriod& period) {
  flags::add_integer<int64_t>(
      app, "--reduce_every", period.milliseconds,
      "milliseconds between two looks of rank 0's tasks at the result, in runs "
      "that may cancel; 0: each task looks",
      0, 3'600'000);
}

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_REDUCE_PERIOD_H_
