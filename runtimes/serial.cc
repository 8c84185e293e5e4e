// No parallelism: a spawn runs the task at once, as a plain call. What the
// other runtimes' speed is compared with, on one rank, and the plainest
// implementation of the seam.
//
// Small results (up to 8 bytes) travel in the handle, others in cells that are
// used again and again, so that nothing here costs more than a call has to.
//
// Thread safety: one rank, one thread. Invariants:
//   1. unclaimed_ is the number of joins and discards that are still to come,
//      below 0 in a program that claims a result twice.
//   2. A cell is in use from its task's spawn to the last of these, or in the
//      free list of its size.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/fork_join/invoke.h"
#include "common/fork_join/run_report.h"
#include "common/fork_join/runtime.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

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

  void* allocate(const TypeInfo& type) {
    const size_t prefix = std::max<size_t>(sizeof(Header), type.result_align);
    const auto log =
        static_cast<uint32_t>(std::bit_width(prefix + type.result_size - 1));
    FreeCell* cell = free_[log];
    if (cell != nullptr) [[likely]] {
      free_[log] = cell->next;
    } else {
      cell = static_cast<FreeCell*>(::operator new (
          size_t{1} << log, std::align_val_t{size_t{1} << log}));
    }
    std::byte* const result = reinterpret_cast<std::byte*>(cell) + prefix;
    header_of(result) = {cell, log, type.consumers};
    return result;
  }

  // One consumer less; the last one frees the cell.
  void release(void* result) {
    Header& header = header_of(result);
    if (--header.consumers > 0) return;
    FreeCell* const cell = header.cell;
    const uint32_t log = header.log;
    cell->next = free_[log];
    free_[log] = cell;
  }

 private:
  struct FreeCell {
    FreeCell* next;
  };
  struct Header {
    FreeCell* cell;
    uint32_t log;  // of the cell's size
    uint32_t consumers;
  };
  static Header& header_of(void* result) {
    return *(static_cast<Header*>(result) - 1);
  }

  std::array<FreeCell*, 64> free_ = {};
};

// The one rank.
class Serial {
 public:
  explicit Serial(const void* root_closure) : root_closure_(root_closure) {
    rma::self().local = this;
  }

  static Serial& self() { return *static_cast<Serial*>(rma::self().local); }

  void spawn(const TypeInfo& type, const void* closure, Handle* out) {
    ++spawns_;
    unclaimed_ += type.consumers;
    if (type.result_size > kInHandle) [[unlikely]]
      return spawn_with_cell(type, closure, out);
    alignas(kInHandle) std::byte result[kInHandle] = {};
    lowest_ = std::min(lowest_, &result[0]);
    invoke(type, closure, result);
    *out = {{std::bit_cast<uint64_t>(result), type.result_size}};
  }

  void join(const Handle& task, void* result) {
    --unclaimed_;
    const uint64_t bytes = task.w[1];
    if (bytes == kInHandle) [[likely]] {
      std::memcpy(result, &task.w[0], kInHandle);
    } else if (bytes < kInHandle) {
      if (bytes > 0) std::memcpy(result, &task.w[0], bytes);
    } else {
      void* const cell = reinterpret_cast<void*>(task.w[0]);
      std::memcpy(result, cell, bytes);
      cells_.release(cell);
    }
  }

  void discard(const Handle& task) {
    --unclaimed_;
    if (task.w[1] > kInHandle)
      cells_.release(reinterpret_cast<void*>(task.w[0]));
  }

  // Runs the root on the region, as all runtimes do: how deep tasks may nest is
  // then up to
  // --region_bytes, and not to the stack that the shell allows.
  void run_root(const TypeInfo& root, void* result) {
    Root arg = {&root, root_closure_, result};
    const auto end = reinterpret_cast<uintptr_t>(rma::self().region +
                                                 rma::self().region_bytes);
    lowest_ = reinterpret_cast<std::byte*>(end);
    rma::use_region(lowest_, lowest_);
    context::call_on_stack(
        reinterpret_cast<void*>(end & ~uintptr_t{15}),
        [](void* p) {
          const Root& root = *static_cast<Root*>(p);
          invoke(*root.type, root.closure, root.result);
        },
        &arg);
  }

