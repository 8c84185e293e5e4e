// Collectives by MPI's non-blocking ones, so that waiting ranks give away their
// core and serve one-sided operations meanwhile.

#include <algorithm>

#include "common/rma/mpi/job.h"
#include "common/rma/outside.h"

namespace magpie::rma {
namespace {

using mpi::job;
using mpi::MpiLock;

// Most bytes or elements of one MPI call, which counts in int.
constexpr size_t kPiece = 1 << 24;

// Minimum and maximum of our own: MPICH's take MPI_UINT64_T for signed.
template <typename Choose>
void combine(void* in, void* in_out, int* count, Choose choose) {
  const auto* a = static_cast<const uint64_t*>(in);
  auto* b = static_cast<uint64_t*>(in_out);
  for (int i = 0; i < *count; ++i) b[i] = choose(a[i], b[i]);
}
void lower(void* in, void* in_out, int* count, MPI_Datatype*) {
  combine(in, in_out, count,
          [](uint64_t a, uint64_t b) { return std::min(a, b); });
}
void higher(void* in, void* in_out, int* count, MPI_Datatype*) {
  combine(in, in_out, count,
          [](uint64_t a, uint64_t b) { return std::max(a, b); });
}

// An MPI operation that lives for one reduction.
class Operation {
 public:
  explicit Operation(Reduction reduction) : own_(reduction != Reduction::kSum) {
    MpiLock lock;
    if (own_)
      MPI_Op_create(reduction == Reduction::kMin ? lower : higher,
                    /*commute=*/1, &op_);
  }
  ~Operation() {
    MpiLock lock;
    if (own_) MPI_Op_free(&op_);
  }
  Operation(const Operation&) = delete;
  Operation& operator=(const Operation&) = delete;
  MPI_Op op() const { return op_; }

 private:
  const bool own_;
  MPI_Op op_ = MPI_SUM;
};

}  // namespace

void barrier() {
  internal::require_collective("rma::barrier");
  const ActivityScope scope(*self().status, Activity::kCollective);
  MPI_Request request;
  {
    MpiLock lock;
    MPI_Ibarrier(job.world, &request);
  }
  mpi::wait(&request);
}

void broadcast(void* data, size_t bytes, int root) {
  internal::require_collective("rma::broadcast");
  const ActivityScope scope(*self().status, Activity::kCollective);
  auto* at = static_cast<std::byte*>(data);
  for (size_t done = 0; done < bytes; done += kPiece) {
    MPI_Request request;
    {
      MpiLock lock;
      MPI_Ibcast(at + done, static_cast<int>(std::min(bytes - done, kPiece)),
                 MPI_BYTE, root, job.world, &request);
    }
    mpi::wait(&request);
  }
}

void reduce(uint64_t* values, size_t count, Reduction reduction) {
  internal::require_collective("rma::reduce");
  const ActivityScope scope(*self().status, Activity::kCollective);
  const Operation operation(reduction);
  for (size_t done = 0; done < count; done += kPiece) {
    MPI_Request request;
    {
      MpiLock lock;
      MPI_Iallreduce(MPI_IN_PLACE, values + done,
                     static_cast<int>(std::min(count - done, kPiece)),
                     MPI_UINT64_T, operation.op(), job.world, &request);
    }
    mpi::wait(&request);
  }
}

}  // namespace magpie::rma
