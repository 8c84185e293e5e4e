// One operation on its way through the network.
//
// Thread safety: one thread. Invariant: the pool moves no operation: pointers
// and indexes hold until it is given back.

#ifndef MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_
#define MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "common/rma/sim/machine/network.h"
#include "common/rma/sim/machine/time.h"

namespace magpie::rma::sim {

// The atomics are those from kFetchAdd on.
enum class OpKind : uint8_t {
  kGet,
  kPut,
  kFetchAdd,
  kFetchOr,
  kSwap,
  kCompareSwap,
};

inline constexpr const char* kOpKindNames[] = {
    "get", "put", "fetch_add", "fetch_or", "swap", "compare_swap"};

inline bool is_atomic(OpKind kind) { return kind >= OpKind::kFetchAdd; }

// The bytes of a transfer while it travels. Most are a word.
class Payload {
 public:
  std::byte* resize(size_t bytes) {
    if (bytes > kSmall) large_ = std::make_unique<std::byte[]>(bytes);
    return data(bytes);
  }
  std::byte* data(size_t bytes) {
    return bytes > kSmall ? large_.get() : small_;
  }
  void release() { large_.reset(); }

 private:
  static constexpr size_t kSmall = 64;
  std::byte small_[kSmall];
  std::unique_ptr<std::byte[]> large_;
};

struct Op {
  OpKind kind;
  // Its initiator waits for it, and for nothing else.
  bool blocking;
  // A put: `local` is read when it takes effect.
  bool late_source;
  // Waits for the target's interface; its turn is at `time`.
  bool in_line;
  // Has taken effect.
  bool done;
  int32_t initiator;
  int32_t target;
  // In the pool.
  uint32_t index;
  // Between the two, either way; from when it is sent.
  const Path* path;
  // In the target's segment.
  uint64_t offset;
  size_t bytes;
  // The initiator's buffer.
  void* local;
  // The value to add, to store, ...
  uint64_t operand;
  // By compare_swap.
  uint64_t expected;
  // What an atomic found; where a log is printed, what a transfer of a word
  // carries.
  uint64_t before;
  // Of its effect.
  Time time;
  // When the initiator knows; once it is done.
  Time completion;
  // Arrivals at one target, by time.
  Op* earlier;
  Op* later;
  Payload payload;
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
    op->payload.release();
    free_.push_back(op);
  }
  Op& operator[](uint32_t index) { return ops_[index]; }

 private:
  std::deque<Op> ops_;
  std::vector<Op*> free_;
};

}  // namespace magpie::rma::sim

#endif  // MAGPIE_COMMON_RMA_SIM_ENGINE_OPERATION_H_
