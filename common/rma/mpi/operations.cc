// The operations, as MPI-3 one-sided communication: a blocking one is the MPI
// operation and a flush; and collectives.

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <unordered_set>
#include <vector>

#include "common/rma/mpi/job.h"

namespace magpie::rma {

namespace {

using mpi::job;

// Calls f(), which calls MPI on behalf of a task.
template <typename F>
void call_mpi(F f) {
  const mpi::MpiLock lock;
  mpi::on_mpi_stack(f);
}

// Whether there is no window, as with one rank: Open MPI has no component for a
// window over our own memory then.
bool alone() { return job.window == MPI_WIN_NULL; }
std::byte* local(uint64_t offset) { return self().heap_origin + offset; }
std::atomic_ref<uint64_t> local_word(uint64_t offset) {
  return std::atomic_ref<uint64_t>(*reinterpret_cast<uint64_t*>(local(offset)));
}

// Prints an error and ends the job for an access outside of all segments, in
// optimized builds, too: MPI would refuse it with a message of its own, or
// crash.
void check_access(const char* operation, int rank, uint64_t offset,
                  size_t bytes) {
  const bool is_there =
      static_cast<unsigned>(rank) < static_cast<unsigned>(job.self.size) &&
      bytes <= job.segment_bytes && offset <= job.segment_bytes - bytes;
  if (!is_there) [[unlikely]]
    internal::refuse_access(operation, rank, offset, bytes);
  // Memory after the heap is this backend's own, and not checked.
  if (internal::kChecksAccess && offset < mpi::scratch_offset())
    internal::check_access(operation, rank, offset, bytes);
}

MPI_Aint at(uint64_t offset) {
  return job.displacement + static_cast<MPI_Aint>(offset);
}

// Most bytes or elements of one MPI call: MPI counts in int, and the copies of
// unaligned transfers are to be small.
constexpr size_t kPiece = 1 << 19;

// Calls transfer(begin, n) for pieces of `count` bytes or elements.
template <typename Transfer>
void in_pieces(size_t count, Transfer transfer) {
  for (size_t begin = 0; begin < count; begin += kPiece)
    transfer(begin, std::min(count - begin, kPiece));
}

void start_put(int rank, uint64_t offset, const void* from, size_t bytes) {
  in_pieces(bytes, [&](size_t begin, size_t n) {
    const int count = static_cast<int>(n);
    MPI_Put(static_cast<const std::byte*>(from) + begin, count, MPI_BYTE, rank,
            at(offset + begin), count, MPI_BYTE, job.window);
  });
}

void start_get(int rank, uint64_t offset, void* to, size_t bytes) {
  in_pieces(bytes, [&](size_t begin, size_t n) {
    const int count = static_cast<int>(n);
    MPI_Get(static_cast<std::byte*>(to) + begin, count, MPI_BYTE, rank,
            at(offset + begin), count, MPI_BYTE, job.window);
  });
}

// Whether the transfer is one of aligned words from or to memory of this rank
// that is not aligned: a copy routine would move vectors that begin within the
// words. Such a transfer goes through an aligned copy.
bool needs_aligned_copy(const void* here, uint64_t offset, size_t bytes) {
  return ((offset | bytes) & 7) == 0 && bytes > 0 &&
         (reinterpret_cast<uintptr_t>(here) & 7) != 0;
}

[[gnu::noinline, gnu::cold]] void put_unaligned(int rank, uint64_t offset,
                                                const void* from,
                                                size_t bytes) {
  std::vector<uint64_t> copy(std::min(bytes, kPiece) / sizeof(uint64_t));
  in_pieces(bytes, [&](size_t begin, size_t n) {
    std::memcpy(copy.data(), static_cast<const std::byte*>(from) + begin, n);
    backend::put(rank, offset + begin, copy.data(), n);
  });
}

[[gnu::noinline, gnu::cold]] void get_unaligned(int rank, uint64_t offset,
                                                void* to, size_t bytes) {
  std::vector<uint64_t> copy(std::min(bytes, kPiece) / sizeof(uint64_t));
  in_pieces(bytes, [&](size_t begin, size_t n) {
    backend::get(rank, offset + begin, copy.data(), n);
    std::memcpy(static_cast<std::byte*>(to) + begin, copy.data(), n);
  });
}

uint64_t fetch_and_op(int rank, uint64_t offset, uint64_t value, MPI_Op op) {
  uint64_t before = 0;
  call_mpi([&] {
    MPI_Fetch_and_op(&value, &before, MPI_UINT64_T, rank, at(offset), op,
                     job.window);
    MPI_Win_flush(rank, job.window);
  });
  return before;
}

// Targets of this rank's unflushed non-blocking operations. MPI_Win_flush_all
// would do without this set, but UCX 1.13 (MPICH, and osc/ucx) returns from it
// before the operations are complete.
[[gnu::section("magpie_own")]] std::unordered_set<int> unflushed;

// Operand and result of a non-blocking atomic, which MPI uses until the flush.
struct Pending {
  uint64_t value;
  // The previous value, where the caller does not ask for it.
  uint64_t unwanted;
};
[[gnu::section("magpie_own")]] std::array<Pending, 256> pending;
[[gnu::section("magpie_own")]] size_t pending_used = 0;

void flush_unflushed() {
  for (int rank : unflushed) MPI_Win_flush(rank, job.window);
  unflushed.clear();
  pending_used = 0;
}

Pending* next_pending() {
  if (pending_used == pending.size()) flush_unflushed();
  return &pending[pending_used++];
}

}  // namespace

namespace backend {

void get(int rank, uint64_t offset, void* to, size_t bytes) {
  check_access("get", rank, offset, bytes);
  if (alone()) {
    std::memcpy(to, local(offset), bytes);
    return;
  }
  if (needs_aligned_copy(to, offset, bytes)) [[unlikely]]
    return get_unaligned(rank, offset, to, bytes);
  call_mpi([=] {
    start_get(rank, offset, to, bytes);
    MPI_Win_flush(rank, job.window);
  });
}

void put(int rank, uint64_t offset, const void* from, size_t bytes) {
  check_access("put", rank, offset, bytes);
  if (alone()) {
    std::memcpy(local(offset), from, bytes);
    return;
  }
  if (needs_aligned_copy(from, offset, bytes)) [[unlikely]]
    return put_unaligned(rank, offset, from, bytes);
  call_mpi([=] {
    start_put(rank, offset, from, bytes);
    MPI_Win_flush(rank, job.window);
  });
}

uint64_t fetch_add(int rank, uint64_t offset, uint64_t value) {
  check_access("fetch_add", rank, offset, sizeof(uint64_t));
  if (alone()) return local_word(offset).fetch_add(value);
  return fetch_and_op(rank, offset, value, MPI_SUM);
}

uint64_t swap(int rank, uint64_t offset, uint64_t value) {
  check_access("swap", rank, offset, sizeof(uint64_t));
  if (alone()) return local_word(offset).exchange(value);
  return fetch_and_op(rank, offset, value, MPI_REPLACE);
}

void get_nb(int rank, uint64_t offset, void* to, size_t bytes) {
  if (alone() || needs_aligned_copy(to, offset, bytes))
    return get(rank, offset, to, bytes);
  check_access("get", rank, offset, bytes);
  unflushed.insert(rank);
  call_mpi([=] { start_get(rank, offset, to, bytes); });
}

void put_nb(int rank, uint64_t offset, const void* from, size_t bytes) {
  if (alone() || needs_aligned_copy(from, offset, bytes))
    return put(rank, offset, from, bytes);
  check_access("put", rank, offset, bytes);
  unflushed.insert(rank);
  call_mpi([=] { start_put(rank, offset, from, bytes); });
}

void fetch_add_nb(int rank, uint64_t offset, uint64_t value, uint64_t* result) {
  if (alone()) {
    const uint64_t before = fetch_add(rank, offset, value);
    if (result != nullptr) *result = before;
    return;
  }
  check_access("fetch_add", rank, offset, sizeof(uint64_t));
  call_mpi([=] {
    Pending* const p = next_pending();
    unflushed.insert(rank);
    p->value = value;
    MPI_Fetch_and_op(&p->value, result != nullptr ? result : &p->unwanted,
                     MPI_UINT64_T, rank, at(offset), MPI_SUM, job.window);
  });
}

void wake(int rank) {
  fetch_add(rank, mpi::scratch_offset() + offsetof(mpi::Scratch, wakes), 1);
}

// MPI orders this rank's operations; the fence orders its own loads and stores
// with them.
void flush(int rank) {
  if (alone()) {
    // Nothing is on its way.
  } else if (rank == kAllRanks) {
    call_mpi(flush_unflushed);
  } else {
    call_mpi([=] { MPI_Win_flush(rank, job.window); });
    unflushed.erase(rank);
  }
  std::atomic_thread_fence(std::memory_order_seq_cst);
}

}  // namespace backend

// ----------------------------------------------------------------- collectives
//
// They are MPI's non-blocking ones, so that waiting ranks give away their core
// and serve one-sided operations meanwhile.

namespace {

// Calls start(begin, n, &request) for pieces of `count` bytes or elements, and
// waits for each.
template <typename Start>
void collective(const char* name, size_t count, Start start) {
  internal::require_collective(name);
  const ActivityScope scope(*self().status, Activity::kCollective);
  in_pieces(count, [&](size_t begin, size_t n) {
    MPI_Request request;
    {
      mpi::MpiLock lock;
      start(begin, static_cast<int>(n), &request);
    }
    mpi::wait(&request);
  });
}

}  // namespace

void barrier() {
  collective("rma::barrier", 1, [](size_t, int, MPI_Request* request) {
    MPI_Ibarrier(job.world, request);
  });
}

void broadcast(void* data, size_t bytes, int root) {
  collective("rma::broadcast", bytes,
             [=](size_t begin, int n, MPI_Request* request) {
               MPI_Ibcast(static_cast<std::byte*>(data) + begin, n, MPI_BYTE,
                          root, job.world, request);
             });
}

// Minima and maxima are those of signed numbers in the same order: MPICH takes
// MPI_UINT64_T for signed.
void reduce(uint64_t* values, size_t count, Reduction reduction) {
  const MPI_Op kOperations[] = {MPI_SUM, MPI_MIN, MPI_MAX};
  const bool is_sum = reduction == Reduction::kSum;
  const auto flip_signs = [&] {
    for (size_t i = 0; i < count && !is_sum; ++i)
      values[i] ^= uint64_t{1} << 63;
  };
  flip_signs();
  collective("rma::reduce", count,
             [=](size_t begin, int n, MPI_Request* request) {
               MPI_Iallreduce(MPI_IN_PLACE, values + begin, n,
                              is_sum ? MPI_UINT64_T : MPI_INT64_T,
                              kOperations[static_cast<size_t>(reduction)],
                              job.world, request);
             });
  flip_signs();
}

}  // namespace magpie::rma
