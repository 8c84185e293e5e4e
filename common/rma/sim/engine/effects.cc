#include "common/rma/sim/engine/effects.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/str_cat.h"

namespace magpie::rma::sim {
namespace {

// Applies the operation, or op.rest of a transfer, to the bytes at its target.
void apply_to_memory(Op& op, std::byte* at) {
  const auto [begin, end] = op.rest;
  if (op.kind == OpKind::kGet) {
    std::memcpy(op.payload.data() + begin, at, end - begin);
    return;
  }
  if (op.kind == OpKind::kPut) {
    std::memcpy(at, op.payload.data() + begin, end - begin);
    return;
  }
  if (!op.begun) std::memcpy(&op.before, at, sizeof(op.before));
  const uint64_t after = op.after();
  std::memcpy(at, &after, sizeof(after));
}

// Takes the next turn at something that is busy until `free`, for `gap`.
Time take_turn(Time& free, Time now, Time gap) {
  const Time turn = std::max(now, free);
  free = turn + gap;
  return turn;
}

}  // namespace

World::World(const Options& options, const SegmentLayout& layout,
             std::FILE* out)
    : options(options),
      memory(options.ranks, layout, options.stack_bytes, &huge_pages),
      ranks(static_cast<size_t>(options.ranks), &huge_pages),
      chance(options.explore
                 ? Chance(options.seed, options.net.between_nodes.latency)
                 : Chance()),
      log(out, memory.region_bytes()),
      agenda(&chance, ranks.size(), options.net.shortest_way(options.ranks),
             &huge_pages) {
  for (int r = 0; r < options.ranks; ++r) {
    Self& self = rank(r).self;
    self.rank = r;
    self.size = options.ranks;
    self.ranks_in_process = options.ranks;
    self.poll_at_spawn = options.net.fetch_add == FetchAdd::kPoll;
    self.region = memory.region();
    self.region_bytes = memory.region_bytes();
    self.heap_origin = memory.heap_origin(r);
    self.heap = internal::SymmetricHeap(layout.heap_bytes);
  }
}

std::string World::hint() const {
  return options.explore ? absl::StrCat(" (seed ", options.seed, ")") : "";
}

// ------------------------------------------------------------------ operations

Transport::Transport(World* world)
    : world_(*world),
      hops_(net().topology, net().node_of(world->options.ranks - 1) + 1),
      has_steps_(world->chance.explores() ||
                 net().fetch_add == FetchAdd::kPoll) {
  static_assert(kNoNode == -1);
  nodes_.emplace_back();
  for (Rank& rank : world->ranks) {
    rank.node = net().node_of(rank.self.rank);
    if (rank.node + 2 > std::ssize(nodes_))
      nodes_.push_back({.adapter = net().adapter});
  }
  for (bool same_node : {false, true}) {
    for (size_t k = 0; k < std::size(kOpKindNames); ++k)
      services_[same_node][k] = service(static_cast<OpKind>(k), same_node);
  }
}

Service Transport::service(OpKind kind, bool same_node) const {
  const bool atomic = is_atomic(kind);
  const bool adapters = !same_node || (atomic && !net().node_atomics);
  Service s = {
      .path = adapters ? net().between_nodes : net().within_node,
      .interface = kind == OpKind::kGet ? net().gets : net().puts,
      .per_byte = adapters ? net().link_per_byte : net().within_node.per_byte,
      .adapters = adapters,
      .at_node = false,
      .by_target = false};
  if (adapters) s.path.latency = net().latency_without_hops();
  if (!atomic) return s;
  s.interface = adapters ? net().atomics : *net().node_atomics;
  s.per_byte = 0;
  s.at_node = adapters && net().node_serves_atomics;
  s.by_target = adapters && net().fetch_add == FetchAdd::kPoll;
  // The target is busy, not its interface.
  if (s.by_target) s.interface.gap = 0;
  return s;
}

Op* Transport::prepare(OpKind kind, int initiator, int target, uint64_t offset,
                       size_t bytes) {
  if (offset != kWakesOffset) [[likely]]
    internal::check_access(kOpKindNames[static_cast<size_t>(kind)], target,
                           offset, bytes);
  Op* const op = pool_.take();
  op->kind = kind;
  op->blocking = op->late_source = op->kept = false;
  op->begun = op->again = op->waited = op->done = false;
  op->initiator = initiator;
  op->target = target;
  op->offset = offset;
  op->bytes = bytes;
  op->rest = {0, bytes};
  op->local = nullptr;
  op->before = 0;
  return op;
}

void Transport::send(Op* op, Time time) {
  ++sent_;
  Rank& target = world_.rank(op->target);
  const int from = world_.rank(op->initiator).node, to = target.node;
  op->service = &services_[from == to][static_cast<size_t>(op->kind)];
  op->stop = Stop::kItsAdapter;
  // kNoNode or the node, without branches that nobody could predict.
  op->from_node = from | -static_cast<int>(from == to);
  op->to_node = to | -static_cast<int>(!op->service->adapters);
  op->latency = op->service->path.latency;
  if (from != to)
    op->latency += static_cast<Time>(hops_.between(from, to)) * net().hop;
  come(*op, time + way(*op) + op->bytes * op->service->path.per_byte);
}

// Lets the operation go on at `time`.
void Transport::come(Op& op, Time time) {
  op.time = time;
  world_.rank(op.target).arrivals.times.push(time);
  world_.agenda.schedule(time, EventKind::kOp, op.index);
}

void Transport::touch_target(uint32_t index) {
  const Op& op = pool_[index];
  const Rank& target = world_.rank(op.target);
  fetch(&target.arrivals, sizeof(target.arrivals));
  world_.memory.touch(target, op.offset);
}

void Transport::happen(uint32_t index, Time now) {
  Op& op = pool_[index];
  world_.rank(op.target).arrivals.times.pop();  // which is `now`
  if (op.stop >= Stop::kNone) {
    take_effect(op, now);
  } else {
    arrive(op, now);
  }
}

// Passes the operation's next stop. Returns the time of its turn there.
inline Time Transport::pass_stop(Op& op, Time now) {
  if (op.stop != Stop::kInterface) {
    const bool first = op.stop == Stop::kItsAdapter;
    op.stop = first ? Stop::kTargetsAdapter : Stop::kInterface;
    Node& n = node(first ? op.from_node : op.to_node);
    const Time gap = n.adapter.message + op.bytes * n.adapter.per_byte;
    return take_turn(n.adapter_free, now, gap);
  }
  op.stop = Stop::kNone;
  const Service& s = *op.service;
  Arrivals& arrivals = world_.rank(op.target).arrivals;
  Time& free = s.at_node            ? node(op.to_node).atomics_free
               : is_atomic(op.kind) ? arrivals.atomics_free
                                    : arrivals.transfers_free;
  return take_turn(free, now, s.interface.gap + op.bytes * s.per_byte);
}

void Transport::arrive(Op& op, Time now) {
  Time turn = now;
  while (turn == now && op.stop != Stop::kNone) turn = pass_stop(op, now);
  if (turn == now) return take_effect(op, now);
  come(op, turn);
}

void Transport::take_effect(Op& op, Time now) {
  if (has_steps_) [[unlikely]] {
    const Time then = ready_at(op, now);
    if (then == kNever) return;
    if (then > now) return come(op, then);
  }
  if (world_.log.prints()) [[unlikely]]
    world_.log.will_take_effect(op, find(op));
  apply(op);
  world_.log.effect(now, op);
  if (op.offset == kWakesOffset) [[unlikely]]
    end_rest(world_.rank(op.target), now);
  op.done = true;
  op.completion = now + op.service->interface.service + way(op);
  if (world_.log.prints()) [[unlikely]]
    world_.log.completes(now, op);
  Rank& initiator = world_.rank(op.initiator);
  if (op.blocking) return world_.agenda.resume(op.initiator, op.completion);
  if (initiator.doing == Doing::kFlush && initiator.unflushed.last_of_flush(op))
    world_.agenda.resume(op.initiator, initiator.unflushed.until());
}

// The rank may have run ahead of `now` before it began to rest.
void Transport::end_rest(Rank& rank, Time now) {
  if (rank.rest_order == 0) return;
  rank.rest_order = 0;
  world_.agenda.resume(rank.self.rank, std::max(now, rank.clock));
}

// Time when the operation goes on; `now`: the rest of it takes effect now;
// kNever: that depends on its target.
Time Transport::ready_at(Op& op, Time now) {
  if (op.service->by_target && op.stop == Stop::kNone) {
    const Time then = served_at(op, now);
    if (then > now) return then;
  }
  if (!world_.chance.explores()) return now;
  const bool writes_atomically = net().writes_are_atomic &&
                                 op.kind == OpKind::kPut &&
                                 op.bytes == sizeof(uint64_t);
  return is_atomic(op.kind) || writes_atomically ? explore_atomic(op, now)
                                                 : explore_transfer(op, now);
}

// ------------------------------------------ atomics that their target serves

Time Transport::served_at(Op& op, Time now) {
  Rank& target = world_.rank(op.target);
  const Time then = target.attendance.serves_at(now);
  if (then != kNever) return begin_to_serve(target, op, then);
  if (world_.log.prints())
    world_.log.detail(now, op.target,
                      absl::StrCat("computes, and does not serve a ",
                                   world_.log.describe(op)));
  target.attendance.waiting.push_back(&op);
  return kNever;
}

Time Transport::begin_to_serve(Rank& target, Op& op, Time time) {
  Attendance& attendance = target.attendance;
  const Time busy = net().atomics.gap;
  op.stop = Stop::kServed;
  attendance.serving += busy;
  ++target.self.counters.served;
  target.self.counters.serving_ns = attendance.serving / kNanosecond;
  return take_turn(attendance.busy_until, time, busy);
}

Time Transport::attend(Rank& rank, Time time) {
  Attendance& attendance = rank.attendance;
  attendance.since = time;
  Time first = kNever;
  for (Op* const op : attendance.waiting) {
    const Time then = begin_to_serve(rank, *op, time);
    come(*op, then);
    first = std::min(first, then);
  }
  attendance.waiting.clear();
  return first;
}

Time Transport::compute(Rank& rank) {
  rank.attendance.since = kNever;
  rank.attendance.every = 0;
  return rank.attendance.busy_until;
}

// ----------------------------------------------------------------- exploration

// Explores atomics of an MPI without hardware for them: reads, and writes
// later. Returns when the atomic goes on; `now`: it has read, or may do both at
// once. An atomic put only waits for the others.
Time Transport::explore_atomic(Op& op, Time now) {
  Rank& target = world_.rank(op.target);
  const Op*& half_done = target.arrivals.half_done;
  if (half_done == &op) {
    const Time apart = op.kind == OpKind::kSwap ? write_before(op, now) : 0;
    if (apart == 0) half_done = nullptr;
    return now + apart;
  }
  if (half_done != nullptr) {
    op.waited = true;
    return half_done->time + 1;
  }
  if (op.kind == OpKind::kPut) return now;
  // An atomic that has waited makes no others wait: there may be very many.
  const Time apart = op.waited ? 0 : world_.chance.apart();
  if (apart == 0) return now;
  half_done = &op;
  op.begun = true;
  std::byte* const at = find(op);
  target.stores.as_others_see(
      [&] { std::memcpy(&op.before, at, sizeof(op.before)); });
  world_.log.part(now, op);
  return now + apart;
}

// Maybe writes a word that is written once more later. Returns the time until
// then, or 0 where nothing was written. Copies of overlapping pieces do so:
// glibc's memcpy makes two stores for 8 bytes.
Time Transport::write_before(Op& op, Time now) {
  const Time apart = op.again ? 0 : world_.chance.apart();
  if (apart == 0) return 0;
  op.again = true;
  apply(op);
  world_.log.part(now, op);
  return apart;
}

// Does a part of what is left of the transfer, at either end, maybe twice.
// Returns when it goes on; `now`: all that is left takes effect now.
Time Transport::explore_transfer(Op& op, Time now) {
  const auto [begin, end] = op.rest;
  constexpr uint64_t kWord = sizeof(uint64_t);
  const uint64_t first = (op.offset + begin) / kWord;
  const uint64_t last = (op.offset + end - 1) / kWord;
  if (first == last)
    return op.kind == OpKind::kGet ? now : now + write_before(op, now);
  const Time apart = world_.chance.apart();
  if (apart == 0) return now;
  const size_t cut =
      (last - world_.chance.below(last - first)) * kWord - op.offset;
  const bool lower = world_.chance.below(2) == 0;
  op.rest = {lower ? begin : cut, lower ? cut : end};
  apply(op);
  world_.log.part(now, op);
  op.rest = {lower ? cut : begin, lower ? end : cut};
  if (world_.chance.below(4) == 0) op.rest = {begin, end};
  return now + apart;
}

void Transport::apply(Op& op) {
  const auto [begin, end] = op.rest;
  if (op.late_source) {
    const Rank& initiator = world_.rank(op.initiator);
    const std::byte* const from = world_.memory.find_local(
        initiator, static_cast<std::byte*>(op.local) + begin, end - begin);
    if (from == nullptr) refuse(op, "its buffer is ", initiator);
    std::memcpy(op.payload.data() + begin, from, end - begin);
  }
  std::byte* const at = find(op);
  world_.rank(op.target).stores.as_others_see([&] { apply_to_memory(op, at); });
}

// Returns where op.rest is at its target.
std::byte* Transport::find(const Op& op) {
  const auto [begin, end] = op.rest;
  Rank& target = world_.rank(op.target);
  std::byte* const at =
      world_.memory.find(target, op.offset + begin, end - begin);
  if (at == nullptr) refuse(op, "the bytes there are ", target);
  return at;
}

// Ends the job in the initiator's name, whichever rank runs.
void Transport::refuse(const Op& op, const char* what, const Rank& whose) {
  backend::current = &world_.rank(op.initiator).self;
  fatal(absl::StrCat(world_.log.describe(op), ": ", what,
                     world_.memory.why_not_found(whose)));
}

}  // namespace magpie::rma::sim
