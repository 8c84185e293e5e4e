// The functions of rma.h: starting a simulation, and what a rank does in it, in
// terms of the engine's.

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/rma/addresses.h"
#include "common/rma/backends.h"
#include "common/rma/rma.h"
#include "common/rma/sim/engine/engine.h"
#include "common/rma/sim/options.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma {
namespace sim {

Options options;

static Engine* const kNoEngine =
    reinterpret_cast<Engine*>(internal::kNobodysAddress);

Engine* engine = kNoEngine;

namespace {

std::FILE* open_log(const std::string& name) {
  if (name.empty()) return nullptr;
  if (name == "-") return stderr;
  // Runs write one after the other.
  static std::map<std::string, std::FILE*> logs;
  std::FILE*& file = logs[name];
  if (file != nullptr) return file;
  file = std::fopen(name.c_str(), "w");
  if (file == nullptr)
    fatal(absl::StrCat("--log=", name, ": ", std::strerror(errno)), 2);
  // The log is complete, however the run ends.
  std::setvbuf(file, nullptr, _IOLBF, BUFSIZ);
  return file;
}

// Prints an error and ends the process where the log lacks lines.
void require_written(std::FILE* log) {
  if (log == nullptr || (std::fflush(log) == 0 && std::ferror(log) == 0))
    return;
  fatal(absl::StrCat("--log=", options.log, ": could not be written"));
}

void print_stats(const Engine& engine, double seconds) {
  const double operations = static_cast<double>(engine.operations());
  std::fflush(stdout);
  absl::FPrintF(
      stderr,
      "magpie: sim: ranks=%d net=%s virtual_seconds=%.9f events=%d "
      "operations=%d switches=%d hash=%016x real_seconds=%.3f "
      "operations_per_second=%.0f\n",
      options.ranks, options.net.name,
      static_cast<double>(engine.turns().now()) / static_cast<double>(kSecond),
      engine.log().events(), engine.operations(), engine.turns().switches(),
      engine.log().hash(), seconds, operations / seconds);
}

}  // namespace
}  // namespace sim

void add_options(CLI::App& app) { sim::add_options(app, &sim::options); }

int ranks_to_launch() {
  sim::set_defaults(&sim::options);
  return sim::options.ranks;
}

int launch(const SegmentLayout& layout, int (*rank_main)(void* arg), void* arg,
           size_t) {
  internal::refuse_nested_run();
  internal::refuse_launcher();
  sim::set_defaults(&sim::options);
  sim::check(sim::options);
  if (!sim::options.seeds.empty()) sim::run_seeds(&sim::options);
  std::FILE* const log = sim::open_log(sim::options.log);
  const auto engine =
      std::make_unique<sim::Engine>(sim::options, layout, log, rank_main, arg);
  sim::engine = engine.get();
  internal::enter_run(layout, nullptr, [](uintptr_t address) {
    return sim::engine->memory().is_in_stacks(address) ? sim::kStackExhausted
                                                       : nullptr;
  });
  const auto begin = std::chrono::steady_clock::now();
  const int result = internal::as_status(engine->run());
  const std::chrono::duration<double> seconds =
      std::chrono::steady_clock::now() - begin;
  internal::leave_run();
  sim::engine = sim::kNoEngine;
  if (sim::options.stats) sim::print_stats(*engine, seconds.count());
  sim::require_written(log);
  return result;
}

void fatal(std::string_view message, int status) {
  std::string words(message);
  if (!internal::is_outside_run()) words += sim::engine->hint();
  internal::speak_last(words);
  _exit(status);
}

int node_of(int rank) { return sim::engine->net().node_of(rank); }

uint64_t now() { return sim::engine->running().clock / sim::kNanosecond; }

void idle(int times) { sim::engine->idle(times); }

void rest(uint64_t nanoseconds) {
  check(nanoseconds > 0, "a rest of no length, in which time stands still");
  // At most half of all time, so that an end of a rest is a time.
  constexpr uint64_t kLongest = sim::kNever / 2 / sim::kNanosecond;
  sim::engine->rest(std::min(nanoseconds, kLongest) * sim::kNanosecond);
}

void poll() { sim::engine->poll(); }

void compute(uint64_t nanoseconds) {
  sim::engine->work(sim::product(nanoseconds, sim::kNanosecond));
}

// ----------------------------------------------------- collectives, operations

using sim::Collective;
using sim::engine;

void barrier() {
  internal::require_collective("rma::barrier");
  engine->collective({.kind = Collective::Kind::kBarrier}, nullptr);
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  engine->collective(
      {.kind = Collective::Kind::kBroadcast, .bytes = bytes, .root = root},
      data);
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  engine->collective({.kind = Collective::Kind::kReduce,
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
  std::memcpy(to, op->payload.data(), bytes);
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
  op->payload.resize(bytes);
  std::memcpy(op->payload.data(), from, bytes);
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
