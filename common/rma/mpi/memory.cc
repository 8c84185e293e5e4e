// The segments, one MPI window whose memory every rank sees at one address.
// README.md says how (--mpi_memory): components that share memory between ranks
// need memory of MPI's own for their fast paths.

#include <sys/mman.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/addresses.h"
#include "common/rma/machine.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

using internal::page_bytes;
using internal::round_up;

size_t mapped_bytes() { return round_up(job.segment_bytes, page_bytes()); }

// --------------------------------------------------------------- fixed address

// Maps the segment inaccessible, with one page more below it: the guard of the
// region.
void reserve() {
  auto* const wanted =
      reinterpret_cast<void*>(internal::kRegionAddress - page_bytes());
  void* const p = mmap(
      wanted, page_bytes() + mapped_bytes(), PROT_NONE,
      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == wanted) return;
  fatal(absl::StrCat(
            "no ", mapped_bytes() >> 20, " MiB of address space are free at 0x",
            absl::Hex(internal::kRegionAddress), ": ", std::strerror(errno)),
        2);
}

// Maps memory of this process alone in the segment's place.
void map_plain_memory(std::byte* at, int protection) {
  if (mmap(at, mapped_bytes(), protection,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
           0) == at)
    return;
  fatal(absl::StrCat("cannot map ", mapped_bytes() >> 20,
                     " MiB: ", std::strerror(errno)),
        2);
}

// ----------------------------------------------------------------------- alias

// The file behind a mapping; empty for anonymous memory.
std::string file_behind(const void* address) {
  const auto a = reinterpret_cast<uintptr_t>(address);
  for (const internal::Mapping& mapping : internal::mappings()) {
    if (mapping.begin <= a && a < mapping.end) return mapping.path;
  }
  return {};
}

// Bytes that are free in the file system of a folder; UINT64_MAX: it is not
// known.
uint64_t free_in(const std::string& folder) {
  struct statvfs info;
  if (statvfs(folder.c_str(), &info) != 0) return UINT64_MAX;
  return static_cast<uint64_t>(info.f_bavail) * info.f_frsize;
}

// Bytes that the windows of this node's ranks take of their file system: each
// also takes one page more, and the component keeps some for itself.
uint64_t backing_bytes() {
  constexpr uint64_t kOfComponent = 64 << 10;
  return static_cast<uint64_t>(job.node_ranks) *
         (mapped_bytes() + page_bytes() + kOfComponent);
}

// Whether there is room for the window of MPI_Win_allocate where it would lie.
// Checked before, since Open MPI's osc/sm finds out on one rank only, for which
// the others wait for ever; a file that is too large would kill, by SIGBUS, a
// rank that touches it.
bool backing_has_room() {
  const char* const told = getenv("OMPI_MCA_osc_sm_backing_directory");
  const char* const folder = told != nullptr ? told : "/dev/shm";
  const uint64_t bytes = free_in(folder);
  // A rank that is alone on its node shares nothing there.
  const bool has_room = job.node_ranks == 1 || bytes >= backing_bytes();
  if (!has_room && job.node_index == 0) {
    std::fprintf(
        stderr,
        "magpie: %s has %llu MiB free, and the memory of %d ranks takes %llu: "
        "it comes from elsewhere, and operations may be slower (containers: "
        "docker run --shm-size)\n",
        folder, static_cast<unsigned long long>(bytes >> 20), job.node_ranks,
        static_cast<unsigned long long>((backing_bytes() >> 20) + 1));
  }
  return everywhere(has_room);
}

// Whether there was room in the file system where the window lies.
bool backing_holds(const std::string& file) {
  const size_t end = file.rfind('/');
  if (end == std::string::npos || end == 0)
    return true;  // no file system of its own
  return free_in(file.substr(0, end)) >=
         static_cast<uint64_t>(job.node_ranks) * mapped_bytes();
}