  const void* root_closure() const { return root_closure_; }
  int64_t unclaimed() const { return unclaimed_; }
  uint64_t spawns() const { return spawns_; }
  uint64_t region_bytes_max() const {
    return static_cast<uint64_t>(rma::self().region + rma::self().region_bytes -
                                 lowest_);
  }

 private:
  static constexpr size_t kInHandle = sizeof(uint64_t);

  struct Root {
    const TypeInfo* type;
    const void* closure;
    void* result;
  };

  // For results that do not fit into the handle. Apart, so that the usual case
  // saves fewer registers.
  [[gnu::noinline]] void spawn_with_cell(const TypeInfo& type,
                                         const void* closure, Handle* out) {
    lowest_ =
        std::min(lowest_, static_cast<std::byte*>(__builtin_frame_address(0)));
    void* const result = cells_.allocate(type);
    invoke(type, closure, result);
    *out = {{reinterpret_cast<uint64_t>(result), type.result_size}};
  }

  const void* const root_closure_;
  uint64_t spawns_ = 0;
  int64_t unclaimed_ = 0;
  std::byte* lowest_ = nullptr;  // the lowest frame so far
  ResultCells cells_;
};

struct Job {
  const TypeInfo* root;
  const void* closure;
  void* result;
  RunReport* report;
};

int run_rank(void* arg) {
  const Job& job = *static_cast<Job*>(arg);
  Serial serial(job.closure);
  const rma::OpCounters before = rma::self().counters;
  const uint64_t begin = rma::now();
  serial.run_root(*job.root, job.result);
  job.report->seconds = static_cast<double>(rma::now() - begin) * 1e-9;
  if (const int64_t unclaimed = serial.unclaimed(); unclaimed != 0) {
    rma::fatal(absl::StrCat("at the end of the run, with ", serial.spawns(),
                            " tasks, ", std::abs(unclaimed),
                            unclaimed > 0 ? " joins or discards are missing"
                                          : " joins or discards are too many",
                            "; each future is to be joined or discarded once"));
  }
  SchedulerStats stats;
  stats.spawns = stats.deaths = serial.spawns();
  sum_up(stats, rma::self().counters - before, serial.region_bytes_max(),
         job.report);
  return 0;
}

// One rank, also where the network's default is another number.
void add_options(CLI::App& app, uint64_t* region_bytes) {
  app.set_help_flag();  // the program's, which prints these flags with its own
  rma::add_options(app);
  app.get_option("--ranks")->default_val(1)->check(
      [](const std::string& ranks) {
        return ranks == "1"
                   ? std::string()
                   : absl::StrCat(
                         ranks, " is not 1, all that the serial runtime takes");
      });
  flags::add_bytes(app, "--region_bytes", *region_bytes,
                   "stack of tasks: limits how deep they nest", 64 << 10,
                   1ull << 36);
}

constexpr uint64_t kDefaultRegionBytes = 16 << 20;

}  // namespace

const RuntimeTraits kRuntime = {.name = "serial"};

namespace seam {

void spawn(const TypeInfo* type, const void* closure, Handle* out) {
  Serial::self().spawn(*type, closure, out);
}

void join(const Handle* task, uint32_t, void* result) {
  Serial::self().join(*task, result);
}

void discard(const Handle* task, uint32_t) { Serial::self().discard(*task); }

int run(const std::vector<std::string>& arguments, const TypeInfo* root,
        const void* closure, void* result, RunReport* report) {
  uint64_t region_bytes = kDefaultRegionBytes;
  CLI::App app;
  add_options(app, &region_bytes);
  flags::parse_rest_or_exit(app, arguments);
  const rma::SegmentLayout layout = {.region_bytes = region_bytes,
                                     .heap_bytes = 4096,
                                     .region_overflow =
                                         "the region is exhausted: tasks nest "
                                         "too deeply; raise --region_bytes"};
  Job job = {root, closure, result, report};
  return rma::launch(layout, &run_rank, &job);
}

const void* root_closure() { return Serial::self().root_closure(); }

std::string flags_help() {
  CLI::App app;
  uint64_t region_bytes = kDefaultRegionBytes;
  add_options(app, &region_bytes);
  return app.help();
}

}  // namespace seam
}  // namespace magpie
