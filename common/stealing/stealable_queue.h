// The concept of a stealable queue, so that THE, SDC, SWS and a queue of your
// own are interchangeable (one suite for all: stealable_queue_suite.h; the
// simplest of them: locked_deque.h).
//
//   queue.push(item);                 // its owner
//   if (const Item* item = queue.pop()) ...
//
//   queue.steal(queue.remote(victim),  // a thief
//               [&](std::span<const Item> taken) { ... });
//
// A queue has one instance on each rank. The owner works at one end; thieves
// take the oldest items at the other, over RMA.

#ifndef MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_H_
#define MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <list>
#include <span>
#include <type_traits>

namespace magpie {

// Outcome of an attempt to steal.
enum class Outcome : uint8_t {
  kTaken,
  kEmpty,  // the victim had nothing
  kBusy,   // somebody else is at the victim's queue: another try may succeed
};

struct QueueOptions {
  // Greatest number of items. Pushes beyond it are refused: see full().
  size_t capacity;
  // Whether a thief looks before it locks or claims, and leaves where it sees
  // nothing (jip16 §6.2): 1 get more where there is something, but a queue in
  // which there is nothing is not disturbed.
  bool empty_check = true;
};

// For a queue Q of Q::Item, which is trivially copyable:
//
//   Q(options)            Collective.
//   Q::heap_bytes(options)  Most bytes of the symmetric heap on each rank.
//
// The owner:
//   push(item)           Adds the youngest. REQUIRES: !full(). Cost: no
//                         operation, unless the class says otherwise.
//   pop()                 Takes the youngest, which keeps its place until the
//                         next push. Null: there is none.
//   empty(), full()       As the owner sees it: thieves may be about. full may
//                         reclaim what thieves have let go of. A queue may be
//                         both, as long as thieves still copy what it held.
//   quiesce()             Returns when no thief holds what was taken from here
//                         before: where the queue is empty, what any item
//                         stood for may be reused. Waits for thieves.
//   share()               Optional, of a queue that offers its items to thieves
//                         by and by: offers some, where none is offered and it
//                         can, as push and pop do, too. For owners that wait
//                         for thieves.
//   offer_all()           Beside share(): offers all items, or as many as it
//                         can. False: all were offered already, or none can be
//                         now.
//   push_all(items)       Optional, with room(), how many items fit: adds a
//                         thief's loot, oldest first. The owner offers none of
//                         it before its next push, pop or share.
// Thieves, at any time:
//   remote(rank)          Names the instance of `rank`.
//   steal(remote, take)   One attempt on any rank's instance, also the own one:
//                         takes the oldest items, how many is the queue's
//                         policy, and calls take(span of them) before the owner
//                         may reuse what they stand for. `take` may use the
//                         network, and neither waits for another rank nor
//                         leaves.
//                         Part of it may be on its way when it returns: the
//                         caller flushes the victim before it waits for anybody
//                         (rma.h).
//   offered(remote)       Optional: how many items thieves can take from an
//                         instance now. Cost: 1 get. A queue that has it
//                         reclaims in full() what thieves have let go of,
//                         without a pop: its owner may only push.
//
//   Q::kTakesOne          Optional: whether a steal takes one item at most.
//   Q::kMaxCapacity       Optional: its largest capacity. Above it the
//                         constructor prints an error and ends the job.
//
// Each item that is pushed is popped or taken exactly once. A thief finds one
// where there is any; of a queue with share(), where there was any at the
// owner's last push, pop or share, and no thief held another one then.
template <typename Q>
concept StealableQueue = std::is_trivially_copyable_v<typename Q::Item> &&
    std::constructible_from<Q, const QueueOptions&> &&
    requires(Q queue, const Q& seen, const typename Q::Item& item,
             typename Q::Remote remote, int rank, const QueueOptions& options,
             void (*take)(std::span<const typename Q::Item>)) {
  { Q::heap_bytes(options) } -> std::same_as<size_t>;
  { queue.push(item) } -> std::same_as<void>;
  { queue.pop() } -> std::same_as<const typename Q::Item*>;
  { seen.empty() } -> std::same_as<bool>;
  { queue.full() } -> std::same_as<bool>;
  { queue.quiesce() } -> std::same_as<void>;
  { seen.remote(rank) } -> std::same_as<typename Q::Remote>;
  { queue.steal(remote, take) } -> std::same_as<Outcome>;
};

// The fast paths of push and pop, optional member functions of a few
// instructions without a call or a wait. False: there is none, or it does not
// apply, as where a thief is about; nothing is changed. The push calls
// fill(place) for the item; the pop takes the youngest only if wanted(item),
// which it calls with the item in its place.
template <typename Q, typename Fill>
[[gnu::always_inline]] inline bool push_at_once(Q& queue, Fill fill) {
  if constexpr (requires { queue.push_at_once(fill); })
    return queue.push_at_once(fill);
  return false;
}
template <typename Q, typename Wanted>
[[gnu::always_inline]] inline bool pop_at_once(Q& queue, Wanted wanted) {
  if constexpr (requires { queue.pop_at_once(wanted); })
    return queue.pop_at_once(wanted);
  return false;
}

// The most bytes that can be given to a queue: 2^36, or those of kMaxCapacity
// items where the queue has that and they are fewer.
template <typename Q>
constexpr uint64_t most_queue_bytes() {
  constexpr size_t kItemBytes = sizeof(typename Q::Item);
  uint64_t most = uint64_t{1} << 36;
  if constexpr (requires { Q::kMaxCapacity; })
    most = std::min(most / kItemBytes, Q::kMaxCapacity) * kItemBytes;
  return most;
}

// Puts into the queue what it has room for of items that wait elsewhere, the
// oldest first. Cost: that of the pushes.
template <typename Queue>
void offer_waiting(std::list<typename Queue::Item>& waiting, Queue& queue) {
  for (; !waiting.empty() && !queue.full(); waiting.pop_front())
    queue.push(waiting.front());
}

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_STEALABLE_QUEUE_H_