// Maps the pages at `from` a second time, at `to`. An old size of 0 makes
// mremap duplicate a shared mapping; it refuses private ones. Made by a system
// call, since UCX replaces the C library's mremap by one that forgets the new
// address: the pages would be mapped at address 0.
bool map_twice(std::byte* from, std::byte* to) {
  const long mapped = syscall(SYS_mremap, from, size_t{0}, mapped_bytes(),
                              MREMAP_MAYMOVE | MREMAP_FIXED, to);
  return mapped == static_cast<long>(reinterpret_cast<intptr_t>(to));
}

// Zeroes the pages that MPI may have touched; others are zero.
void zero_resident_pages(std::byte* begin) {
  const size_t page = page_bytes();
  std::vector<unsigned char> resident(mapped_bytes() / page, 1);
  // When it fails, all count as resident.
  mincore(begin, mapped_bytes(), resident.data());
  for (size_t i = 0; i < resident.size(); ++i) {
    if ((resident[i] & 1) != 0) std::memset(begin + i * page, 0, page);
  }
}

// Returns one distance from the start of every rank's window memory to a page,
// or -1. It is the same for all, so that remote addresses need no table.
int64_t agree_on_displacement(const std::byte* base) {
  const uint64_t in_page = reinterpret_cast<uintptr_t>(base) % page_bytes();
  uint64_t lowest = in_page, highest = in_page;
  reduce(&lowest, 1, Reduction::kMin);
  reduce(&highest, 1, Reduction::kMax);
  if (lowest != highest) return -1;
  return static_cast<int64_t>(round_up(in_page, page_bytes()) - in_page);
}

// Makes an alias on all ranks; where one fails, leaves the segment unmapped
// (inaccessible) on all.
bool try_alias(std::byte* at, MPI_Info info) {
  std::byte* base = nullptr;
  const auto bytes = static_cast<MPI_Aint>(mapped_bytes() + page_bytes());
  const bool allocated =
      MPI_Win_allocate(bytes, 1, info, job.world, static_cast<void*>(&base),
                       &job.window) == MPI_SUCCESS;
  if (!everywhere(allocated)) {
    job.window = MPI_WIN_NULL;
    return false;
  }
  const int64_t displacement = agree_on_displacement(base);
  job.backing = file_behind(base + page_bytes());
  const bool works = displacement >= 0 && backing_holds(job.backing) &&
                     map_twice(base + displacement, at);
  if (everywhere(works)) {
    job.displacement = displacement;
    zero_resident_pages(at);
    return true;
  }
  map_plain_memory(at, PROT_NONE);
  MPI_Win_free(&job.window);
  job.backing.clear();
  return false;
}

// ---------------------------------------------------------------------- create

// Makes a window over memory at `at`.
void create_over(std::byte* at, MPI_Info info) {
  map_plain_memory(at, PROT_READ | PROT_WRITE);
  const int code = MPI_Win_create(at, static_cast<MPI_Aint>(mapped_bytes()), 1,
                                  info, job.world, &job.window);
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING];
  int length;
  MPI_Error_string(code, text, &length);
  fatal(absl::StrCat("this MPI, as it is configured, makes no window over "
                     "given memory: ",
                     text, " (Open MPI: mpirun --mca osc ",
                     open_mpi_version() < 5 ? "pt2pt" : "rdma",
                     " --mca pml ob1 works over any network)"),
        2);
}

// ------------------------------------------------------------------- self-test

constexpr int kRounds = 64;

