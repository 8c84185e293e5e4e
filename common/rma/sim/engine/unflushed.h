// What a rank has issued since the last flush, and its wait for that.
//
// Thread safety: one thread. Invariants:
//   1. Each operation is given back to its pool once: when a flush of its
//      target has delivered it, or earlier where nobody can ask for it.
//   2. Results of non-blocking atomics come with the flush, not before.
//   3. While a flush waits, awaited() operations to target() are on their way,
//      and until() is when the initiator knows of all others to it.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_UNFLUSHED_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_UNFLUSHED_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "common/rma/sim/engine/operation.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

inline constexpr int kAllTargets = -1;

class Unflushed {
 public:
  bool empty() const { return ops_.empty(); }
  const Op& oldest() const { return *ops_[0]; }
  int target() const { return target_; }
  uint32_t awaited() const { return awaited_; }
  Time until() const { return until_; }

  void add(Op* op, Time now, OpPool* pool) {
    ops_.push_back(op);
    if (ops_.size() < prune_at_) return;
    // What is complete needs no flush, unless that is to deliver a result.
    retire(pool, [now](const Op& old) {
      return old.done && old.completion <= now && !is_atomic(old.kind);
    });
    prune_at_ = std::max(kPruneAt, 2 * ops_.size());
  }

  // A flush begins. True: it has to wait, until an operation that has taken
  // effect is the last_of_flush(); false: no longer than until().
  bool begin_flush(int target, Time now) {
    target_ = target;
    awaited_ = 0;
    until_ = now;
    for (const Op* const op : ops_) {
      if (!concerns(*op)) continue;
      if (op->done) {
        until_ = std::max(until_, op->completion);
      } else {
        ++awaited_;
      }
    }
    return awaited_ > 0;
  }
  bool last_of_flush(const Op& op) {
    if (!concerns(op)) return false;
    until_ = std::max(until_, op.completion);
    return --awaited_ == 0;
  }
  void end_flush(OpPool* pool) {
    retire(pool, [this](const Op& op) { return concerns(op); });
  }

 private:
  // Operations are looked through for complete ones when there are as many, or
  // twice as many as the last time.
  static constexpr size_t kPruneAt = 64;

  bool concerns(const Op& op) const {
    return target_ == kAllTargets || op.target == target_;
  }

  template <typename Which>
  void retire(OpPool* pool, Which which) {
    std::erase_if(ops_, [&](Op* op) {
      if (!which(*op)) return false;
      if (is_atomic(op->kind) && op->local != nullptr)
        std::memcpy(op->local, &op->before, sizeof(op->before));
      pool->give_back(op);
      return true;
    });
  }

  std::vector<Op*> ops_;
  size_t prune_at_ = kPruneAt;
  int target_ = kAllTargets;
  uint32_t awaited_ = 0;
  Time until_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_UNFLUSHED_H_
