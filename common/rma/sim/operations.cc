// The shim's operations and collectives, in terms of the engine's.

#include <cstring>

#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/sim/engine/engine.h"
#include "common/rma/sim/options.h"

namespace magpie::rma {

using sim::engine;
using Kind = sim::Collective::Kind;

void barrier() {
  internal::require_collective("rma::barrier");
  engine->collective({.kind = Kind::kBarrier}, nullptr);
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  engine->collective({.kind = Kind::kBroadcast, .bytes = bytes, .root = root},
                     data);
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  engine->collective({.kind = Kind::kReduce,
                      .bytes = count * sizeof(uint64_t),
                      .reduction = reduction},
                     values);
}

namespace backend {
namespace {

using sim::Op;
using sim::OpKind;

// Notes the caller of the function of rma.h in which it is inlined.
[[gnu::always_inline]] inline Op* prepare(OpKind kind, int rank,
                                          uint64_t offset, size_t bytes) {
  engine->called_from(__builtin_return_address(0));
  return engine->prepare(kind, rank, offset, bytes);
}

[[gnu::always_inline]] inline uint64_t atomic(OpKind kind, int rank,
                                              uint64_t offset,
                                              uint64_t operand) {
  Op* const op = prepare(kind, rank, offset, sizeof(uint64_t));
  op->operand = operand;
  engine->issue_and_wait(op);
  const uint64_t before = op->before;
  engine->give_back(op);
  return before;
}

}  // namespace

// The bytes are copied to the buffer when the caller runs again and its region
// is in place.
void get(int rank, uint64_t offset, void* to, size_t bytes) {
  if (bytes == 0) return;
  Op* const op = prepare(OpKind::kGet, rank, offset, bytes);
  op->payload.resize(bytes);
  engine->issue_and_wait(op);
  std::memcpy(to, op->payload.data(bytes), bytes);
  engine->give_back(op);
}

void get_nb(int rank, uint64_t offset, void* to, size_t bytes) {
  if (bytes == 0) return;
  Op* const op = prepare(OpKind::kGet, rank, offset, bytes);
  op->payload.resize(bytes);
  op->local = to;
  engine->issue_unflushed(op);
}

void put(int rank, uint64_t offset, const void* from, size_t bytes) {
  if (bytes == 0) return;
  Op* const op = prepare(OpKind::kPut, rank, offset, bytes);
  std::memcpy(op->payload.resize(bytes), from, bytes);
  engine->issue_unflushed(op);
}

void put_nb(int rank, uint64_t offset, const void* from, size_t bytes) {
  if (!engine->reads_late()) return put(rank, offset, from, bytes);
  if (bytes == 0) return;
  Op* const op = prepare(OpKind::kPut, rank, offset, bytes);
  op->payload.resize(bytes);
  op->late_source = true;
  op->local = const_cast<void*>(from);
  engine->issue_unflushed(op);
}

void fetch_add_nb(int rank, uint64_t offset, uint64_t value, uint64_t* result) {
  Op* const op = prepare(OpKind::kFetchAdd, rank, offset, sizeof(uint64_t));
  op->operand = value;
  op->local = result;
  engine->issue_unflushed(op);
}

uint64_t fetch_add(int rank, uint64_t offset, uint64_t value) {
  return atomic(OpKind::kFetchAdd, rank, offset, value);
}

uint64_t swap(int rank, uint64_t offset, uint64_t value) {
  return atomic(OpKind::kSwap, rank, offset, value);
}

void wake(int rank) { atomic(OpKind::kFetchAdd, rank, sim::kWakesOffset, 1); }

void flush(int rank) {
  engine->called_from(__builtin_return_address(0));
  engine->flush(rank);
}

}  // namespace backend
}  // namespace magpie::rma
