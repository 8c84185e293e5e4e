// Mistakes with symmetric memory, operations on it, and collectives: the same
// for tasks of both facades.

#ifndef MAGPIE_TESTS_MISTAKES_MEMORY_H_
#define MAGPIE_TESTS_MISTAKES_MEMORY_H_

#include <array>
#include <cstdint>
#include <numeric>
#include <string_view>
#include <vector>

#include "common/rma/check.h"
#include "common/rma/rma.h"
#include "common/run/distributed_array.h"
#include "tests/mistakes/mistake.h"

namespace magpie::mistakes {

inline constexpr size_t kElements = 10;
using Elements = rma::RemotePtr<long>;
// One element less than fits evenly on two ranks.
inline constexpr size_t kAll = 99'999;
using Array = DistributedArray<long>;

// ------------------------------------------------------ what a task does there

inline void puts_before(Elements x) {
  x.offset -= sizeof(long);
  rma::put(x, -1L);
  rma::flush_all();
}
inline void puts_beyond(Elements x) {
  rma::put(x + kElements, -1L);
  rma::flush_all();
}
inline void gets_across(Elements x) {
  std::array<long, kElements + 1> all;
  rma::get(all.data(), {x.rank, x.offset}, sizeof(all));
}
inline void gets_from_the_rank_below(Elements x) { rma::get(x.at(-1)); }
inline void gets_from_the_rank_beyond(Elements x) {
  rma::get(x.at(rma::size()));
}
inline void gets_from_afar(Elements x) {
  x.offset += uint64_t{1} << 40;
  rma::get(x);
}
inline void touches_each(Elements x) {
  for (size_t i = 0; i < kElements; ++i) rma::put(x + i, rma::get(x + i) + 1);
  rma::flush_all();
  std::array<long, kElements> all;
  rma::get(all.data(), {x.rank, x.offset}, sizeof(all));
}
inline void enters_a_barrier(Elements) { rma::barrier(); }
inline void reduces(Elements) {
  uint64_t one = 1;
  rma::reduce(&one, 1, rma::Reduction::kSum);
}
inline void broadcasts(Elements) {
  long data = 1;
  rma::broadcast(&data, sizeof(data), 0);
}
inline void allocates(Elements) { rma::allocate<long>(); }

inline void gets_beyond_the_array(Array all) {
  std::array<long, 3> last;
  all.get(kAll - 2, last.size(), last.data());
}
inline void names_beyond_the_array(Array all) { all.at(kAll); }
inline void puts_to_no_array(Array) {
  const long element = 1;
  Array().put(0, 1, &element);
}
inline void moves_an_array(Array all) {
  std::vector<long> numbers(kAll), got(kAll);
  std::iota(numbers.begin(), numbers.end(), 1);
  all.put(0, kAll, numbers.data());
  rma::flush_all();
  all.get_nb(0, kAll, got.data());
  rma::flush_all();
  if (got != numbers) rma::fatal("other numbers came back");
}

// ----------------------------------------------------------- what prepare does

// A root with memory, which its tasks are handed.
struct HasMemory {
  Elements x;
  Array all;

