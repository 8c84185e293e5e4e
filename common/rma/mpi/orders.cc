// Runs after the first: MPI has been started once, and the ranks other than 0
// never return from the first launch(). Between runs they wait for rank 0,
// whose program goes on.

#include <cstdlib>
#include <new>

#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

// Alignment that a run's argument may need, as malloc's.
constexpr size_t kArgumentAlign = 16;

void send(Order* order) {
  MPI_Request request;
  MPI_Ibcast(order, sizeof(*order), MPI_BYTE, 0, job.world, &request);
  // Other ranks wait for as long as rank 0 does other things.
  if (rank() == 0) {
    wait(&request);
  } else {
    wait_asleep(&request);
  }
}

}  // namespace

void give_order(const SegmentLayout& layout, int (*rank_main)(void* arg),
                void* arg, size_t arg_bytes) {
  Order order = {rank_main, layout, arg_bytes, job.options};
  send(&order);
  broadcast(arg, arg_bytes, 0);
}

void give_order_to_end() {
  Order order = {};
  send(&order);
}

void obey_orders(int (*run)(const SegmentLayout& layout,
                            int (*rank_main)(void* arg), void* arg),
                 int status) {
  for (;;) {
    // The process is still a rank, though of no run.
    backend::current = &job.self;
    Order order;
    send(&order);
    if (order.rank_main == nullptr) break;
    job.options = order.options;
    const std::align_val_t align{kArgumentAlign};
    void* const arg =
        order.arg_bytes > 0 ? operator new(order.arg_bytes, align) : nullptr;
    broadcast(arg, order.arg_bytes, 0);
    const int result = run(order.layout, order.rank_main, arg);
    if (status == 0) status = result;
    operator delete(arg, align);
  }
  shut_down();
  std::exit(status);
}

}  // namespace magpie::rma::mpi
