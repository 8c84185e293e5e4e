// What the constructs of async_any.h are in every pool that has them: when a
// finish is open, what was cancelled, the static data; and the functions of the
// seam (async_any_runtime.h) over a class of ranks. For pools.
//
// Source: hybrid_glb_apgas18 §3, §4.3.
//
// Finishes have numbers: 1, 2, ... On each rank lies a word, the number of the
// last finish that was cancelled. A rank that cancels puts the number of the
// open finish into all these words and flushes: from then on each rank sees
// that a cancelable task is to be dropped when its turn has come, wherever it
// has been meanwhile. So queues, inboxes and messages are not searched.
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
#include "common/task_pool/async_any_runtime.h"
#include "common/task_pool/pool_program.h"
#include "common/task_pool/runtime.h"
#include "common/task_pool/slot.h"

namespace CLI {
class App;
}

namespace magpie {

struct ConstructsOptions {
  uint64_t static_bytes = 4 << 10;
};
void add_options(CLI::App& app, ConstructsOptions& options);

// One rank's copy of the static data; and, on the root's rank, the data of the
// next finish.
class StaticData {
 public:
  // Makes room for at most `most_bytes` of data. Collective.
  explicit StaticData(uint64_t most_bytes);
  static size_t heap_bytes(uint64_t most_bytes);

  // Keeps data for the next finish. Prints an error and ends the job where they
  // are too large.
  void set(const StaticType& type, const void* data);
  // Makes the kept data those of the calling rank, which is the root's.
  void publish();
  // Puts the calling rank's data to another rank, which has them after a flush.
  // REQUIRES: no task runs there, and the data stay as they are until then.
  // Cost: a put_nb.
  void send_to(int rank) const;

  // Returns the data. Prints an error and ends the job where they are of
  // another type, or there are none.
  const void* of(const StaticType& type) const;

 private:
  // Beginning of the memory; the data follow it.
  struct alignas(kMaxStaticAlign) Header {
    // Type of the data; null where there are none.
    const StaticType* type;
  };
  Header& header() const { return *reinterpret_cast<Header*>(copy_.local()); }

  const uint64_t most_bytes_;
  const rma::RemotePtr<std::byte> copy_;
  const StaticType* next_type_ = nullptr;
  std::vector<std::byte> next_;
};

class Constructs {
 public:
  // Collective.
  Constructs(const ConstructsOptions& options, const PoolProgram::Root& root);
  static size_t heap_bytes(const ConstructsOptions& options);

  // ----------------------------------------------------------- a finish's life

  // The number of the finish that is open or was last; 0: there was none.
  uint64_t finish() const { return finish_; }

  // Whether a finish is open: the root is in its body, or tasks run.
  bool is_open() const { return phase_ != Phase::kOutside; }

  // Note, on the root's rank, that a finish begins, if it may; that its body
  // has returned; that it has ended.
  void begin();
  void end_body() { phase_ = Phase::kTasks; }
  void end() { phase_ = Phase::kOutside; }
  // Notes, on any other rank, that a finish has begun.
  void enter(uint64_t finish) {
    finish_ = finish;
    phase_ = Phase::kTasks;
  }

  // Prints an error and ends the job where a task is added and no finish is
  // open.
  void require_finish() const {
    if (phase_ == Phase::kOutside) [[unlikely]]
      added_outside();
  }

  // -------------------------------------------------------------- cancellation

  // Tells every rank that the finish is cancelled. Not down a tree: a rank
  // would pass it on when its task has ended, and when this returns no
  // cancelable task may start anywhere. REQUIRES: a finish is open, or the job
  // ends with an error. Cost: a put to every rank and a flush, once in a
  // finish.
  void cancel_all();
  bool cancelled() const {
    return finish_ != 0 && cancelled_.local()->load() == finish_;
  }
  // Whether a task with these bits of its slot is to be dropped and not run.
  bool drops(uint16_t bits) const {
    return (bits & kCancelable) != 0 && cancelled();
  }

