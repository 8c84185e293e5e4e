// The serial runtime: a spawn runs the task at once, as a plain call. It is
// what the other runtimes' speed is compared with, and the plainest
// implementation of the seam.
//
// Small results (up to 8 bytes) with one consumer travel in the handle, others
// in cells that are used again and again, so that nothing here costs more than
// a call has to.
//
// Thread safety: one rank, one thread. Invariants:
//   1. unclaimed_ is the number of joins and discards that are still to come,
//      below 0 in a program that claims a result twice.
//   2. A cell is in use from its task's spawn to the last of these, or in the
//      free list of its size.

#ifndef MAGPIE_COMMON_FORK_JOIN_SERIAL_H_
#define MAGPIE_COMMON_FORK_JOIN_SERIAL_H_

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>

#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/fork_join/runtime.h"
#include "common/fork_join/task_entries.h"
#include "common/rma/copies.h"
#include "common/rma/rma.h"
#include "common/run/address_scan.h"
#include "common/run/invoke.h"
#include "common/run/program.h"
#include "common/run/region.h"
#include "common/run/run.h"

namespace magpie::serial {

// Memory for results, in cells of 2^k bytes with the same alignment:
//
//     [ ... Header ][ result ... ]
//                   ^ aligned as its type asks
class ResultCells {
 public:
  ResultCells() = default;
  ResultCells(const ResultCells&) = delete;
  ResultCells& operator=(const ResultCells&) = delete;
  ~ResultCells() {
    for (size_t log = 0; log < free_.size(); ++log) {
      while (FreeCell* const cell = free_[log]) {
        free_[log] = cell->next;
        ::operator delete (cell, std::align_val_t{size_t{1} << log});
      }
    }
  }

  // A place for a result of the type. `generation` is the task's, and not 0.
  void* allocate(const TypeInfo& type, uint32_t generation) {
    const size_t prefix = std::max<size_t>(sizeof(Header), type.result_align);
    const auto log =
        static_cast<uint16_t>(std::bit_width(prefix + type.result_size - 1));
    FreeCell* cell = free_[log];
    if (cell != nullptr) [[likely]] {
      free_[log] = cell->next;
    } else {
      cell = static_cast<FreeCell*>(::operator new (
          size_t{1} << log, std::align_val_t{size_t{1} << log}));
    }
    std::byte* const result = reinterpret_cast<std::byte*>(cell) + prefix;
    header_of(result) = {cell, generation, log,
                         static_cast<uint16_t>((1u << type.consumers) - 1)};
    return result;
  }

  // Whether the place holds the result of the task with that generation.
  bool holds(void* result, uint32_t generation) const {
    return header_of(result).generation == generation;
  }

  // Lets a consumer go: the last one frees the cell. False: this consumer was
  // let go before.
  bool let_go(void* result, uint32_t consumer) {
    Header& header = header_of(result);
    const uint32_t mine = 1u << (consumer == 0 ? 0 : consumer - 1);
    if ((header.awaited & mine) == 0) return false;
    header.awaited -= mine;
    if (header.awaited == 0) recycle(header);
    return true;
  }

 private:
  struct FreeCell {
    FreeCell* next;
  };
  struct Header {
    // Beginning of the cell. In a free cell, its FreeCell may lie here.
    FreeCell* cell;
    // Generation of the task; 0 where the cell is free.
    uint32_t generation;
    // The cell has 2^log bytes.
    uint16_t log;
    // A bit for each consumer that is to come.
    uint16_t awaited;
  };
  static_assert(TypeInfo::kMostConsumers <= 16);

  void recycle(Header& header) {
    header.generation = 0;
    FreeCell* const cell = header.cell;
    cell->next = free_[header.log];
    free_[header.log] = cell;
  }
  static Header& header_of(void* result) {
    return *(static_cast<Header*>(result) - 1);
  }

  std::array<FreeCell*, 64> free_ = {};
};

// The runtime, with its only rank.
class Runtime : public SeamOfRank<Runtime>, public RunsTasksLater {
 public:
  static constexpr ForkJoinTraits kTraits = {
      .spreads = false, .migrates = false, .buries = false};
  using Root = TaskProgram::Root;
  struct Options {
    uint64_t region_bytes = kDefaultRegionBytes;
    OnAddress on_address = OnAddress::kStop;
  };

  static void add_options(CLI::App& app, Options& options) {
    take_one_rank(app, "the serial runtime");
    add_region_bytes(app, options.region_bytes);
    magpie::add_options(app, options.on_address);
  }

  static rma::SegmentLayout layout(const Options& options, const Root& root) {
    return {.region_bytes = options.region_bytes,
            .heap_bytes = TaskProgram::heap_bytes(root),
            .region_overflow = kRegionOverflow};
  }

  Runtime(const Options& options, const Root& root)
      : program_(options.on_address, root) {
    rma::self().status->show("spawned", spawns_);
    rma::self().status->show("ended", spawns_);
  }

