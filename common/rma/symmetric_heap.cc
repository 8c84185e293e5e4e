#include "common/rma/symmetric_heap.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "common/rma/machine.h"
#include "common/rma/outside.h"

namespace magpie::rma {
namespace internal {

// --------------------------------------------------------------------- objects

bool HeapObjects::find(uint64_t offset, size_t bytes) const {
  const auto after = std::upper_bound(
      objects_.begin(), objects_.end(), offset,
      [](uint64_t at, const Object& object) { return at < object.begin; });
  if (after == objects_.begin()) return false;
  last_ = *std::prev(after);
  return within(last_, offset, bytes);
}

std::string HeapObjects::describe(uint64_t offset, size_t bytes) const {
  if (offset > segment_bytes_ || bytes > segment_bytes_ - offset)
    return "are outside the segment";
  const auto after = std::upper_bound(
      objects_.begin(), objects_.end(), offset,
      [](uint64_t at, const Object& object) { return at < object.begin; });
  const auto words = [](const Object& object) {
    return absl::StrCat("an object of ", object.end - object.begin, " bytes");
  };
  if (after != objects_.begin()) {
    const Object& before = *std::prev(after);
    if (offset < before.end)
      return absl::StrCat("reach ", offset + bytes - before.end,
                          " bytes beyond the end of ", words(before));
    if (after == objects_.end() || offset - before.end < after->begin - offset)
      return absl::StrCat("begin ", offset - before.end,
                          " bytes beyond the end of ", words(before));
  }
  if (after == objects_.end()) return "are in no object";
  return absl::StrCat("begin ", after->begin - offset, " bytes before ",
                      words(*after));
}

// -------------------------------------------------------------------- the heap

// The next gap. On a simulated network each of a great many ranks touches a
// page or more of its heap; smaller gaps keep it from touching many more.
size_t SymmetricHeap::next_gap() const {
  constexpr int kManyRanks = 1024;
  const size_t gap = self().ranks_in_process > kManyRanks ? 16 : 64;
  return gaps_ + gap <= gap_bytes() ? gap : 0;
}

size_t SymmetricHeap::take(size_t bytes, size_t align) {
  const size_t begin = round_up(used_, align);
  const size_t end = share_words_ != nullptr ? share_end_ : end_;
  if (begin > end || bytes > end - begin) refuse(bytes);
  used_ = begin + bytes;
  // FNV-1a's step, on words.
  for (uint64_t word : {bytes, align})
    fingerprint_ = (fingerprint_ ^ (word + 1)) * 0x100000001b3;
  const size_t gap = next_gap();
  if (objects_ != nullptr && count_ == objects_->size())
    objects_->add(self().region_bytes + begin, bytes, gap);
  ++count_;
  gaps_ += gap;
  used_ += gap;
  end_ += gap;
  share_end_ += gap;
  return begin;
}

void SymmetricHeap::begin_share(size_t bytes, const char* words) {
  share_end_ = used_ + std::min(bytes, end_ - used_);
  share_words_ = words;
  taken_before_ = used_ - gaps_;
}

void SymmetricHeap::refuse(size_t bytes) const {
  const size_t end = share_words_ != nullptr ? share_end_ : end_;
  const size_t left = end - std::min(used_, end);
  if (share_words_ != nullptr)
    fatal(absl::StrCat(share_words_, ": ", bytes, " bytes asked for, ", left,
                       " left"));
  fatal(absl::StrCat("the symmetric heap is full: ", bytes,
                     " bytes asked for, ", left, " of ", end_ - gaps_,
                     " left"));
}

// ------------------------------------------------------------------ operations

void refuse_access(const char* operation, int rank, uint64_t offset,
                   size_t bytes, const HeapObjects& objects) {
  require_run(operation);
  const Self& me = self();
  const bool in_region = offset < me.region_bytes;
  std::string why;
  if (rank < 0 || rank >= me.size)
    why = absl::StrCat("there are ranks 0 to ", me.size - 1);
  else if (in_region)
    why = "the bytes there reach beyond the region";
  else
    why = absl::StrCat("the bytes there ", objects.describe(offset, bytes));
  fatal(absl::StrCat(operation, " of ", bytes, " bytes at ",
                     in_region ? "region" : "heap", "+0x",
                     absl::Hex(offset - (in_region ? 0 : me.region_bytes)),
                     " of rank ", rank, ": ", why));
}

}  // namespace internal

RemotePtr<std::byte> allocate_bytes(size_t bytes, size_t align) {
  internal::require_collective("rma::allocate");
  return {rank(),
          self().region_bytes + internal::own_heap().take(bytes, align)};
}

HeapShare::HeapShare(size_t bytes, const char* words) {
  internal::own_heap().begin_share(bytes, words);
}
HeapShare::~HeapShare() { internal::own_heap().end_share(); }

void require_symmetry(const char* who) {
  const internal::SymmetricHeap& heap = internal::own_heap();
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

}  // namespace magpie::rma
