// Collectives by MPI's non-blocking ones, so that waiting ranks give away their
// core and serve one-sided operations meanwhile.

#include <algorithm>
#include <array>

#include "common/rma/backends.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {
namespace {

using mpi::job;
using mpi::MpiLock;

// Most bytes or elements of one MPI call, which counts in int.
constexpr size_t kPiece = 1 << 24;

// Minimum and maximum of our own: MPICH's take MPI_UINT64_T for signed.
template <Reduction kReduction>
void combine(void* in, void* in_out, int* count, MPI_Datatype*) {
  const auto* a = static_cast<const uint64_t*>(in);
  auto* b = static_cast<uint64_t*>(in_out);
  for (int i = 0; i < *count; ++i)
    b[i] = internal::combined(a[i], b[i], kReduction);
}

// The MPI operation of a reduction.
MPI_Op operation_of(Reduction reduction) {
  [[gnu::section("magpie_own")]] static std::array<MPI_Op, 3> operations = {
      MPI_SUM, MPI_OP_NULL, MPI_OP_NULL};
  MPI_Op& operation = operations[static_cast<size_t>(reduction)];
  if (operation == MPI_OP_NULL)
    MPI_Op_create(reduction == Reduction::kMin ? combine<Reduction::kMin>
                                               : combine<Reduction::kMax>,
                  /*commute=*/1, &operation);
  return operation;
}

// Calls start(begin, n, &request) for pieces of `count` bytes or elements, one
// after the other, and waits for each.
template <typename Start>
void collective(const char* name, size_t count, Start start) {
  internal::require_collective(name);
  const ActivityScope scope(*self().status, Activity::kCollective);
  for (size_t begin = 0; begin < count; begin += kPiece) {
    MPI_Request request;
    {
      MpiLock lock;
      start(begin, static_cast<int>(std::min(count - begin, kPiece)), &request);
    }
    mpi::wait(&request);
  }
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

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  collective("rma::reduce", count,
             [=](size_t begin, int n, MPI_Request* request) {
               MPI_Iallreduce(MPI_IN_PLACE, values + begin, n, MPI_UINT64_T,
                              operation_of(reduction), job.world, request);
             });
}

}  // namespace magpie::rma