  // ---------------------------------------------------- functions of the seam

  static void spawn(const SpawnedType* type, const void* closure, Handle* out) {
    Runtime& rank = self();
    if constexpr (AddressScan::kLooksAtAll) {
      rank.program_.look_at(*type, closure);
    }
    ++rank.spawns_;
    rank.unclaimed_ += type->consumers;
    if (type->result_size > kInHandle || type->consumers != 1) [[unlikely]]
      return rank.spawn_with_cell(*type, closure, out);
    alignas(kInHandle) std::byte result[kInHandle] = {};
    rank.lowest_ = std::min(rank.lowest_, &result[0]);
    invoke(*type, closure, result);
    *out = {{std::bit_cast<uint64_t>(result), kResultInHandle}};
  }
  static void join(const Handle* task, uint32_t consumer, void* result,
                   uint32_t bytes) {
    --self().unclaimed_;
    if (task->w[1] != kResultInHandle) [[unlikely]]
      return self().join_with_cell(*task, consumer, result, bytes);
    copy_task_bytes(result, &task->w[0], bytes);
  }
  static void discard(const Handle* task, uint32_t consumer, uint32_t) {
    --self().unclaimed_;
    if (task->w[1] != kResultInHandle)
      self().let_go(self().cell_of(*task), consumer);
  }

  // ------------------------------------------------------------------ for runs

  using SeamOfRank<Runtime>::run;
  // Runs the root on the region, as all runtimes do: how deep tasks may nest is
  // then up to --region_bytes, and not to the stack that the shell allows.
  void run(const RootResult& result) {
    auto root = [&] {
      const Root& task = program_.root();
      invoke(task.info->task, task.closure, result.local());
    };
    const auto end = reinterpret_cast<uintptr_t>(rma::self().region +
                                                 rma::self().region_bytes);
    lowest_ = reinterpret_cast<std::byte*>(end);
    rma::use_region(lowest_, lowest_);
    context::call_on_stack(
        reinterpret_cast<void*>(end & ~uintptr_t{15}),
        [](void* f) { (*static_cast<decltype(root)*>(f))(); }, &root);
  }

  void finish(const RootResult& result) { program_.finish(result); }

  // Says that every task has ended; one with several consumers counts as
  // unclaimed once for each that is missing. Prints an error and ends the job
  // where results were claimed too often.
  Balance balance() const {
    if (unclaimed_ < 0) rma::fatal(kClaimedTwice);
    return {spawns_, spawns_, static_cast<uint64_t>(unclaimed_), 0};
  }
  SchedulerStats stats() const {
    return {.spawns = spawns_, .deaths = spawns_};
  }
  uint64_t region_bytes_max() const {
    return static_cast<uint64_t>(rma::self().region + rma::self().region_bytes -
                                 lowest_);
  }
  const TaskProgram& program() const { return program_; }

 private:
  static constexpr size_t kInHandle = sizeof(uint64_t);
  // The second word of a handle that holds the result itself; of others it is
  // the generation of the result's cell.
  static constexpr uint64_t kResultInHandle = uint64_t{1} << 32;

  static Runtime& self() { return this_rank<Runtime>(); }

  // Spawn and join where the result does not fit into the handle. They are
  // functions of their own, so that the usual case saves fewer registers.
  [[gnu::noinline]] void spawn_with_cell(const TypeInfo& type,
                                         const void* closure, Handle* out) {
    lowest_ =
        std::min(lowest_, static_cast<std::byte*>(__builtin_frame_address(0)));
    const uint32_t generation =
        std::max(static_cast<uint32_t>(spawns_), uint32_t{1});
    void* const result = cells_.allocate(type, generation);
    invoke(type, closure, result);
    *out = {{reinterpret_cast<uint64_t>(result), generation}};
  }
  [[gnu::noinline]] void join_with_cell(const Handle& task, uint32_t consumer,
                                        void* result, uint32_t bytes) {
    void* const cell = cell_of(task);
    copy_task_bytes(result, cell, bytes);
    let_go(cell, consumer);
  }
  void let_go(void* cell, uint32_t consumer) {
    if (!cells_.let_go(cell, consumer)) rma::fatal(kClaimedTwice);
  }
  void* cell_of(const Handle& task) const {
    require_task(task);
    void* const result = reinterpret_cast<void*>(task.w[0]);
    if (!cells_.holds(result, static_cast<uint32_t>(task.w[1])))
      rma::fatal(kClaimedTwice);
    return result;
  }

  TaskProgram program_;
  uint64_t spawns_ = 0;
  int64_t unclaimed_ = 0;
  // The lowest frame so far.
  std::byte* lowest_ = nullptr;
  ResultCells cells_;
};

}  // namespace magpie::serial

#endif  // MAGPIE_COMMON_FORK_JOIN_SERIAL_H_
