// Steal damping: how a thief treats a victim that it found empty, so that
// attempts which find nothing cannot run the count in the stealval over.
//
// In full-mode a thief claims at once. A claim that fails, with at least
// threshold() attempts before it, puts the victim into empty-mode; there it is
// first looked at, and back in full-mode when there is something to claim.
//
// So in one allotment of s steals each thief makes at most one attempt beyond
// the first max(s, threshold) of them, and the count stays within
// max(s, threshold) + ranks: who has failed sees by looking that there is
// nothing, until the owner sets the stealval anew. Queues for which that does
// not fit into the field are refused (sws_queue.h).
//
// Source: icpp21 §4.3.

#ifndef MAGPIE_IMPL_SWS_QUEUE_DAMPING_H_
#define MAGPIE_IMPL_SWS_QUEUE_DAMPING_H_

#include <concepts>
#include <cstdint>
#include <unordered_set>

namespace magpie::sws_queue {

//   D::threshold(end)     How many attempts on an allotment put nobody into
//                         empty-mode; `end` is where their count begins again.
template <typename D>
concept StealDamping = requires(uint64_t end) {
  { D::threshold(end) } -> std::same_as<uint64_t>;
};

// Empty-mode from the first failure on.
struct Damped {
  static constexpr uint64_t threshold(uint64_t) { return 0; }
};
// Empty-mode as late as is safe: in practice never, with 24 bits after 8
// million attempts.
struct Undamped {
  static constexpr uint64_t threshold(uint64_t end) { return end / 2; }
};

// Which victims one thief has in empty-mode. Sparse.
class EmptyMode {
 public:
  bool has(int victim) const { return victims_.contains(victim); }
  void enter(int victim) { victims_.insert(victim); }
  void leave(int victim) { victims_.erase(victim); }

 private:
  std::unordered_set<int> victims_;
};

}  // namespace magpie::sws_queue

#endif  // MAGPIE_IMPL_SWS_QUEUE_DAMPING_H_
