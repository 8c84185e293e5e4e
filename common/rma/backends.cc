#include "common/rma/backends.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"
#include "common/rma/addresses.h"
#include "common/rma/machine.h"

namespace magpie::rma {
namespace internal {

Self nobody = {.rank = -1,
               .region = reinterpret_cast<std::byte*>(kNobodysAddress),
               .heap_origin = reinterpret_cast<std::byte*>(kNobodysAddress),
               .counters = {},
               .task_stacks = {}};

void require_run(const char* function) {
  if (!is_outside_run()) return;
  fatal(
      absl::StrCat(function, " was called outside a run: there are no ranks"));
}

void require_collective(const char* function) {
  require_run(function);
  if (self().refuses_collectives != nullptr)
    fatal(absl::StrCat(function, " was called ", self().refuses_collectives));
}

void refuse_nested_run() {
  if (is_outside_run()) return;
  fatal(
      "a run was started within a run: runs do not nest, one after the other "
      "is fine");
}

void refuse_launcher() {
  const flags::Launched launched = flags::launched();
  if (launched.processes <= 1) return;
  flags::die(absl::StrCat(
      "a launcher started ", launched.processes, " processes (",
      launched.variable,
      "), each of which would run the whole job: this program is "
      "linked with //common/rma:",
      kBackend.name,
      ", which starts its ranks itself (--ranks). Start it without the "
      "launcher, or link //common/rma:mpi; if each is to be a job by itself: ",
      flags::kLauncherVariable, "=", flags::kNoLauncher));
}

void require_bytes(const void* arg, size_t arg_bytes, int ranks) {
  if (arg == nullptr || arg_bytes > 0 || ranks == 1) return;
  fatal(
      "rma::launch: after the first run of a process, other ranks get the "
      "argument by its bytes: arg_bytes must not be 0");
}

[[gnu::section("magpie_own")]] RankStatus unwatched;

// ------------------------------------------------------- the symmetric heap

[[gnu::section("magpie_own")]] std::map<uint64_t, uint64_t> heap_objects;

size_t SymmetricHeap::take(size_t bytes, size_t align) {
  const size_t begin = round_up(used_, align);
  const size_t end = share_words_ != nullptr ? share_end_ : end_;
  if (begin > end || bytes > end - begin) {
    const size_t left = end - std::min(used_, end);
    const std::string words = absl::StrCat(
        share_words_ != nullptr ? share_words_ : "the symmetric heap is full",
        ": ", bytes, " bytes asked for, ", left);
    fatal(share_words_ != nullptr
              ? words + " left"
              : absl::StrCat(words, " of ", end_ - gaps_, " left"));
  }
  // FNV-1a's step, on words.
  for (uint64_t word : {bytes, align})
    fingerprint_ = (fingerprint_ ^ (word + 1)) * 0x100000001b3;
  const uint64_t offset = self().region_bytes + begin;
  if (checks_are_active() && bytes > 0)
    heap_objects.emplace(offset, offset + bytes);
  const size_t gap = gaps_ + kGap <= gap_bytes() ? kGap : 0;
  used_ = begin + bytes + gap;
  gaps_ += gap;
  end_ += gap;
  share_end_ += gap;
  return begin;
}

void SymmetricHeap::begin_share(size_t bytes, const char* words) {
  share_end_ = used_ + std::min(bytes, end_ - used_);
  share_words_ = words;
  taken_before_ = used_ - gaps_;
}

SegmentLayout with_aligned_heap(SegmentLayout layout) {
  layout.region_bytes =
      round_up(std::min<size_t>(layout.region_bytes, kTooManyBytes), 64);
  return layout;
}

uint64_t segment_bytes(const SegmentLayout& layout) {
  constexpr uint64_t kMost = kTooManyBytes;
  return std::min(kMost, std::min<uint64_t>(layout.region_bytes, kMost) +
                             std::min<uint64_t>(layout.heap_bytes, kMost) +
                             gap_bytes());
}

std::string too_much_memory(int ranks, int here, uint64_t segment_bytes) {
  const uint64_t available = available_memory();
  const auto n = static_cast<uint64_t>(here);
  if (segment_bytes <= available / n) return {};
  const uint64_t fit = available / segment_bytes;
  return absl::StrCat(
      "--ranks=", ranks, ": segments of ", segment_bytes >> 10, " KiB for ", n,
      " ranks of this machine need ", (n * (segment_bytes >> 10)) >> 10,
      " MiB of memory, available are ", available >> 20, " MiB; ",
      fit > 0 ? absl::StrCat("at most ", fit, " ranks fit, more with ")
              : "none fits; use ",
      "smaller segments (flags that end in _bytes, --trace_events)");
}

namespace {

// Says where bytes of the heap lie that are not within one object.
std::string describe(uint64_t offset, size_t bytes) {
  const uint64_t end = self().region_bytes + self().heap.end();
  if (offset > end || bytes > end - offset) return "are outside the segment";
  const auto after = heap_objects.upper_bound(offset);
  if (after == heap_objects.begin()) return "are in no object";
  const auto [its_begin, its_end] = *std::prev(after);
  return absl::StrCat(
      offset < its_end ? absl::StrCat("reach ", offset + bytes - its_end)
                       : absl::StrCat("begin ", offset - its_end),
      " bytes beyond the end of an object of ", its_end - its_begin, " bytes");
}

}  // namespace

void refuse_access(const char* operation, int rank, uint64_t offset,
                   size_t bytes) {
  require_run(operation);
  const Self& me = self();
  const bool in_region = offset < me.region_bytes;
  std::string why;
  if (rank < 0 || rank >= me.size)
    why = absl::StrCat("there are ranks 0 to ", me.size - 1);
  else if (in_region)
    why = "the bytes there reach beyond the region";
  else
    why = absl::StrCat("the bytes there ", describe(offset, bytes));
  fatal(absl::StrCat(operation, " of ", bytes, " bytes at ",
                     in_region ? "region" : "heap", "+0x",
                     absl::Hex(offset - (in_region ? 0 : me.region_bytes)),
                     " of rank ", rank, ": ", why));
}

}  // namespace internal

SizeIsKnown::SizeIsKnown() { internal::nobody.size = ranks_to_launch(); }
SizeIsKnown::~SizeIsKnown() { internal::nobody.size = 0; }

RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align,
                                    const char* name) {
  internal::require_collective("rma::allocate");
  const uint64_t offset = self().region_bytes + self().heap.take(bytes, align);
  if (name != nullptr) name_bytes(offset, bytes, 1, name);
  return {rank(), offset};
}

