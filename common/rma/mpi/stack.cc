#include "common/rma/mpi/stack.h"

#include <errno.h>
#include <sys/mman.h>

#include <cstring>

#include "absl/strings/str_cat.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {

std::byte* stack = nullptr;

void make_stack() {
  // Accesses to the gap below the stack fault.
  constexpr size_t kGap = 1 << 20;
  void* const memory = mmap(nullptr, kGap + kStackBytes, PROT_NONE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  std::byte* const low = static_cast<std::byte*>(memory) + kGap;
  if (memory == MAP_FAILED ||
      mprotect(low, kStackBytes, PROT_READ | PROT_WRITE) != 0)
    end_job(absl::StrCat("no stack for MPI: ", std::strerror(errno)), 1);
  stack = low;
}

}  // namespace magpie::rma::mpi
