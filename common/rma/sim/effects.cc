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

void Engine::happen(const Event& event) {
  now_ = event.time;
  Op& op = pool_[event.index];
  if (op.kind == OpKind::kStore) {
    be_seen(op);
  } else if (op.in_line) {
    rank(op.target).arrivals.side_of(op).line.remove(op);
    take_effect(op);
  } else {
    arrive(op);
  }
}

// The target's interface takes operations in the order of their arrival.
void Engine::arrive(Op& op) {
  Arrivals& arrivals = rank(op.target).arrivals;
  Side& side = arrivals.side_of(op);
  const Time turn = std::max(now_, side.free);
  side.free = turn + interface_of(op).gap;
  arrivals.travelling.remove(op);
  if (turn == now_) return take_effect(op);
  op.in_line = true;
  op.time = turn;
  side.line.add(op);
  schedule(turn, EventKind::kOp, op.index);
}

void Engine::take_effect(Op& op) {
  apply(op);
  if (log_.prints()) remember_word(op);
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
  fatal(absl::StrCat(
      describe(op, memory_.region_bytes()), ": ",
      whose == op.target ? "the bytes there are " : "its buffer is ", why));
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

void Engine::apply_to_memory(Op& op, std::byte* at) {
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

// ------------------------------------------------------------- store buffers

// What others see of a rank's memory: its own view but for the words that its
// store buffer has not let out yet.
class OthersView {
 public:
  explicit OthersView(Rank& rank) : rank_(rank) { exchange(); }
  ~OthersView() { exchange(); }
  OthersView(const OthersView&) = delete;
  OthersView& operator=(const OthersView&) = delete;

 private:
  void exchange() {
    for (size_t i = 0; i < rank_.stores.size(); ++i) {
      Op& op = *rank_.stores[i];
      if (!is_oldest(i)) continue;
      uint64_t own;
      std::memcpy(&own, op.local, sizeof(own));
      std::memcpy(op.local, &op.before, sizeof(own));
      op.before = own;
    }
  }
  bool is_oldest(size_t i) const {
    for (size_t j = 0; j < i; ++j) {
      if (rank_.stores[j]->local == rank_.stores[i]->local) return false;
    }
    return true;
  }

  Rank& rank_;
};

void Engine::apply(Op& op) {
  if (op.late_source) read_source(op);
  OthersView view(rank(op.target));
  apply_to_memory(op, bytes_at_target(op));
}

// For the log: what a transfer of a word carries.
void Engine::remember_word(Op& op) {
  if (op.bytes == sizeof(op.before) && !is_atomic(op.kind))
    std::memcpy(&op.before, op.payload.data(op.bytes), sizeof(op.before));
}

// A store's time has come, unless a fence came first.
void Engine::be_seen(Op& op) {
  if (!op.done) {
    std::vector<Op*>& stores = rank(op.initiator).stores;
    stores.erase(std::find(stores.begin(), stores.end(), &op));
    let_out(op);
  }
  pool_.give_back(&op);
}

void Engine::drain_stores() {
  std::vector<Op*>& stores = running_->stores;
  while (!stores.empty()) {
    Op* const op = stores.front();
    stores.erase(stores.begin());
    let_out(*op);
  }
}

// The owner has seen it all the time. Others go on seeing it where the word
// has younger stores that are still unseen.
void Engine::let_out(Op& op) {
  for (Op* const younger : rank(op.initiator).stores) {
    if (younger->local != op.local) continue;
    younger->before = op.operand;
    break;
  }
  op.done = true;
  log_.effect(now_, op);
}

}  // namespace magpie::rma::sim