  // --------------------------------------------------------------- static data

  void static_init(const StaticType& type, const void* data);
  const StaticData& static_data() const { return static_data_; }

 private:
  // State of the calling rank: no finish is open; the root is in the body of
  // one; tasks run.
  enum class Phase : uint8_t { kOutside, kBody, kTasks };

  [[noreturn]] void added_outside() const;
  // Prints an error and ends the job unless the caller is the root, outside of
  // a finish.
  void require_root(const char* function) const;

  const bool opens_finishes_;
  Phase phase_;
  uint64_t finish_;
  const rma::RemotePtr<rma::Word> cancelled_;
  // The last finish that this rank has cancelled.
  uint64_t cancelled_here_ = 0;
  StaticData static_data_;
};

// Calls call(body). An exception that leaves it prints an error and ends the
// job.
void call_body(void (*call)(void* body), void* body);

// Prints an error and ends the job unless there is such a place.
void require_place(int place, int places);

// The functions of both seams. `Rank` is what PoolOfRank asks for, and has
//
//   constructs()          its Constructs
//   add(task, closure, bits), add_at(rank, task, closure)
//                         bits are the slot's.
//   add_at_place(place, task, closures, count, bits)
//   begin_finish()        Called on the root's rank, whose constructs() have
//                         begun the finish. Returns when every rank has entered
//                         it and has the static data and a new partial result.
//   end_finish()          Called there, too. Runs tasks; returns when there are
//                         none.
//   reduce(type, result)
//   here(), places(), workers()
template <typename Rank>
class ConstructsOfRank : public PoolOfRank<Rank> {
 public:
  static void add(const PoolTask* task, const void* closure) {
    Rank& rank = this_rank<Rank>();
    rank.constructs().require_finish();
    rank.add(*task, closure, 0);
  }
  static void add_at(int rank, const PoolTask* task, const void* closure) {
    require_rank(rank);
    Rank& self = this_rank<Rank>();
    self.constructs().require_finish();
    self.add_at(rank, *task, closure);
  }

  static void finish(void (*call)(void*), void* body) {
    Rank& rank = this_rank<Rank>();
    rank.constructs().begin();
    rank.begin_finish();
    call_body(call, body);
    rank.constructs().end_body();
    rank.end_finish();
    rank.constructs().end();
  }

  static bool add_cancelable(const PoolTask* task, const void* closure) {
    Rank& rank = this_rank<Rank>();
    rank.constructs().require_finish();
    if (rank.constructs().cancelled()) return false;
    rank.add(*task, closure, kCancelable);
    return true;
  }
  static bool add_at_place(int place, const PoolTask* task,
                           const void* closures, size_t count,
                           bool is_cancelable) {
    Rank& rank = this_rank<Rank>();
    rank.constructs().require_finish();
    require_place(place, rank.places());
    if (is_cancelable && rank.constructs().cancelled()) return false;
    rank.add_at_place(place, *task, closures, count,
                      is_cancelable ? kCancelable : uint16_t{0});
    return true;
  }

  static void cancel_all() { this_rank<Rank>().constructs().cancel_all(); }
  static bool cancelled() { return this_rank<Rank>().constructs().cancelled(); }

  static void reduce(const PartialType* type, void* result) {
    this_rank<Rank>().reduce(*type, result);
  }

  static void static_init(const StaticType* type, const void* data) {
    this_rank<Rank>().constructs().static_init(*type, data);
  }
  static const void* static_data(const StaticType* type) {
    return this_rank<Rank>().constructs().static_data().of(*type);
  }

  static int here() { return this_rank<Rank>().here(); }
  static int places() { return this_rank<Rank>().places(); }
  static int workers() { return this_rank<Rank>().workers(); }
};

}  // namespace magpie

#endif  // MAGPIE_COMMON_TASK_POOL_CONSTRUCTS_H_
