// A rank's inbox: where others put tasks for it. The local part of its bag is
// its own alone.
//
// A rank that puts a task draws a number first and has the cell of that number;
// cells are used in turn. The owner takes them in the order of their numbers.
//
// Source: icpp21 §3 speaks of spawning onto remote queues, "with more overhead
// due to communication", and does not say how; this is ours.
//
// Thread safety: send and settle are for any rank, take and empty are the
// owner's.
// Invariants:
//   1. `drawn` is changed by atomics only: numbers are drawn once.
//   2. `taken` is the owner's, the number of tasks that were taken. The cell of
//      a number is free for it when the one before it in that cell was taken:
//      when number < taken + capacity.
//   3. A cell's `filled` is changed by atomics only: it is how often it was
//      filled, the present task included. It is raised after the task was put
//      there and flushed.
//   4. A rank that has drawn a number puts its task as soon as it looks and
//      there is room: later numbers are taken after it.

#ifndef MAGPIE_COMMON_STEALING_INBOX_H_
#define MAGPIE_COMMON_STEALING_INBOX_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"

namespace magpie {

template <typename Task>
class Inbox {
  struct Ends {
    alignas(64) rma::Word drawn;
    alignas(64) rma::Word taken;
  };
  struct Cell {
    rma::Word filled;
    Task task;
  };
  // Number of tasks that are taken to go into an inbox while one look for room
  // is under way: of 8, 32 and 512 the best, by bazel-bin/bench/pool_glb_sim
  // uts_any --tree=T1L --net=ito_a --ranks=2304, with 41, 30 and 62 ms.
  static constexpr uint64_t kPassing = 32;

 public:
  // Makes an inbox for `capacity` > 0 tasks. Collective.
  explicit Inbox(size_t capacity)
      : capacity_(capacity),
        ends_(rma::allocate<Ends>()),
        cells_(rma::allocate<Cell>(capacity, "inbox cell")),
        next_(cells_.local()) {
    rma::name_word(ends_.field(&Ends::drawn), "inbox drawn");
    rma::name_word(ends_.field(&Ends::taken), "inbox taken");
  }

  static size_t heap_bytes(size_t capacity) {
    return rma::allocated_bytes<Ends>() + rma::allocated_bytes<Cell>(capacity);
  }
  static constexpr size_t kTaskBytes = sizeof(Cell);

  size_t capacity() const { return capacity_; }
  // Whether there is no task to take. Cost, as of take: none.
  bool empty() const { return next_->filled.load() <= lap_; }

  // Takes the oldest task. False: there is none.
  bool take(Task* task) {
    if (empty()) return false;
    *task = next_->task;
    ++taken_;
    if (++next_ == cells_.local() + capacity_) {
      next_ = cells_.local();
      ++lap_;
    }
    ends_.local()->taken.store(taken_);
    return true;
  }

  // Puts a task into `rank`'s inbox. False: there is no room for it yet, and it
  // waits for settle(); without memory for that the process ends. Cost: 2
  // fetch_adds and a put; a get where `capacity` tasks or more were sent there
  // before, and no put and only a fetch_add where there is no room.
  bool send(int rank, const Task& task) noexcept {
    const auto drawn = ends_.at(rank).field(&Ends::drawn);
    Unsent out = {rank, task, rma::fetch_add(drawn, 1)};
    if (put(out)) return true;
    unsent_.push_back(out);
    return false;
  }
  // Number of tasks that wait. Cost: none.
  size_t unsent() const { return unsent_.size(); }
  // Puts what waits, as far as there is room, and calls sent(rank) for each.
  // True: nothing waits any more; else it is called again, while the caller
  // lets others make progress, for whom the owner may wait. Cost: for each task
  // a put, a fetch_add and a get; where there is no room a get, or none soon
  // after one (has_room).
  template <typename Sent>
  bool settle(Sent sent) {
    std::erase_if(unsent_, [&](Unsent& out) {
      const bool is_put = put(out);
      if (is_put) sent(out.rank);
      return is_put;
    });
    return unsent_.empty();
  }

 private:
  // A task that waits for room.
  struct Unsent {
    int rank;
    Task task;
    uint64_t number;
    // Time (rma::now) before which it is not worth while to look for room.
    uint64_t next_look = 0;
  };

  // Puts the task whose number was drawn, once. False: there is no room yet.
  bool put(Unsent& out) {
    if (out.number >= capacity_ && !has_room(out)) return false;
    const auto cell = cells_.at(out.rank) + out.number % capacity_;
    rma::put(cell.field(&Cell::task), out.task);
    rma::flush(out.rank);
    rma::fetch_add(cell.field(&Cell::filled), 1);
    return true;
  }

  // Looks for room, but not before those ahead in the line can have put their
  // tasks: the looks of thousands of ranks would keep the owner's network busy,
  // which these tasks have to pass. Source: J. Mellor-Crummey and M. Scott,
  // Algorithms for Scalable Synchronization on Shared-Memory Multiprocessors,
  // TOCS 1991, §2.2 (ticket lock with proportional backoff).
  bool has_room(Unsent& out) {
    const uint64_t begin = rma::now();
    if (begin < out.next_look) return false;
    const uint64_t end_of_room =
        rma::get_word(ends_.at(out.rank).field(&Ends::taken)) + capacity_;
    if (out.number < end_of_room) return true;
    const uint64_t end = rma::now();
    shortest_look_ = std::min(shortest_look_, end - begin);
    const uint64_t ahead = out.number - end_of_room + 1;
    out.next_look = end + ahead * shortest_look_ / kPassing;
    return false;
  }

  const size_t capacity_;
  const rma::RemotePtr<Ends> ends_;
  const rma::RemotePtr<Cell> cells_;
  // The owner's: the cell of the next task, how often that was used before, and
  // how many tasks were taken.
  Cell* next_;
  uint64_t lap_ = 0;
  uint64_t taken_ = 0;
  // Time that a look for room has taken, in ns, when there was least traffic.
  uint64_t shortest_look_ = ~uint64_t{0};
  std::vector<Unsent> unsent_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_STEALING_INBOX_H_