  size_t heap_bytes() const {
    return rma::allocated_bytes<long>(kElements) + Array::heap_bytes(kAll);
  }
  void prepare() {
    x = rma::allocate<long>(kElements);
    all.allocate(kAll);
  }
  operator Elements() const { return x.at(0); }
  operator Array() const { return all; }
};
struct AllocatesLess : HasMemory {
  void prepare() { x = rma::allocate<long>(rma::rank() == 0 ? 1 : kElements); }
};
// A root that allocates as much on each rank, in different orders.
struct AllocatesInAnotherOrder : HasMemory {
  void prepare() {
    const bool first = rma::rank() == 0;
    rma::allocate<long>(first ? 1 : 2);
    rma::allocate<long>(first ? 2 : 1);
  }
};

// Whether operations are checked: MPI's are in all builds.
inline bool operations_are_checked() {
  return checks_are_active() || std::string_view(rma::kBackend.name) == "mpi";
}
inline bool operations_fault() { return !operations_are_checked(); }

// A root that prepares what F does, and nothing else.
template <typename F>
struct Prepared : F {
  void operator()() const {}
};

// The root InTask<kDeed> calls kDeed(HasMemory) in a task; Run<Root>::make runs
// a root.
template <template <auto> typename InTask, template <typename> typename Run>
inline constexpr Mistake kMemoryMistakes[] = {
    {"put_before", Run<InTask<puts_before>>::make, kTold,
     "rank \\d: put of 8 bytes at heap\\+0x[0-9a-f]+ of rank 0: the bytes "
     "there (begin \\d+ bytes beyond the end of an|are in no) object",
     kTwoRanks, checks_are_active},
    {"put_beyond", Run<InTask<puts_beyond>>::make, kTold,
     "rank \\d: put of 8 bytes at heap\\+0x[0-9a-f]+ of rank 0: the bytes "
     "there begin 0 bytes beyond the end of an object of 80 bytes",
     kTwoRanks, checks_are_active},
    {"get_across", Run<InTask<gets_across>>::make, kTold,
     "rank \\d: get of 88 bytes at heap\\+0x[0-9a-f]+ of rank 0: the bytes "
     "there reach 8 bytes beyond the end of an object of 80 bytes",
     kTwoRanks, checks_are_active},
    {"get_from_the_rank_below", Run<InTask<gets_from_the_rank_below>>::make,
     kTold,
     "rank \\d: get of 8 bytes at heap.* of rank -1: there are ranks 0 to 1",
     kTwoRanks, operations_are_checked},
    {"get_from_the_rank_beyond", Run<InTask<gets_from_the_rank_beyond>>::make,
     kTold,
     "rank \\d: get of 8 bytes at heap.* of rank 2: there are ranks 0 to 1",
     kTwoRanks, operations_are_checked},
    {"get_from_afar", Run<InTask<gets_from_afar>>::make, kTold,
     "rank \\d: get of 8 bytes at heap\\+0x[0-9a-f]+ of rank 0: the bytes "
     "there are outside the segment",
     kTwoRanks, operations_are_checked},
    {"get_from_the_rank_below_faults",
     Run<InTask<gets_from_the_rank_below>>::make, kDies,
     "rank \\d: an operation on a rank or at an offset that does not exist",
     kTwoRanks, operations_fault},
    {"get_from_the_rank_beyond_faults",
     Run<InTask<gets_from_the_rank_beyond>>::make, kDies,
     "rank \\d: an operation on a rank or at an offset that does not exist",
     kTwoRanks, operations_fault},
    {"get_from_afar_faults", Run<InTask<gets_from_afar>>::make, kDies,
     "rank \\d: (an operation .*|Segmentation fault at address )", kTwoRanks,
     operations_fault},
    {"touches_each", Run<InTask<touches_each>>::make},

    {"barrier_in_a_task", Run<InTask<enters_a_barrier>>::make, kTold,
     "rank \\d: rma::barrier was called by a task: all ranks call it together"},
    {"reduce_in_a_task", Run<InTask<reduces>>::make, kTold,
     "rank \\d: rma::reduce was called by a task"},
    {"broadcast_in_a_task", Run<InTask<broadcasts>>::make, kTold,
     "rank \\d: rma::broadcast was called by a task"},
    {"allocate_in_a_task", Run<InTask<allocates>>::make, kTold,
     "rank \\d: rma::allocate was called by a task"},

    {"allocates_less", Run<Prepared<AllocatesLess>>::make, kTold,
     "rank 0: prepare\\(\\) of the root task has allocated otherwise on rank 0 "
     "than on another rank, from 8 to 80 bytes in all: "},
    {"allocates_in_another_order", Run<Prepared<AllocatesInAnotherOrder>>::make,
     kTold,
     "rank 0: prepare\\(\\) .* than on another rank, \\d+ bytes in all on "
     "each"},

    {"get_beyond_the_array", Run<InTask<gets_beyond_the_array>>::make, kTold,
     "rank \\d: a DistributedArray .* is asked for 3 from number 99997 on$",
     kTwoRanks, checks_are_active},
    {"name_beyond_the_array", Run<InTask<names_beyond_the_array>>::make, kTold,
     "rank \\d: a DistributedArray .* is asked for 1 from number 99999 on$",
     kTwoRanks, checks_are_active},
    {"put_to_no_array", Run<InTask<puts_to_no_array>>::make, kTold,
     "rank \\d: a DistributedArray of 0 elements is asked for 1 from number 0 "
     "on: prepare\\(\\) of the root allocates it, and tasks find it by "},
    {"moves_an_array", Run<InTask<moves_an_array>>::make, kWell, "",
     kOneAndTwo},
};

}  // namespace magpie::mistakes

#endif  // MAGPIE_TESTS_MISTAKES_MEMORY_H_
