// Shared memory of the job.

#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/rma/machine.h"
#include "common/rma/rma.h"
#include "common/rma/shm/job.h"

namespace magpie::rma {
namespace shm {
namespace {

int shared_file = -1;

using internal::page_bytes;
using internal::round_up;

void* map(void* at, size_t bytes, int file, size_t file_offset) {
  const int flags = MAP_SHARED | (at != nullptr ? MAP_FIXED_NOREPLACE : 0) |
                    (file < 0 ? MAP_ANONYMOUS : 0);
  void* p = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, file,
                 static_cast<off_t>(file_offset));
  if (p == MAP_FAILED || (at != nullptr && p != at)) {
    fatal(absl::StrCat("--ranks=", job.ranks, ": cannot map ", bytes,
                       " bytes of shared memory: ", std::strerror(errno),
                       "; fewer ranks or smaller segments need less"),
          2);
  }
  return p;
}

size_t all_segments() { return static_cast<size_t>(job.ranks) * job.stride; }

}  // namespace

void lay_out(const SegmentLayout& layout) {
  job.stride = round_up(internal::segment_bytes(layout), page_bytes());
}

void create_shared_memory(const Order& order) {
  lay_out(order.layout);
  const std::string words =
      internal::too_much_memory(job.ranks, job.ranks, job.stride);
  if (!words.empty()) flags::die(words);
  if (shared_file < 0) shared_file = memfd_create("magpie", MFD_CLOEXEC);
  const size_t bytes = all_segments() + order.arg_bytes;
  // A limit of files holds for this memory, too: its signal would end the
  // process without words.
  const auto before = signal(SIGXFSZ, SIG_IGN);
  const bool is_there =
      shared_file >= 0 &&
      ftruncate(shared_file, static_cast<off_t>(bytes)) == 0 &&
      pwrite(shared_file, order.arg, order.arg_bytes,
             static_cast<off_t>(all_segments())) >= 0;
  signal(SIGXFSZ, before);
  if (!is_there) {
    flags::die(absl::StrCat("--ranks=", job.ranks, ": cannot create ", bytes,
                            " bytes of shared memory: ", std::strerror(errno),
                            errno == EFBIG ? " (ulimit -f)" : ""));
  }
  // New pages are zero, as is every member at first.
  if (job.control == nullptr) {
    job.control = static_cast<Control*>(
        map(nullptr, round_up(sizeof(Control), page_bytes()), -1, 0));
  }
  job.control->order = order;
}

void* copy_of_argument() {
  const Order& order = job.control->order;
  if (order.arg_bytes == 0) return nullptr;
  void* const arg = std::malloc(order.arg_bytes);
  if (pread(shared_file, arg, order.arg_bytes,
            static_cast<off_t>(all_segments())) < 0)
    fatal("cannot read the argument of a run");
  return arg;
}

void map_segments() {
  if (job.stride > 0) {
    map(reinterpret_cast<void*>(kOwnSegment), job.stride, shared_file,
        static_cast<size_t>(rank()) * job.stride);
    map(reinterpret_cast<void*>(kPeers), all_segments(), shared_file, 0);
    // A rank's own segment is in the core dump of its process.
    madvise(reinterpret_cast<void*>(kPeers), all_segments(), MADV_DONTDUMP);
  }
}

void unmap_segments() {
  if (job.stride == 0) return;
  munmap(reinterpret_cast<void*>(kOwnSegment), job.stride);
  munmap(reinterpret_cast<void*>(kPeers), all_segments());
}

void free_segments() {
  if (ftruncate(shared_file, 0) != 0) {
    // The next run's memory takes their place.
  }
}

}  // namespace shm
}  // namespace magpie::rma
