// Constructs of async_any.h, as a rank knows them: when a finish is open,
// what was cancelled, the static data. For pools.
//
// Source: hybrid_glb_apgas18 §3, §4.3.
//
// Finishes have numbers: 1, 2, ... On each rank lies a word, the number of the
// last finish that was cancelled. A rank that cancels puts the number of the
// open finish into all these words and flushes: from then on each rank sees
// the cancel when a cancelable task is called, which then does nothing,
// wherever it has been meanwhile. So queues, inboxes and messages are not
// searched.
//
// Thread safety: an instance belongs to one rank; others put to its word and to
// its static data. Invariants:
//   1. The word is at most the number of the finish that is open, or was last:
//      a task that cancels runs within a finish and flushes before it goes on,
//      so no cancel outlives its finish.
//   2. Static data change while no task runs.

#ifndef MAGPIE_COMMON_TASK_POOL_CONSTRUCTS_H_
#define MAGPIE_COMMON_TASK_POOL_CONSTRUCTS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "common/rma/rma.h"

namespace magpie {

struct StaticType;  // a type of static data (runtime.h)

class Constructs {
 public:
  // Makes room for at most `static_bytes` of static data. The root's rank
  // begins the finishes; all others are in the first. Collective.
  Constructs(uint64_t static_bytes, bool is_roots);
  static size_t heap_bytes(uint64_t static_bytes);

  // ----------------------------------------------------------- a finish's life

  // The number of the finish that is open or was last; 0: there was none.
  uint64_t finish() const { return finish_; }
  // Whether a finish is open: the root adds to it, or tasks run.
  bool is_open() const { return phase_ != Phase::kOutside; }

  // Prints an error and ends the job unless the caller is the root, outside of
  // a finish.
  void require_root(const char* function) const;

  // Note, on the root's rank, that a finish begins, before which every rank has
  // the static data; that the root adds no more to it; that it has ended. Cost:
  // where there are new static data a put_nb to every rank and a flush.
  void begin();
  void end_body() { phase_ = Phase::kTasks; }
  void end() { phase_ = Phase::kOutside; }
  // Notes, on any other rank, that the next finish has begun.
  void enter_next() { ++finish_; }

  // -------------------------------------------------------------- cancellation

  // Whether the finish that is open, or was open last, was cancelled.
  bool cancelled() const {
    return finish_ != 0 && cancelled_.local()->load() == finish_;
  }
  // Tells every rank that the finish is cancelled. Not down a tree: a rank
  // would pass it on when its task has ended, and when this returns no
  // cancelable task may start anywhere. REQUIRES: a finish is open, or the job
  // ends with an error. Cost: a put to every rank and a flush, once in a
  // finish.
  void cancel_all();

  // --------------------------------------------------------------- static data

  // Keeps data for the next finish. Prints an error and ends the job where they
  // are too large.
  void static_init(const StaticType& type, const void* data);
  // Returns the calling rank's. Prints an error and ends the job where they are
  // of another type, or there are none.
  const void* static_data(const StaticType& type) const;

 private:
  // State of the calling rank: no finish is open; the root adds to one; tasks
  // run.
  enum class Phase : uint8_t { kOutside, kBody, kTasks };

  // Beginning of the memory of the static data, which follow it.
  struct Header;
  Header& header() const { return *reinterpret_cast<Header*>(data_.local()); }

  uint64_t finish_;
  const rma::RemotePtr<rma::Word> cancelled_;
  Phase phase_;
  // The last finish that this rank has cancelled.
  uint64_t cancelled_here_ = 0;

  const uint64_t static_bytes_;
  const rma::RemotePtr<std::byte> data_;
  // New data for the next finish; the type is null where there are none.
  const StaticType* next_type_ = nullptr;
  std::vector<std::byte> next_;
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_CONSTRUCTS_H_
