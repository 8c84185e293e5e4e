#include "common/rma/sim/engine/engine.h"

#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"

namespace magpie::rma::sim {
namespace {

std::vector<Time> unit_costs(const Network& net) {
  std::vector<Time> costs;
  for (const char* name : Cost::names()) costs.push_back(net.cost_of(name));
  return costs;
}

}  // namespace

Engine::Engine(const Options& options, const SegmentLayout& layout,
               std::FILE* log, int (*rank_main)(void*), void* arg)
    : world_(options, layout, log),
      transport_(&world_),
      collective_(options.ranks, net()),
      turns_(&world_, &transport_, &collective_,
             [=] { return rank_main(arg); }),
      unit_costs_(unit_costs(net())),
      serves_(net().fetch_add == FetchAdd::kPoll),
      watches_(serves_ || world_.chance.explores()) {
  backend::current = &world_.ranks[0].self;
}

int Engine::run() {
  turns_.run();
  for (const Rank& rank : world_.ranks) {
    if (rank.result != 0) return rank.result;
  }
  return 0;
}

// ------------------------------------------------------------------------ time

void Engine::step() {
  running().clock += kWordTime + world_.chance.pause();
  turns_.sync(Doing::kRunnable);
}

Time Engine::clock_after(Time time) {
  Time then;
  if (__builtin_add_overflow(running().clock, time, &then))
    fatal("the run takes more than 2^64 ps");
  return then;
}

void Engine::work(Time time) {
  running().clock = clock_after(time);
  turns_.worked(running().clock);
  if (world_.chance.explores()) {
    running().quiet_since = running().clock;
    running().clock += world_.chance.pause();
    turns_.sync(Doing::kRunnable);
  }
  did_more_than_load();
}

void Engine::idle(int times) {
  if (serves_) attend(running().clock);
  running().clock +=
      static_cast<Time>(times) * net().idle + world_.chance.pause();
  turns_.sync(Doing::kIdle);
  has_polled(Doing::kIdle);
}

void Engine::rest(Time time) {
  if (serves_) attend(running().clock);
  time = world_.chance.rest(time);
  turns_.rest(running().clock + time + world_.chance.pause());
  has_polled(Doing::kRest);
}

void Engine::has_polled(Doing doing) {
  if (serves_) compute();
  turns_.check_patience(doing);
  if (world_.chance.explores()) check_flushed(doing);
  did_more_than_load();
}

// ------------------------------------------------- atomics that ranks serve

void Engine::attend(Time from) {
  const Time first = transport_.attend(running(), from);
  if (first != kNever) turns_.expect(first, true);
}

void Engine::compute() {
  running().clock = std::max(running().clock, transport_.compute(running()));
}

void Engine::serve() {
  Rank& me = running();
  const Time begin = me.clock;
  me.clock += net().poll + world_.chance.pause();
  turns_.sync(Doing::kRunnable);
  attend(me.clock);
  compute();
  has_served(me.clock - begin);
}

void Engine::has_served(Time polling) {
  Rank& me = running();
  me.attendance.polling += polling;
  me.self.counters.poll_ns = me.attendance.polling / kNanosecond;
}

void Engine::charge_and_poll(std::span<const Work> all, uint64_t polls) {
  Time working = 0;
  for (const Work& one : all) {
    if (__builtin_add_overflow(working, time_of(one.what, one.amount),
                               &working))
      fatal("pieces of work take more than 2^64 ps");
  }
  if (!serves_ || polls == 0) return work(working);
  Rank& me = running();
  const Time piece = working / polls + net().poll;
  const Time begin = me.clock;
  const Time undisturbed_end = clock_after(polls * piece);
  const Time serving = me.attendance.serving;
  const auto end = [&] {
    return undisturbed_end + me.attendance.serving - serving;
  };
  me.attendance.every = piece;
  me.attendance.more_polls = polls - 1;
  attend(begin + piece);
  while (me.clock < end()) {
    me.clock = end();
    turns_.worked(me.clock);
    turns_.sync(Doing::kRunnable);
  }
  compute();
  has_served(polls * net().poll + me.attendance.serving - serving);
  if (world_.chance.explores()) me.quiet_since = me.clock;
  did_more_than_load();
}

inline void Engine::suspend(Doing doing) {
  if (serves_) [[unlikely]]
    attend(running().clock);
  turns_.suspend(doing);
  if (serves_) [[unlikely]]
    compute();
}

// --------------------------------------------------------------------- waiting

// The rule of rma.h that no rank waits for others with anything unflushed.
void Engine::check_flushed(Doing doing) {
  const Rank& me = running();
  if (me.unflushed.empty() || me.clock - me.quiet_since <= turns_.patience())
    return;
  fatal(absl::StrCat("polls, in ", doing == Doing::kIdle ? "idle()" : "rest()",
                     ", since ", describe(me.quiet_since),
                     ", and has not worked meanwhile, with an unflushed ",
                     world_.log.describe(me.unflushed.oldest())));
}

// The rule of rma.h that every loop that waits calls idle(). A loop that does
// not is as good as endless here, and is endless where the network needs this
// rank's calls.
void Engine::check_idles() {
  const Rank& me = running();
  if (me.clock - me.only_loads_since <= turns_.patience()) return;
  fatal(absl::StrCat("has only loaded words of its own since ",
                     describe(me.only_loads_since),
                     ": a loop that waits calls rma::idle()"));
}

// ----------------------------------------------------------------------- words

uint64_t Engine::load(const uint64_t* word) {
  step();
  if (watches_) check_idles();
  if (world_.log.prints()) [[unlikely]]
    print("load", word, *word);
  return *word;
}

void Engine::store(uint64_t* word, uint64_t value, StoreOrder order) {
  step();
  if (world_.log.prints()) [[unlikely]]
    print("store", word, value);
  const MemoryModel model = world_.options.memory;
  if (model == MemoryModel::kSc || !heap_offset(word)) {
    *word = value;
  } else {
    StoreBuffer& stores = running().stores;
    if (model == MemoryModel::kTso || order == StoreOrder::kRelease)
      stores.let_plain_writes_out();
    const Time due = stores.due(word, model, order,
                                running().clock + world_.chance.unseen());
    const uint64_t ticket = world_.agenda.schedule(
        due, EventKind::kStore, static_cast<uint32_t>(running().self.rank));
    stores.store(word, value, due, ticket);
  }
  did_more_than_load();
  // Others may run before the rank does more: a plain write comes after this.
  if (world_.chance.explores()) step();
}

// Ranks read their clocks in whole nanoseconds, the last of which has not
// ended.
void Engine::tell_event(const char* name, uint64_t begin, uint64_t end) {
  world_.log.event(name, running().self.rank, begin * kNanosecond,
                   (end + 1) * kNanosecond - 1);
}

void Engine::let_all_out(const char* what) {
  step();
  const Rank& me = running();
  world_.log.detail(me.clock, me.self.rank, what);
  world_.let_all_out(running(), turns_.now());
  did_more_than_load();
}

// Fences as a part of another step. Only exploration has stores to let out.
void Engine::step_and_fence() {
  if (!world_.chance.explores()) return;
  step();
  world_.let_all_out(running(), turns_.now());
}

void Engine::plain_write(void* place, size_t bytes) {
  Rank& me = running();
  if (world_.options.memory == MemoryModel::kSc) return;
  const auto begin = reinterpret_cast<uintptr_t>(place);
  auto* const first = reinterpret_cast<uint64_t*>(begin & ~uintptr_t{7});
  const size_t words = (begin + bytes + 7) / 8 - begin / 8;
  const std::optional<uint64_t> offset = heap_offset(first);
  if (!offset) return;
  if (world_.log.prints()) [[unlikely]]
    world_.log.detail(me.clock, me.self.rank,
                      absl::StrCat("writes ", bytes, " bytes at its heap+0x",
                                   absl::Hex(*offset), " plainly"));
  me.stores.write_plainly({first, words});
}

std::optional<uint64_t> Engine::heap_offset(const uint64_t* word) {
  const auto offset = static_cast<uint64_t>(
      reinterpret_cast<const std::byte*>(word) - running().self.heap_origin -
      static_cast<ptrdiff_t>(world_.memory.region_bytes()));
  return offset < world_.memory.heap_bytes() ? std::optional(offset)
                                             : std::nullopt;
}

void Engine::print(const char* how, const uint64_t* word, uint64_t after) {
  const Rank& me = running();
  world_.log.accessed(how, me.clock, me.self.rank, *word, after,
                      heap_offset(word), me.caller);
}

// ------------------------------------------------------------------ operations

void Engine::issue(Op* op) {
  Rank& me = running();
  me.clock += world_.chance.pause() + net().overhead;
  if (!op->kept) send(op);
  if (world_.log.prints()) [[unlikely]]
    world_.log.issued(me.clock, *op, me.caller);
}

void Engine::send(Op* op) {
  transport_.send(op, running().clock);
  turns_.expect(op->time, op->target == op->initiator);
}

void Engine::issue_and_wait(Op* op) {
  op->blocking = true;
  issue(op);
  running().operation = op;
  suspend(Doing::kOperation);
  did_more_than_load();
}

void Engine::issue_unflushed(Op* op) {
  op->kept = world_.chance.keeps_back();
  issue(op);
  Rank& me = running();
  if (me.unflushed.empty()) me.quiet_since = me.clock;
  me.unflushed.add(op);
  did_more_than_load();
}

void Engine::flush(int target) {
  step_and_fence();
  Rank& me = running();
  const Time begin = me.clock;
  if (world_.chance.explores())
    me.unflushed.send_kept(target, [&](Op* op) {
      me.clock += net().overhead;  // one after the other
      send(op);
    });
  if (me.unflushed.begin_flush(target, me.clock)) {
    suspend(Doing::kFlush);
  } else {
    if (serves_) attend(running().clock);
    me.clock = me.unflushed.until();
    if (serves_) {
      turns_.sync(Doing::kFlush);
      compute();
    }
  }
  me.unflushed.end_flush(&transport_.pool());
  if (world_.log.prints()) [[unlikely]]
    world_.log.flushed(begin, me.clock, me.self.rank, target, me.caller);
  did_more_than_load();
}

// ----------------------------------------------------------------- collectives

void Engine::collective(const Collective::Call& call, void* data) {
  Rank& me = running();
  step_and_fence();
  if (!me.unflushed.empty()) {
    fatal(absl::StrCat(Collective::name(call), " with an unflushed ",
                       world_.log.describe(me.unflushed.oldest())));
  }
  const std::optional<uint64_t> round =
      collective_.enter(call, me.self.rank, data, me.clock);
  if (!round)
    fatal(absl::StrCat("a ", Collective::name(call),
                       ", where ranks before it are in another ",
                       Collective::name(collective_.call())));
  if (const std::optional<Time> end = collective_.complete()) {
    turns_.worked(*end);
    for (const Rank& rank : world_.ranks)
      world_.agenda.resume(rank.self.rank, *end);
  }
  suspend(Doing::kCollective);
  collective_.collect(*round, data, call.bytes);
  did_more_than_load();
}

}  // namespace magpie::rma::sim