// Every rank puts to the next one, and gets what that rank has stored itself.
void require_data() {
  const int next = (rank() + 1) % size();
  const uint64_t offset = scratch_offset() + offsetof(Scratch, seen);
  const auto signature = [](int r) {
    return 0x9e3779b97f4a7c15 * static_cast<uint64_t>(r + 1);
  };

  own_scratch()->seen.store(signature(rank()));
  barrier();
  uint64_t got = 0;
  backend::get(next, offset, &got, sizeof(got));
  if (got != signature(next))
    fatal(absl::StrCat("self-test of this MPI failed: a get from rank ", next,
                       " did not see its memory"),
          2);
  barrier();
  const uint64_t sent = ~signature(next);
  backend::put(next, offset, &sent, sizeof(sent));
  backend::flush(kAllRanks);
  barrier();
  if (own_scratch()->seen.load() != ~signature(rank()))
    fatal(
        "self-test of this MPI failed: a put into this rank's memory was not "
        "seen",
        2);
}

// Everybody adds to one word and takes its value away by swaps: nothing may get
// lost, though MPI promises atomicity only among operations of one kind.
// REQUIRES: the scratch is zero.
void require_atomics() {
  barrier();
  const uint64_t offset = scratch_offset() + offsetof(Scratch, total);
  uint64_t found = 0;
  for (int i = 0; i < kRounds; ++i) {
    backend::fetch_add(0, offset, 2);
    if (i % 2 == 0) found += backend::swap(0, offset, 0);
  }
  backend::flush(kAllRanks);
  barrier();
  if (rank() == 0) found += backend::swap(0, offset, 0);
  reduce(&found, 1, Reduction::kSum);
  if (found == uint64_t{2} * kRounds * static_cast<uint64_t>(size())) return;
  fatal(
      "atomics of different kinds on one word are not atomic against each "
      "other with this MPI (Open MPI: mpirun --mca "
      "osc_ucx_acc_single_intrinsic 0 --mca osc_rdma_acc_single_intrinsic 0)",
      2);
}

// ------------------------------------------------------------------------- all

void require_unified_memory() {
  int* model = nullptr;
  int found = 0;
  MPI_Win_get_attr(job.window, MPI_WIN_MODEL, static_cast<void*>(&model),
                   &found);
  if (found != 0 && *model == MPI_WIN_UNIFIED) return;
  fatal(
      "this MPI's windows do not have the unified memory model: remote and "
      "local accesses would see different copies",
      2);
}

void open_window(std::byte* at) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, "alloc_shared_noncontig", "true");
  MPI_Comm_set_errhandler(job.world, MPI_ERRORS_RETURN);
  job.aliased = job.options.memory != Memory::kCreate && backing_has_room() &&
                try_alias(at, info);
  if (!job.aliased && job.options.memory == Memory::kAlias) {
    fatal(
        "--mpi_memory=alias: the memory of MPI_Win_allocate cannot be mapped a "
        "second time here; must be auto or create",
        2);
  }
  if (!job.aliased) create_over(at, info);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, job.window);
  require_unified_memory();
  MPI_Comm_set_errhandler(job.world, MPI_ERRORS_ARE_FATAL);
  MPI_Info_free(&info);
}

void close_window() {
  if (job.window == MPI_WIN_NULL) return;
  MPI_Win_unlock_all(job.window);
  MPI_Win_free(&job.window);
  job.backing.clear();
  job.displacement = 0;
}

}  // namespace

void create_segments(const SegmentLayout& layout) {
  job.self.heap = internal::SymmetricHeap(layout.heap_bytes);
  job.segment_bytes =
      round_up(internal::segment_bytes(layout), 64) + sizeof(Scratch);
  const std::string words =
      internal::too_much_memory(size(), job.node_ranks, mapped_bytes());
  if (!words.empty()) fatal(words, 2);
  reserve();
  auto* const at = reinterpret_cast<std::byte*>(internal::kRegionAddress);
  job.self.region = at;
  job.self.region_bytes = layout.region_bytes;
  job.self.heap_origin = at;
  if (size() == 1) {
    map_plain_memory(at, PROT_READ | PROT_WRITE);
    return;
  }
  open_window(at);
  require_atomics();
  require_data();
}

void free_segments() {
  close_window();
  munmap(job.self.region - page_bytes(), page_bytes() + mapped_bytes());
}

}  // namespace magpie::rma::mpi
