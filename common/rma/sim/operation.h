// One operation on its way through the network, or one store in its owner's
// store buffer.

#ifndef MAGPIE_COMMON_RMA_SIM_OPERATION_H_
#define MAGPIE_COMMON_RMA_SIM_OPERATION_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "common/rma/sim/time.h"

namespace magpie::rma::sim {

enum class OpKind : uint8_t {
  kGet,
  kPut,
  kFetchAdd,
  kFetchOr,
  kSwap,
  kCompareSwap,
  kStore,
};

inline constexpr const char* kOpKindNames[] = {
    "get", "put", "fetch_add", "fetch_or", "swap", "compare_swap", "store"};

inline bool is_atomic(OpKind kind) {
  return kind >= OpKind::kFetchAdd && kind <= OpKind::kCompareSwap;
}

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
  bool blocking;     // its initiator waits for it, and for nothing else
  bool late_source;  // a put: `local` is read when it takes effect
  bool in_line;      // waits for the target's interface, its turn is at `time`
  bool done;         // has taken effect
  int32_t initiator;
  int32_t target;
  uint32_t index;   // in the pool
  uint64_t offset;  // in the target's segment; of a store: none
  size_t bytes;
  void* local;        // the initiator's buffer; of a store: the word
  uint64_t operand;   // value to add, to store, ...
  uint64_t expected;  // by compare_swap
  uint64_t before;    // what an atomic found; what others see until a store
                      // is let out, of the oldest to its word
  Time time;          // of its effect
  Time completion;    // when the initiator knows; once it is done
  Op* earlier;        // arrivals at one target, by time
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

#endif  // MAGPIE_COMMON_RMA_SIM_OPERATION_H_
