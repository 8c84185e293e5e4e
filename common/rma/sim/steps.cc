// What the running rank does: work, words, operations.

#include <algorithm>
#include <bit>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/rma/sim/engine.h"

namespace magpie::rma::sim {

void Engine::step() {
  running_->clock += kWordTime;
  if (chance_) running_->clock += chance_->pause();
  sync(Doing::kRunnable);
}

void Engine::work(Time time) {
  running_->clock += time;
  last_work_ = std::max(last_work_, running_->clock);
}

void Engine::idle(int times) {
  running_->clock += static_cast<Time>(times) * net().idle;
  if (chance_) running_->clock += chance_->pause();
  sync(Doing::kIdle);
  if (lost_patience(running_->clock)) {  // alone: nobody else has a turn
    running_->doing = Doing::kIdle;
    now_ = running_->clock;
    livelock();
  }
}

// --------------------------------------------------------------------- words

uint64_t Engine::load(const uint64_t* word) {
  step();
  if (log_.prints())
    log_.detail(running_->clock, running_->self.rank,
                absl::StrCat("loads ", *word, " from its ", name_of(word)));
  return *word;
}

void Engine::store(uint64_t* word, uint64_t value, StoreOrder order) {
  step();
  Rank& me = *running_;
  if (log_.prints())
    log_.detail(me.clock, me.self.rank,
                absl::StrCat("stores ", value, " to its ", name_of(word)));
  if (options_.memory != MemoryModel::kSc && in_heap(word))
    hide(word, value, order);
  *word = value;
}

// Memory is as its owner sees it. A store that others are to see later keeps
// what they see meanwhile.
void Engine::hide(uint64_t* word, uint64_t value, StoreOrder order) {
  Rank& me = *running_;
  const bool in_order =
      options_.memory == MemoryModel::kTso || order == StoreOrder::kRelease;
  Op* const op = prepare(OpKind::kStore, me.self.rank, 0, sizeof(value));
  op->local = word;
  op->operand = value;
  op->before = *word;
  op->time = me.clock + chance_->unseen();
  for (const Op* const older : me.stores) {
    if (in_order || older->local == word)
      op->time = std::max(op->time, older->time + 1);
  }
  me.stores.push_back(op);
  schedule(op->time, EventKind::kOp, op->index);
}

void Engine::fence() {
  step();
  log_.detail(running_->clock, running_->self.rank, "fence");
  drain_stores();
}

// As a part of another step. There are stores to drain in exploration only.
void Engine::fence_stores() {
  if (!chance_) return;
  step();
  drain_stores();
}

bool Engine::in_heap(const void* address) const {
  const auto* const a = static_cast<const std::byte*>(address);
  const std::byte* const heap =
      running_->self.heap_origin + memory_.region_bytes();
  return a >= heap && a < heap + memory_.heap_bytes();
}

std::string Engine::name_of(const void* address) const {
  if (!in_heap(address)) return "stack";
  const auto offset = static_cast<uint64_t>(
      static_cast<const std::byte*>(address) - running_->self.heap_origin);
  return absl::StrCat("heap+0x", absl::Hex(offset - memory_.region_bytes()));
}

// ---------------------------------------------------------------- operations

Op* Engine::prepare(OpKind kind, int target, uint64_t offset, size_t bytes) {
  if (target < 0 || target >= size()) {
    fatal(absl::StrCat(kOpKindNames[static_cast<size_t>(kind)], " of ", bytes,
                       " bytes of rank ", target, "; there are ", size(),
                       " ranks"));
  }
  Op* const op = pool_.take();
  op->kind = kind;
  op->blocking = op->late_source = op->in_line = op->done = false;
  op->initiator = running_->self.rank;
  op->target = target;
  op->offset = offset;
  op->bytes = bytes;
  op->local = nullptr;
  op->before = 0;
  return op;
}

void Engine::issue(Op* op) {
  ++operations_;
  Rank& me = *running_;
  if (chance_) me.clock += chance_->pause();
  me.clock += net().overhead;
  op->time = me.clock + way(op->initiator, op->target) +
             op->bytes * net().path(op->initiator, op->target).per_byte;
  rank(op->target).arrivals.travelling.add(*op);
  schedule(op->time, EventKind::kOp, op->index);
  horizon_ = std::min(horizon_, op->target == op->initiator
                                    ? op->time
                                    : op->time + shortest_way_);
  if (log_.prints())
    log_.detail(me.clock, me.self.rank,
                absl::StrCat("issues ", describe(*op, memory_.region_bytes())));
}

void Engine::issue_and_wait(Op* op) {
  op->blocking = true;
  issue(op);
  running_->operation = op;
  suspend(Doing::kOperation);
}

void Engine::issue_unflushed(Op* op) {
  issue(op);
  Rank& me = *running_;
  me.unflushed.push_back(op);
  if (me.unflushed.size() < me.prune_at) return;
  // What is complete needs no flush, unless that is to deliver a result.
  retire([&](const Op& old) {
    return old.done && old.completion <= me.clock && !is_atomic(old.kind);
  });
  me.prune_at = std::max(kPruneAt, 2 * me.unflushed.size());
}

void Engine::flush(int target) {
  Rank& me = *running_;
  fence_stores();
  me.awaited = 0;
  me.awaited_until = me.clock;
  const auto concerned = [target](const Op& op) {
    return target == kAllTargets || op.target == target;
  };
  for (const Op* const op : me.unflushed) {
    if (!concerned(*op)) continue;
    if (op->done) {
      me.awaited_until = std::max(me.awaited_until, op->completion);
    } else {
      ++me.awaited;
    }
  }
  if (me.awaited > 0) {
    me.flush_target = target;
    suspend(Doing::kFlush);
  } else {
    me.clock = me.awaited_until;
  }
  retire(concerned);
}

template <typename Which>
void Engine::retire(Which which) {
  std::vector<Op*>& ops = running_->unflushed;
  std::erase_if(ops, [&](Op* op) {
    if (!which(*op)) return false;
    if (is_atomic(op->kind) && op->local != nullptr)
      std::memcpy(op->local, &op->before, sizeof(op->before));
    pool_.give_back(op);
    return true;
  });
}

// --------------------------------------------------------------- collectives

// Of a dissemination over all ranks, in ceil(log2(ranks)) rounds.
Time Engine::collective_time(size_t bytes) const {
  const auto rounds =
      static_cast<Time>(std::bit_width(static_cast<unsigned>(size()) - 1));
  const Path& path = net().path(0, size() - 1);
  return rounds * (net().overhead + path.latency + bytes * path.per_byte);
}

void Engine::collective(const Collective::Call& call, void* data) {
  Rank& me = *running_;
  fence_stores();
  if (!me.unflushed.empty()) {
    fatal(absl::StrCat(Collective::name(call), " with an unflushed ",
                       describe(*me.unflushed[0], memory_.region_bytes())));
  }
  uint64_t round;
  if (!collective_.enter(call, me.self.rank, data, me.clock, &round))
    fatal(absl::StrCat("a ", Collective::name(call),
                       ", where ranks before it are in another ",
                       Collective::name(collective_.call())));
  if (collective_.entered() == size()) {
    const Time end = collective_.latest() + collective_time(call.bytes);
    last_work_ = std::max(last_work_, end);
    collective_.next_round();
    for (Rank& rank : ranks_) schedule_resume(rank, end);
  }
  suspend(Doing::kCollective);
  collective_.collect(round, data, call.bytes);
}

}  // namespace magpie::rma::sim
