// The report of //bench/microbenchmarks:addressing on the schemes.

#ifndef MAGPIE_BENCH_MICROBENCHMARKS_ADDRESSING_REPORT_H_
#define MAGPIE_BENCH_MICROBENCHMARKS_ADDRESSING_REPORT_H_

#include <cstdint>
#include <vector>

#include "common/run/describe.h"

namespace magpie::bench {

// The kernel's counts for the thief while it steals. The first steal from each
// victim is left out, as in hpdc15 §6.3: code that runs for the first time has
// faults, too.
struct Phase {
  const char* name;
  uint64_t steals = 0;
  // Pages of its segment that have got memory.
  uint64_t new_pages = 0;
  uint64_t page_faults = 0;

  double per_steal(uint64_t count) const {
    return static_cast<double>(count) / static_cast<double>(steals);
  }
};

struct Row {
  const char* scheme;
  // Addresses that a rank reserves, in this run and at the paper's size.
  uint64_t reserved_bytes = 0, paper_bytes = 0;
  // Most bytes that a steal copies.
  uint64_t stolen_bytes = 0;
  Phase first = {"first"}, others = {"others"}, again = {"again"};
  // Pages of their segments that have memory in the end.
  uint64_t thief_pages = 0, victim_pages = 0;
  // Whether threads found what they had left in their frames.
  bool right = false;
};

struct Report {
  uint64_t ranks = 0;
  uint64_t threads = 0, stack_bytes = 0, frame_bytes = 0;
  // Whether pages are counted: not where ranks share a process.
  bool has_memory = false;
  std::vector<Row> rows;
};

Json describe(const Report& report);
void print_table(const Report& report);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_MICROBENCHMARKS_ADDRESSING_REPORT_H_