HeapShare::HeapShare(size_t bytes, const char* words) {
  self().heap.begin_share(bytes, words);
}
HeapShare::~HeapShare() { self().heap.end_share(); }

void require_symmetry(const char* who) {
  const internal::SymmetricHeap& heap = self().heap;
  const uint64_t mine[] = {heap.taken(), heap.fingerprint()};
  // The maximum of each, and that of its complement, which gives the minimum.
  uint64_t most[] = {mine[0], ~mine[0], mine[1], ~mine[1]};
  reduce(most, std::size(most), Reduction::kMax);
  if (most[0] == ~most[1] && most[2] == ~most[3]) return;
  if (rank() == 0) {
    fatal(absl::StrCat(
        who, " has allocated otherwise on rank 0 than on another rank, ",
        most[0] == ~most[1]
            ? absl::StrCat(most[0], " bytes in all on each")
            : absl::StrCat("from ", ~most[1], " to ", most[0], " bytes in all"),
        ": rma::allocate is to be called with the same arguments, in the same "
        "order, on every rank"));
  }
  barrier();  // rank 0 ends the job
}

namespace backend {
[[gnu::section("magpie_own")]] Self* current = &internal::nobody;
}

}  // namespace magpie::rma

namespace magpie::internal {

void check_failed(const char* words, const char* file, int line) {
  rma::fatal(absl::StrCat("broken rule: ", words, " (", file, ":", line, ")"));
}

}  // namespace magpie::internal
