// Shared memory of the job, and the symmetric heap.

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"
#include "common/rma/memory_limit.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"
#include "common/rma/symmetric_heap.h"

namespace magpie::rma {
namespace shm {
namespace {

int shared_file = -1;

using internal::page_bytes;
using internal::round_up;

size_t control_bytes() { return round_up(sizeof(Control), page_bytes()); }

std::byte* map(void* at, size_t bytes, size_t file_offset, int protection) {
  const int fixed = at != nullptr ? MAP_FIXED_NOREPLACE : 0;
  void* p = mmap(at, bytes, protection, MAP_SHARED | fixed, shared_file,
                 static_cast<off_t>(file_offset));
  if (p == MAP_FAILED || (at != nullptr && p != at)) {
    flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot map ", bytes,
                            " bytes of shared memory: ", std::strerror(errno),
                            "; fewer ranks or smaller segments need less"));
  }
  return static_cast<std::byte*>(p);
}

}  // namespace

void create_shared_memory(size_t segment_bytes) {
  job.segment_bytes = segment_bytes;
  job.stride = round_up(segment_bytes, page_bytes());
  const uint64_t total =
      control_bytes() + static_cast<uint64_t>(job.ranks) * job.stride;
  const uint64_t available = internal::available_memory();
  if (total > available) {
    flags::die(absl::StrCat(
        "--ranks=", job.ranks, ": ", job.ranks, " segments of ",
        job.stride >> 10, " KiB need ", total >> 20,
        " MiB of memory, available are ", available >> 20,
        " MiB, enough for --ranks=", available / (job.stride + 1)));
  }
  shared_file = memfd_create("magpie", MFD_CLOEXEC);
  if (shared_file < 0 ||
      ftruncate(shared_file, static_cast<off_t>(total)) != 0) {
    flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot create ", total,
                            " bytes of shared memory: ", std::strerror(errno)));
  }
  // A new file is zero, which is what every member of Control starts as.
  job.control = reinterpret_cast<Control*>(
      map(nullptr, control_bytes(), 0, PROT_READ | PROT_WRITE));
}

void map_segments() {
  const size_t own = control_bytes() + static_cast<size_t>(rank()) * job.stride;
  if (job.stride > 0) {
    map(reinterpret_cast<void*>(kOwnSegment), job.stride, own,
        PROT_READ | PROT_WRITE);
    map(reinterpret_cast<void*>(kPeers),
        static_cast<size_t>(job.ranks) * job.stride, control_bytes(),
        job.guard ? PROT_NONE : PROT_READ | PROT_WRITE);
  }
  close(shared_file);
}

}  // namespace shm

RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align) {
  shm::Job& job = shm::job;
  return internal::take_from_heap(job.segment_bytes - self().region_bytes,
                                  &job.heap_used, bytes, align);
}

}  // namespace magpie::rma
