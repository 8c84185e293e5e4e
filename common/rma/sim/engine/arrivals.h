// Operations on their way to one rank, by the time of their effect.
//
// Thread safety: one thread. Invariant: an operation is on one list at most,
// and its time does not change while it is.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_ARRIVALS_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_ARRIVALS_H_

#include <algorithm>

#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

// A list, linked through its operations. Most are added at its end.
class OpList {
 public:
  void add(Op& op) {
    Op* earlier = last_;
    while (earlier != nullptr && earlier->time > op.time)
      earlier = earlier->earlier;
    op.earlier = earlier;
    op.later = earlier != nullptr ? earlier->later : first_;
    (earlier != nullptr ? earlier->later : first_) = &op;
    (op.later != nullptr ? op.later->earlier : last_) = &op;
  }
  void remove(Op& op) {
    (op.earlier != nullptr ? op.earlier->later : first_) = op.later;
    (op.later != nullptr ? op.later->earlier : last_) = op.earlier;
  }
  Time first() const { return first_ != nullptr ? first_->time : kNever; }

 private:
  Op* first_ = nullptr;
  Op* last_ = nullptr;
};

// One of the two sides of a rank's interface: atomics, transfers.
struct Side {
  // When it has time again.
  Time free = 0;
  // Waits for it.
  OpList line;
};

struct Arrivals {
  OpList travelling;
  Side atomics;
  Side transfers;

  Side& side_of(const Op& op) {
    return is_atomic(op.kind) ? atomics : transfers;
  }
  // When the rank's segment is touched next.
  Time first() const {
    return std::min(
        {travelling.first(), atomics.line.first(), transfers.line.first()});
  }
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_ARRIVALS_H_
