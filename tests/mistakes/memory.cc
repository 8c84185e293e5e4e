// Mistakes with symmetric memory, operations on it, collectives, and objects in
// such memory.

#include <array>
#include <cstdint>
#include <string_view>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/run/distributed_array.h"
#include "common/run/shared_max.h"
#include "tests/mistakes/fork_join.h"

namespace magpie::mistakes {
using namespace fork_join;
namespace {

constexpr size_t kElements = 10;
// One element less than fits evenly on two ranks.
constexpr size_t kAll = 99'999;

// Memory that the root allocates: on rank 0, and on all ranks.
struct Memory {
  rma::RemotePtr<long> x;
  DistributedArray<long> all;

  size_t heap_bytes() const {
    return rma::allocated_bytes<long>(kElements) + all.heap_bytes(kAll);
  }
  void prepare() {
    x = rma::allocate<long>(kElements).at(0);
    all.allocate(kAll);
  }
};

// A mistake that a task makes with such memory.
#define MEMORY_MISTAKE(name, ...)                               \
  MAGPIE_MISTAKE(void, ([[maybe_unused]] const Memory& memory), \
                 in_memory_task<name##_made>, name, __VA_ARGS__)
template <auto kDeed>
struct InTask : Memory {
  void operator()() const {
    const Memory memory = root<InTask>();
    make_task([memory] { kDeed(memory); });
  }
};
template <auto kDeed>
constexpr auto in_memory_task = run_root<InTask<kDeed>>;

// Operations are checked where checks are active, and MPI's in all builds.
const bool kChecked =
    checks_are_active() || std::string_view(rma::kBackend.name) == "mpi";
const End kToldOrDies = kChecked ? kTold : kDies;
std::string no_such_rank(const std::string& rank) {
  return kChecked ? "rank \\d: get of 8 bytes at heap.* of rank " + rank +
                        ": there are ranks 0 to 1"
                  : "rank \\d: an operation on a rank or at an offset that "
                    "does not exist";
}

MEMORY_MISTAKE(put_before, kTold,
               "rank \\d: put of 8 bytes at heap\\+0x[0-9a-f]+ of rank 0: the "
               "bytes there (begin \\d+ bytes beyond the end of an|are in no) "
               "object",
               kTwoRanks, checks_are_active) {
  rma::RemotePtr<long> before = memory.x;
  before.offset -= sizeof(long);
  rma::put(before, -1L);
  rma::flush_all();
}
MEMORY_MISTAKE(put_beyond, kTold,
               "rank \\d: put of 8 bytes at heap\\+0x[0-9a-f]+ of rank 0: the "
               "bytes there begin 0 bytes beyond the end of an object of 80 "
               "bytes",
               kTwoRanks, checks_are_active) {
  rma::put(memory.x + kElements, -1L);
  rma::flush_all();
}
MEMORY_MISTAKE(get_across, kTold,
               "rank \\d: get of 88 bytes at heap\\+0x[0-9a-f]+ of rank 0: the "
               "bytes there reach 8 bytes beyond the end of an object of 80 "
               "bytes",
               kTwoRanks, checks_are_active) {
  std::array<long, kElements + 1> all;
  rma::get(all.data(), {0, memory.x.offset}, sizeof(all));
}

MEMORY_MISTAKE(get_from_the_rank_below, kToldOrDies, no_such_rank("-1")) {
  rma::get(memory.x.at(-1));
}
MEMORY_MISTAKE(get_from_the_rank_beyond, kToldOrDies, no_such_rank("2")) {
  rma::get(memory.x.at(rma::size()));
}
MEMORY_MISTAKE(get_from_afar, kToldOrDies,
               kChecked ? "rank \\d: get of 8 bytes at heap\\+0x[0-9a-f]+ of "
                          "rank 0: the bytes there are outside the segment"
                        : "rank \\d: (an operation .*|Segmentation fault at "
                          "address )") {
  rma::get(memory.x + (size_t{1} << 37));
}

MISTAKE(in_task, reduce_in_a_task, kTold,
        "rank \\d: rma::reduce was called by a task") {
  uint64_t one = 1;
  rma::reduce(&one, 1, rma::Reduction::kSum);
}
MISTAKE(in_task, broadcast_in_a_task, kTold,
        "rank \\d: rma::broadcast was called by a task") {
  long data = 1;
  rma::broadcast(&data, sizeof(data), 0);
}
MISTAKE(in_task, allocate_in_a_task, kTold,
        "rank \\d: rma::allocate was called by a task") {
  rma::allocate<long>();
}

struct AllocatesLess : Memory {
  void prepare() { rma::allocate<long>(rma::rank() == 0 ? 1 : kElements); }
  void operator()() const {}
};
LISTED(run_root<AllocatesLess>, allocates_less, kTold,
       "rank 0: prepare\\(\\) of the root task has allocated otherwise on rank "
       "0 than on another rank, from 8 to 80 bytes in all: ");
// Allocates as much on each rank, in different orders.
struct AllocatesInAnotherOrder : Memory {
  void prepare() {
    const bool first = rma::rank() == 0;
    rma::allocate<long>(first ? 1 : 2);
    rma::allocate<long>(first ? 2 : 1);
  }
  void operator()() const {}
};
LISTED(run_root<AllocatesInAnotherOrder>, allocates_in_another_order, kTold,
       "rank 0: prepare\\(\\) .* than on another rank, \\d+ bytes in all on "
       "each");

MEMORY_MISTAKE(get_beyond_the_array, kTold,
               "rank \\d: a DistributedArray .* is asked for 3 from number "
               "99997 on$",
               kTwoRanks, checks_are_active) {
  std::array<long, 3> last;
  memory.all.get(kAll - 2, last.size(), last.data());
}
MEMORY_MISTAKE(name_beyond_the_array, kTold,
               "rank \\d: a DistributedArray .* is asked for 1 from number "
               "99999 on$",
               kTwoRanks, checks_are_active) {
  memory.all.at(kAll);
}
MISTAKE(in_task, put_to_no_array, kTold,
        "rank \\d: a DistributedArray of 0 elements is asked for 1 from number "
        "0 on: prepare\\(\\) of the root allocates it, and tasks find it by ") {
  const long element = 1;
  DistributedArray<long>().put(0, 1, &element);
}
const std::string kNoBound =
    "rank \\d: a SharedMax is used that was not allocated: prepare\\(\\) of "
    "the root task calls allocate\\(\\)";

MISTAKE(in_task, bound_of_none, kTold, kNoBound) { SharedMax().get(); }

}  // namespace
}  // namespace magpie::mistakes
