#include "common/rma/sim/engine/transport.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"

namespace magpie::rma::sim {
namespace {

// Does what the operation does, to the bytes at its target.
void apply_to_memory(Op& op, std::byte* at) {
  if (op.kind == OpKind::kGet) {
    std::memcpy(op.payload.resize(op.bytes), at, op.bytes);
    return;
  }
  if (op.kind == OpKind::kPut) {
    std::memcpy(at, op.payload.data(op.bytes), op.bytes);
    return;
  }
  std::memcpy(&op.before, at, sizeof(op.before));
  uint64_t after = op.operand;
  if (op.kind == OpKind::kFetchAdd) after = op.before + op.operand;
  if (op.kind == OpKind::kFetchOr) after = op.before | op.operand;
  if (op.kind == OpKind::kCompareSwap && op.before != op.expected)
    after = op.before;
  std::memcpy(at, &after, sizeof(after));
}

// For the log: what a transfer of a word carries.
void remember_word(Op& op) {
  if (op.bytes == sizeof(op.before) && !is_atomic(op.kind))
    std::memcpy(&op.before, op.payload.data(op.bytes), sizeof(op.before));
}

}  // namespace

Op* Transport::prepare(OpKind kind, int initiator, int target, uint64_t offset,
                       size_t bytes) {
  if (target < 0 || static_cast<size_t>(target) >= ranks_.size()) {
    fatal(absl::StrCat(kOpKindNames[static_cast<size_t>(kind)], " of ", bytes,
                       " bytes of rank ", target, "; there are ", ranks_.size(),
                       " ranks"));
  }
  Op* const op = pool_.take();
  op->kind = kind;
  op->blocking = op->late_source = op->in_line = op->done = false;
  op->initiator = initiator;
  op->target = target;
  op->offset = offset;
  op->bytes = bytes;
  op->local = nullptr;
  op->before = 0;
  return op;
}

void Transport::send(Op* op, Time time) {
  ++sent_;
  op->path = &net_.path(op->initiator, op->target);
  op->time = time + way(*op) + op->bytes * op->path->per_byte;
  rank(op->target).arrivals.travelling.add(*op);
  agenda_.schedule(op->time, EventKind::kOp, op->index);
}

Interface Transport::interface_of(const Op& op) const {
  if (is_atomic(op.kind)) return net_.atomics;
  Interface i = op.kind == OpKind::kGet ? net_.gets : net_.puts;
  i.gap += op.bytes * op.path->per_byte;
  return i;
}

void Transport::happen(uint32_t index, Time now) {
  Op& op = pool_[index];
  if (op.in_line) {
    rank(op.target).arrivals.side_of(op).line.remove(op);
    take_effect(op, now);
  } else {
    arrive(op, now);
  }
}

void Transport::arrive(Op& op, Time now) {
  Arrivals& arrivals = rank(op.target).arrivals;
  Side& side = arrivals.side_of(op);
  const Time turn = std::max(now, side.free);
  side.free = turn + interface_of(op).gap;
  arrivals.travelling.remove(op);
  if (turn == now) return take_effect(op, now);
  op.in_line = true;
  op.time = turn;
  side.line.add(op);
  agenda_.schedule(turn, EventKind::kOp, op.index);
}

void Transport::take_effect(Op& op, Time now) {
  apply(op);
  if (log_.prints()) remember_word(op);
  log_.effect(now, op);
  op.done = true;
  op.completion = now + interface_of(op).service + way(op);
  Rank& initiator = rank(op.initiator);
  if (op.blocking) return agenda_.resume(op.initiator, op.completion);
  if (initiator.doing == Doing::kFlush && initiator.unflushed.last_of_flush(op))
    agenda_.resume(op.initiator, initiator.unflushed.until());
}

void Transport::apply(Op& op) {
  if (op.late_source) read_source(op);
  const StoreBuffer::OthersView view(rank(op.target).stores);
  apply_to_memory(op, bytes_at_target(op));
}

void Transport::read_source(Op& op) {
  std::string why;
  const std::byte* const from =
      memory_.find_local(rank(op.initiator), op.local, op.bytes, &why);
  if (from == nullptr) refuse(op, "its buffer is ", why);
  std::memcpy(op.payload.resize(op.bytes), from, op.bytes);
}

std::byte* Transport::bytes_at_target(const Op& op) {
  std::string why;
  std::byte* const at =
      memory_.find(rank(op.target), op.offset, op.bytes, &why);
  if (at == nullptr) refuse(op, "the bytes there are ", why);
  return at;
}

// In the initiator's name, whoever runs.
void Transport::refuse(const Op& op, const char* whose,
                       const std::string& why) {
  backend::current = &rank(op.initiator).self;
  fatal(absl::StrCat(describe(op, memory_.region_bytes()), ": ", whose, why));
}

}  // namespace magpie::rma::sim
