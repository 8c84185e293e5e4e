// What a rank has in the tests of a thread layer (thread_layer_suite.h), and
// the simplest threads: a tree of them.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>

#include "common/context/context.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/testing/within.h"

namespace magpie::thread_suite {

// What has happened so far. Lies on rank 0.
struct Counts {
  rma::Word leaves;
  // Creations after which the parent went on.
  rma::Word continued;
  rma::Word suspended;
  // Threads that went on with other frames than they had left.
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
  struct Thread {
    SavedThread thread;
    rma::RemotePtr<rma::Word> word;
  };
  std::list<Thread> threads_;
};

// Greatest number of threads that tell that they have ended.
constexpr uint64_t kNodes = 64;

// What one rank has in these tests: the layer, made within what its layout()
// says, and where to count.
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
  // Where threads meet, on rank 0; run() allocates it.
  rma::RemotePtr<std::byte> meeting_place;
  Waiting<typename Threads::SavedThread> waiting;

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

// A thread: Child(words...) runs, and then returns to its parent or leaves.
// Every second one tries the fast path.
template <typename Threads, typename Child, typename... Words>
void start_child(context::Context* parent, Words... words) {
  Child child(words...);
  using Here = Rank<Threads>;  // asked for again where the child has moved
  if (!Here::self().is_second() ||
      !Here::self().threads.offer_parent(parent, Path::kFast))
    Here::self().threads.offer_parent(parent, Path::kWhole);
  child.run();
  if ((Here::self().is_second() &&
       Here::self().threads.reclaim_parent(parent, Path::kFast)) ||
      Here::self().threads.reclaim_parent(parent, Path::kWhole))
    return child.return_to_parent();
  child.leave();
}
template <typename Threads, typename Child, typename... Words>
void create_child(Words... words) {
  Threads::create_thread(&start_child<Threads, Child, Words...>, words...);
}

template <typename Threads>
void tree(uint64_t depth);

template <typename Threads>
class TreeChild {
 public:
  explicit TreeChild(uint64_t depth) : depth_(depth) {}
  static Threads& threads() { return Rank<Threads>::self().threads; }
  void run() { tree<Threads>(depth_); }
  void return_to_parent() {}
  [[noreturn]] void leave() { threads().exit_to_scheduler(); }

 private:
  const uint64_t depth_;
};

// 2^depth leaves; each parent is a continuation that may be stolen.
template <typename Threads>
void tree(uint64_t depth) {
  using Rank = thread_suite::Rank<Threads>;
  if (depth == 0) return Rank::count(&Counts::leaves);
  const Mark mark(depth);
  create_child<Threads, TreeChild<Threads>>(depth - 1);
  Rank::count(&Counts::continued);
  if (!mark.intact(depth)) Rank::count(&Counts::damaged);
  tree<Threads>(depth - 1);
}

// Waits, without a thread layer's help, until there are `leaves` leaves.
template <typename Threads>
void wait_for_leaves(uint64_t leaves) {
  while (Rank<Threads>::self().counted(&Counts::leaves) < leaves) rma::idle();
}

}  // namespace magpie::thread_suite

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_SUITE_RANK_H_
