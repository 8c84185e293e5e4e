// Collectives by MPI's non-blocking ones, so that waiting ranks give their core away and serve
// one-sided operations meanwhile.

#include <algorithm>

#include "common/rma/mpi/job.h"

namespace magpie::rma {
namespace {

using mpi::job;
using mpi::MpiLock;

// MPI counts in int.
constexpr size_t kPiece = 1 << 24;

MPI_Op op_of(Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      return MPI_SUM;
    case Reduction::kMin:
      return MPI_MIN;
    case Reduction::kMax:
      return MPI_MAX;
  }
  return MPI_OP_NULL;
}

}  // namespace

void barrier() {
  MPI_Request request;
  {
    MpiLock lock;
    MPI_Ibarrier(job.world, &request);
  }
  mpi::wait(&request);
}

void broadcast(void* data, size_t bytes, int root) {
  auto* at = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += kPiece) {
    MPI_Request request;
    {
      MpiLock lock;
      MPI_Ibcast(at + done, static_cast<int>(std::min(bytes - done, kPiece)), MPI_BYTE, root, job.world,
                 &request);
    }
    mpi::wait(&request);
  }
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  for (size_t done = 0; done < count; done += kPiece) {
    MPI_Request request;
    {
      MpiLock lock;
      MPI_Iallreduce(MPI_IN_PLACE, values + done, static_cast<int>(std::min(count - done, kPiece)),
                     MPI_UINT64_T, op_of(reduction), job.world, &request);
    }
    mpi::wait(&request);
  }
}

}  // namespace magpie::rma
