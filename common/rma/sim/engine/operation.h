// One operation on its way through the network, and the two ranks that keep
// track of it: its target and its initiator.
//
// Thread safety: one thread. Invariants:
//   1. The pool moves no operation: pointers and indexes hold until the
//      operation is given back.
//   2. Each operation is given back to its pool once, when it is complete.
//   3. Results of non-blocking atomics come with the flush, not before.
//   4. A target that attends serves each atomic as soon as it has done with the
//      one before; those that come while it computes wait until it attends.
//   5. While a flush waits, awaited() operations to target() are on their way,
//      and until() is when the initiator knows of all others to it.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <queue>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

// The atomics are those from kFetchAdd on.
enum class OpKind : uint8_t { kGet, kPut, kFetchAdd, kSwap };

inline constexpr const char* kOpKindNames[] = {"get", "put", "fetch_add",
                                               "swap"};

inline bool is_atomic(OpKind kind) { return kind >= OpKind::kFetchAdd; }

// Service of one kind of operation, between nodes or within one.
struct Service {
  // The path, there or back; between nodes without hops.
  Path path;
  Interface interface;
  // Time that each byte adds to the interface's gap.
  Time per_byte;
  // Whether the operation goes through adapters; to the node's server of
  // atomics; to the target, which has to attend.
  bool adapters;
  bool at_node;
  bool by_target;
};

// Stops at which an operation may find something busy, in that order; then it
// takes effect: kNone, or, where the target serves the operation and has begun
// to, kServed.
enum class Stop : uint8_t {
  kItsAdapter,
  kTargetsAdapter,
  kInterface,
  kNone,
  kServed
};

inline constexpr int kNoNode = -1;

// The word by which others wake a rank: in its Rank, not in its segment.
inline constexpr uint64_t kWakesOffset = ~uint64_t{0};

struct Op {
  OpKind kind;
  // Its initiator waits for this operation, and for nothing else.
  bool blocking;
  // A put: `local` is read when it takes effect.
  bool late_source;
  // Is sent by a flush of its target, not before.
  bool kept;
  // An atomic that has read, and writes later.
  bool begun;
  // Has written a word, and does so once more.
  bool again;
  // Has waited for another atomic, under exploration.
  bool waited;
  // Has taken effect.
  bool done;
  int32_t initiator;
  int32_t target;
  // Index in the pool.
  uint32_t index;
  // Set when it is sent: where it comes to next, and the nodes whose adapters
  // it passes, or kNoNode.
  Stop stop;
  int32_t from_node;
  int32_t to_node;
  const Service* service;
  // Offset in the target's segment, or kWakesOffset.
  uint64_t offset;
  size_t bytes;
  // Part of a transfer that is still to come: [begin, end) from `offset`.
  struct {
    size_t begin, end;
  } rest;
  // The initiator's buffer.
  void* local;
  // The value to add, to store, ...
  uint64_t operand;
  // The value that an atomic found.
  uint64_t before;
  // The usual latency of one way.
  Time latency;
  // When it goes on, or has taken effect.
  Time time;
  // Time when the initiator knows of it; set once it is done.
  Time completion;
  // The bytes of a transfer while it travels. Most are a word.
  absl::InlinedVector<std::byte, 64> payload;

  // The value that an atomic leaves.
  uint64_t after() const {
    return kind == OpKind::kFetchAdd ? before + operand : operand;
  }
};

// Recycles operations; each has a number of its own, which events carry.
class OpPool {
 public:
  // All members but `index` and `payload` are indeterminate.
  Op* take() {
    if (free_.empty()) {
      ops_.emplace_back();
      ops_.back().index = static_cast<uint32_t>(ops_.size() - 1);
      return &ops_.back();
    }
    Op* const op = free_.back();
    free_.pop_back();
    return op;
  }
  void give_back(Op* op) {
    op->payload.clear();
    free_.push_back(op);
  }
  Op& operator[](uint32_t index) { return ops_[index]; }

 private:
  std::deque<Op> ops_;
  std::vector<Op*> free_;
};

// --------------------------------------------------------------- at its target

// A rank that serves atomics itself (FetchAdd::kPoll).
struct Attendance {
  // Time since when it polls or waits, and serves at once whatever comes;
  // kNever: it computes.
  Time since = kNever;
  // Time between two polls of charge_and_poll(), of which the next one is at
  // `since`; 0: it is not in one.
  Time every = 0;
  // Number of its polls after that one.
  uint64_t more_polls = 0;
  // Time when it is done with what it has begun to serve.
  Time busy_until = 0;
  // Atomics that have come while it computes, in their order; they are not on
  // the agenda.
  std::vector<Op*> waiting;
  // Time that it has spent serving, and polling at spawns.
  Time serving = 0;
  Time polling = 0;

  // Time when it begins to serve what comes at `now`, if it has nothing else to
  // serve; that poll is then no longer to come. kNever: that depends on what it
  // does later.
  Time serves_at(Time now) {
    if (every > 0 && now >= since) {
      const Time from = std::max(since, busy_until);
      const uint64_t polls = (std::max(now, from) - from) / every + 1;
      if (polls > more_polls) return kNever;
      more_polls -= polls;
      since = from + polls * every;
    }
    return std::max(now, since);
  }
};

// Operations on their way to one rank.
struct Arrivals {
  // When each goes on next, here or at an adapter on its way: the times of its
  // events on the agenda.
  std::priority_queue<Time, absl::InlinedVector<Time, 6>, std::greater<>> times;
  // Times when either side of the rank's interface is free again.
  Time atomics_free = 0, transfers_free = 0;
  // An atomic that has read and not written yet: others wait for it.
  const Op* half_done = nullptr;

  // Time before which the rank's segment is not touched.
  Time first() const { return times.empty() ? kNever : times.top(); }
};

// ------------------------------------------------------------ at its initiator

// Operations that a rank issued since the last flush, and its wait for them.
class Unflushed {
 public:
  bool empty() const { return ops_.empty(); }
  const Op& oldest() const { return *ops_[0]; }
  int target() const { return target_; }
  uint32_t awaited() const { return awaited_; }
  Time until() const { return until_; }

  void add(Op* op) { ops_.push_back(op); }

  // Calls send(op) for each operation kept back for a flush of `target`.
  template <typename Send>
  void send_kept(int target, Send send) {
    target_ = target;
    for (Op* const op : ops_) {
      if (!op->kept || !concerns(*op)) continue;
      op->kept = false;
      send(op);
    }
  }

  // Begins a flush. True: it has to wait until an operation that takes effect
  // is the last_of_flush(); false: only until until().
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
    std::erase_if(ops_, [&](Op* op) {
      if (!concerns(*op)) return false;
      if (is_atomic(op->kind) && op->local != nullptr)
        std::memcpy(op->local, &op->before, sizeof(op->before));
      else if (op->kind == OpKind::kGet)
        std::memcpy(op->local, op->payload.data(), op->bytes);
      pool->give_back(op);
      return true;
    });
  }

 private:
  bool concerns(const Op& op) const {
    return target_ == kAllRanks || op.target == target_;
  }

  std::vector<Op*> ops_;
  int target_ = kAllRanks;
  uint32_t awaited_ = 0;
  Time until_ = 0;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_
