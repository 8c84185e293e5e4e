// A rank in the tests of a thread layer (thread_layer_suite.h), and how it
// creates threads.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

#include "common/context/context.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/testing/within.h"

namespace magpie::thread_suite {

// Numbers of what has happened so far. Lies on rank 0.
struct Counts {
  rma::Word leaves;
  // Creations after which the parent went on.
  rma::Word continued;
  rma::Word suspended;
  // Threads that went on with other frames than they had left, or too early.
  rma::Word damaged;
};

// Threads that wait on a rank until it looks at them, in the order in which
// they came. Meets ReadyThreads.
template <typename SavedThread>
class Waiting {
 public:
  // The thread is ready when the word is not 0.
  void add(const SavedThread& thread, rma::RemotePtr<rma::Word> word) {
    threads_.push_back({thread, word});
  }
  size_t waiting() const { return threads_.size(); }
  bool next(SavedThread* saved) {
    if (threads_.empty()) return false;
    const auto [thread, word] = threads_.front();
    threads_.pop_front();
    const bool is_ready = rma::get_word(word) != 0;
    if (is_ready)
      *saved = thread;
    else
      threads_.push_back({thread, word});
    return is_ready;
  }

 private:
  std::list<std::pair<SavedThread, rma::RemotePtr<rma::Word>>> threads_;
};

// Greatest number of threads that tell that they have ended.
constexpr uint64_t kNodes = 64;

// One rank: the layer, made within what its layout() says, and where to count.
template <ThreadLayer Threads>
struct Rank {
  explicit Rank(const typename Threads::Options& options)
      : threads(spmd::made_within<Threads>(Threads::layout(options).heap_bytes,
                                           "the thread layer", options, 0)),
        counts(rma::allocate<Counts>().at(0)),
        ended(rma::allocate<rma::Word>(kNodes).at(0)) {
    rma::self().local = this;
  }
  static Rank& self() { return *static_cast<Rank*>(rma::self().local); }

  static void count(rma::Word Counts::*what) {
    rma::fetch_add(self().counts.field(what), 1);
  }
  uint64_t counted(rma::Word Counts::*what) const {
    return rma::get_word(counts.field(what));
  }

  // Whether this is the second, fourth, ... call on this rank.
  bool is_second() { return ++calls_ % 2 == 0; }

  Threads threads;
  const rma::RemotePtr<Counts> counts;
  // For tree_that_waits: which of its threads have ended.
  const rma::RemotePtr<rma::Word> ended;
  // Gates where threads meet, on rank 0; run() allocates them.
  rma::RemotePtr<std::byte> gates;
  Waiting<typename Threads::SavedThread> waiting;
  // Function of the root.
  void (*body)() = nullptr;

 private:
  uint64_t calls_ = 0;
};

// Something in a thread's frames that shows whether they are the ones that were
// left, at the address where they were.
class Mark {
 public:
  explicit Mark(uint64_t value) : here_(this) { words_.fill(value); }
  bool intact(uint64_t value) const {
    for (const uint64_t word : words_) {
      if (word != value) return false;
    }
    return here_ == this;
  }

 private:
  const volatile void* const here_;
  std::array<volatile uint64_t, 9> words_;
};

// Creates a thread. It calls run(), and at its end end(), which returns the
// thread that goes on now: none where the parent was not stolen. Every second
// thread tries to take its parent back at once.
template <typename Threads, typename Run, typename End>
void create_child(Run run, End end) {
  void (*const start)(context::Context*, const Run*, const End*) =
      [](context::Context* parent, const Run* parents_run,
         const End* parents_end) {
        const Run run = *parents_run;
        const End end = *parents_end;
        using Here = Rank<Threads>;  // asked for again where the child moved
        Here::self().threads.offer_parent(parent);
        run();
        const bool returns = (Here::self().is_second() &&
                              Here::self().threads.reclaim_at_once(parent)) ||
                             Here::self().threads.reclaim_parent(parent);
        const typename Threads::SavedThread next = end();
        if (returns) {
          if (next.frames) Here::count(&Counts::damaged);
          return;
        }
        if (!next.frames) Here::self().threads.exit_to_scheduler();
        Here::self().threads.exit_to(next);
      };
  Threads::create_thread(start, &run, &end);
}
// The same of a thread for which nobody waits.
template <typename Threads, typename Run>
void create_child(Run run) {
  create_child<Threads>(run, [] { return typename Threads::SavedThread(); });
}

}  // namespace magpie::thread_suite

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_
