// When have all tasks of a run been executed? Bookkeeping by loot alone.
//
// A place is *inactive* when it has no task, runs none, and takes part in no
// steal. Only what others send can wake it: loot on a lifeline, and tasks that
// were added for it. These are counted, for each place that they are sent to:
// the sender counts one more before it sends, the receiver one less when it has
// them. Tasks that a place takes away from others by itself are not counted: it
// is active meanwhile.
//
// A place that becomes inactive reports its counts to place 0, which adds them
// up. The run is over when all sums are 0 and place 0 is inactive itself.
//
// Why that is right: suppose that all sums are 0, and that some place was woken
// after its last report that place 0 has added to its end. Let e be the first
// such receipt, at place i.
//   - Its sender had not been woken after its own last report, since e is
//     the first. So it sent before that, and the report has counted the send.
//   - e itself was counted by nobody: of i's next report at most the beginning
//     was added, which tells of no receipts.
//   - Every receipt at i that was counted came before e, and for the same
//     reason the report of its sender has counted the send.
// So the sum for i is at least 1, and not 0. Hence no place was woken after its
// last report, and all are inactive.
//
// The counts of each place matter, and not one number for all: of places that
// have reported at different times some sums can be too small while others are
// too large.
//
// Source: hybrid_glb_apgas18 §4.2. There whole arrays are sent, of all counts
// since the start; here the changes since the last report, of the places that
// there are changes for.
//
// Thread safety: an instance belongs to a place's manager. Invariants:
//   1. A report says what has changed since the one before, as of one moment at
//      which the place was inactive.
//   2. Reports of one place come in their order, and of each the place's own
//      count, which tells of its receipts, comes last.

#ifndef MAGPIE_IMPL_GLB_LIFELINE_STEAL_COUNTS_H_
#define MAGPIE_IMPL_GLB_LIFELINE_STEAL_COUNTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>

#include "common/rma/rma.h"
#include "common/run/costs.h"
#include "common/stealing/inbox.h"

namespace magpie::glb {

// Counts by place; those that are 0 are left out.
class Counts {
 public:
  void add(int place, int64_t change) {
    const auto at = counts_.try_emplace(place, 0).first;
    at->second += change;
    if (at->second == 0) counts_.erase(at);
  }
  int64_t of(int place) const {
    const auto at = counts_.find(place);
    return at == counts_.end() ? 0 : at->second;
  }
  bool all_zero() const { return counts_.empty(); }
  void clear() { counts_.clear(); }

  auto begin() const { return counts_.begin(); }
  auto end() const { return counts_.end(); }
  size_t size() const { return counts_.size(); }

 private:
  std::map<int, int64_t> counts_;
};

// Counts on their way from one rank to another, in as many parts as they need.
class CountsInbox {
  struct Change {
    int64_t place, change;
  };
  using Part = std::array<Change, 7>;
  using Parts = Inbox<Part>;

 public:
  // Number of parts that there is room for.
  static constexpr size_t kCapacity = 64;

  // Collective.
  CountsInbox() : parts_(kCapacity) {}

  static size_t heap_bytes() { return Parts::heap_bytes(kCapacity); }

  // Sends counts to `rank`, that of the place `last` after all others, in the
  // order of the calls, as soon as there is room. Cost: that of Inbox::send for
  // each part.
  void send(int rank, const Counts& counts, int last) {
    Part part = {};
    size_t changes = 0;
    for (const auto& [place, change] : counts) {
      if (place == last) continue;
      part[changes++] = {place, change};
      if (changes < part.size()) continue;
      parts_.send(rank, part);
      part = {};
      changes = 0;
    }
    part[changes] = {last, counts.of(last)};
    parts_.send(rank, part);
  }
  // Number of parts that wait for room. Cost: none.
  size_t unsent() const { return parts_.unsent(); }
  // Sends what waits for room, as far as there is. True: all was sent. Cost:
  // that of Inbox::settle for each part.
  bool settle() {
    return parts_.settle([](int) {});
  }

  // Adds to *sums all that has come. Cost: none. It counts as work:
  // thousands of reports may take longer than a simulator's patience with ranks
  // that only poll.
  void collect(Counts* sums) {
    Part part;
    while (parts_.take(&part)) {
      rma::charge(cost::kCopyByte, sizeof(Part));
      for (const Change& c : part)
        sums->add(static_cast<int>(c.place), c.change);
    }
  }

 private:
  Parts parts_;
};

}  // namespace magpie::glb

#endif  // MAGPIE_IMPL_GLB_LIFELINE_STEAL_COUNTS_H_
