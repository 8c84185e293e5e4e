// How a program looks at its result while a finish goes on: tasks of one rank
// do so once in a while (hybrid_glb_apgas18 §3: "every second or by a single
// worker only").
//
//   struct Search {  // the root
//     magpie::ReducePeriod period = {};
//     ...
//   };
//   // in a task:
//   if (magpie::pool_root<Search>().period.is_over())
//     std::printf("%lu\n", magpie::reduce_async_any<uint64_t>());

#ifndef MAGPIE_COMMON_TASK_POOL_REDUCE_PERIOD_H_
#define MAGPIE_COMMON_TASK_POOL_REDUCE_PERIOD_H_

#include <cstdint>

#include "common/rma/rma.h"

namespace magpie {

// A member of the root, of which each rank has a copy.
struct ReducePeriod {
  // 0: is_over() whenever a task of rank 0 asks.
  int64_t milliseconds = 1000;
  // Time when the period is over; 0: it has not begun.
  mutable uint64_t over = 0;

  // Whether the period has passed since this last returned true, or was first
  // asked. Called by tasks; always false on ranks other than 0. Cost: none.
  bool is_over() const {
    if (rma::rank() != 0) return false;
    const uint64_t now = rma::now();
    if (now < over) return false;
    const bool has_begun = over > 0;
    over = now + static_cast<uint64_t>(milliseconds) * 1'000'000;
    return has_begun || milliseconds == 0;
  }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_REDUCE_PERIOD_H_
