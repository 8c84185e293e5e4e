// Operations on their way, and what they do when they have arrived.

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine.h"

namespace magpie::rma::sim {

Time Engine::way(int from, int to) {
  const Time usual = net().path(from, to).latency;
  return chance_ ? chance_->latency(usual) : usual;
}

Interface Engine::interface_of(const Op& op) const {
  if (is_atomic(op.kind)) return net().atomics;
  Interface i = op.kind == OpKind::kGet ? net().gets : net().puts;
  i.gap += op.bytes * net().path(op.initiator, op.target).per_byte;
  return i;
}

// ------------------------------------------------------------------ arrivals

void Engine::expect(Op& op) {
  Rank& target = rank(op.target);
  Op* earlier = target.last_arrival;
  while (earlier != nullptr && earlier->time > op.time)
    earlier = earlier->earlier;
  op.earlier = earlier;
  op.later = earlier != nullptr ? earlier->later : target.first_arrival;
  (earlier != nullptr ? earlier->later : target.first_arrival) = &op;
  (op.later != nullptr ? op.later->earlier : target.last_arrival) = &op;
}

void Engine::arrived(Op& op) {
  Rank& target = rank(op.target);
  (op.earlier != nullptr ? op.earlier->later : target.first_arrival) = op.later;
  (op.later != nullptr ? op.later->earlier : target.last_arrival) = op.earlier;
}

void Engine::happen(const Event& event) {
  now_ = event.time;
  Op& op = pool_[event.index];
  if (op.kind == OpKind::kStore) {
    be_seen(op);
  } else if (op.in_line) {
    take_effect(op);
  } else {
    arrive(op);
  }
}

// The target's interface takes operations in the order of their arrival.
void Engine::arrive(Op& op) {
  Rank& target = rank(op.target);
  Time& free = is_atomic(op.kind) ? target.atomics_free : target.transfers_free;
  const Time turn = std::max(now_, free);
  free = turn + interface_of(op).gap;
  if (turn == now_) return take_effect(op);
  op.in_line = true;
  arrived(op);
  op.time = turn;
  expect(op);
  schedule(turn, EventKind::kOp, op.index);
}

void Engine::take_effect(Op& op) {
  arrived(op);
  apply(op);
  log_.effect(now_, op);
  op.done = true;
  op.completion =
      now_ + interface_of(op).service + way(op.target, op.initiator);
  Rank& initiator = rank(op.initiator);
  if (op.blocking) return schedule_resume(initiator, op.completion);
  const bool awaited = initiator.doing == Doing::kFlush &&
                       (initiator.flush_target == kAllTargets ||
                        initiator.flush_target == op.target);
  if (!awaited) return;
  initiator.awaited_until = std::max(initiator.awaited_until, op.completion);
  if (--initiator.awaited == 0)
    schedule_resume(initiator, initiator.awaited_until);
}

// ------------------------------------------------------------------- effects

void Engine::refuse(const Op& op, int whose, const std::string& why) {
  backend::current = &rank(op.initiator).self;
  fatal(absl::StrCat(describe(op, memory_.region_bytes()), ": ",
                     whose == op.target ? "the bytes there" : "its buffer",
                     " are ", why));
}

std::byte* Engine::bytes_at_target(const Op& op) {
  std::string why;
  std::byte* const at =
      memory_.find(rank(op.target), op.offset, op.bytes, &why);
  if (at == nullptr) refuse(op, op.target, why);
  return at;
}

void Engine::read_source(Op& op) {
  std::string why;
  const std::byte* const from =
      memory_.find_local(rank(op.initiator), op.local, op.bytes, &why);
  if (from == nullptr) refuse(op, kAllTargets, why);
  std::memcpy(op.payload.resize(op.bytes), from, op.bytes);
}

void Engine::apply(Op& op) {
  std::byte* const at = bytes_at_target(op);
  if (op.kind == OpKind::kGet) {
    std::memcpy(op.payload.resize(op.bytes), at, op.bytes);
    return;
  }
  if (op.kind == OpKind::kPut) {
    if (op.late_source) read_source(op);
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

// ------------------------------------------------------------ store buffers

// Its time has come, unless a fence came first.
void Engine::be_seen(Op& op) {
  if (!op.done) {
    std::vector<Op*>& stores = rank(op.initiator).stores;
    stores.erase(std::find(stores.begin(), stores.end(), &op));
    write_word(op);
  }
  pool_.give_back(&op);
}

void Engine::drain_stores() {
  std::vector<Op*>& stores = running_->stores;
  for (Op* const op : stores) write_word(*op);
  stores.clear();
}

void Engine::write_word(Op& op) {
  std::string why;
  std::byte* const at =
      memory_.find_local(rank(op.initiator), op.local, op.bytes, &why);
  if (at == nullptr) refuse(op, kAllTargets, why);
  std::memcpy(at, &op.operand, sizeof(op.operand));
  op.done = true;
  log_.effect(now_, op);
}

}  // namespace magpie::rma::sim
