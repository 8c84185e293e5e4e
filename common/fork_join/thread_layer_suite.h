// The suite of the concept ThreadLayer. A class is tested by naming it:
//
//   MAGPIE_THREAD_LAYER_SUITE(MyThreads, my::Threads, {});   // its Options
//
// and the Bazel rule spmd_test, which runs it on shm, on sim and explored. What
// joins make of threads is tested by composing a runtime and running the
// programs of //tests/fork_join.
//
// A layer may steal or not: each case counts in the symmetric heap what its
// threads did, and every count is known.

#ifndef MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_
#define MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <list>
#include <utility>

#include "common/context/context.h"
#include "common/fork_join/thread_layer.h"
#include "common/rma/rma.h"
#include "common/testing/spmd.h"

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

// 2^depth leaves; each parent is a continuation that may be stolen, and
// suspends and stays when it goes on.
template <typename Threads>
void tree(uint64_t depth) {
  using Rank = thread_suite::Rank<Threads>;
  if (depth == 0) return Rank::count(&Counts::leaves);
  const Mark mark(depth);
  create_child<Threads>([depth] { tree<Threads>(depth - 1); });
  Rank::count(&Counts::continued);
  Rank::self().threads.suspend([](const typename Threads::SavedThread& saved) {
    EXPECT_TRUE(saved.frames);
    return true;
  });
  if (!mark.intact(depth)) Rank::count(&Counts::damaged);
  tree<Threads>(depth - 1);
}

// Waits, without a thread layer's help, until there are `leaves` leaves.
template <typename Threads>
void wait_for_leaves(uint64_t leaves) {
  while (Rank<Threads>::self().counted(&Counts::leaves) < leaves) rma::idle();
}

template <typename Threads>
void tree_that_waits(uint64_t node);

// Creates the thread of a node of tree_that_waits.
template <typename Threads>
void create_node(uint64_t node) {
  create_child<Threads>([node] { tree_that_waits<Threads>(node); },
                        [node] {
                          rma::fetch_add(Rank<Threads>::self().ended + node, 1);
                          return typename Threads::SavedThread();
                        });
  Rank<Threads>::count(&Counts::continued);
}
// A binary tree over 1, 2 and 3, 4 to 7, ...: each inner node's left child is a
// thread, for which it waits in the queue of the rank that it is on. Nobody
// exits to it.
template <typename Threads>
void tree_that_waits(uint64_t node) {
  using Rank = thread_suite::Rank<Threads>;
  if (2 * node >= kNodes) return Rank::count(&Counts::leaves);
  const Mark mark(node);
  create_node<Threads>(2 * node);
  tree_that_waits<Threads>(2 * node + 1);
  if (rma::get_word(Rank::self().ended + 2 * node) == 0) {
    Rank::self().threads.suspend(
        [node](const typename Threads::SavedThread& saved) {
          Rank::self().waiting.add(saved, Rank::self().ended + 2 * node);
          return false;
        });
    Rank::count(&Counts::suspended);
  }
  if (rma::get_word(Rank::self().ended + 2 * node) == 0 || !mark.intact(node))
    Rank::count(&Counts::damaged);
}

constexpr uint64_t kGates = 6;
constexpr uint64_t kWaiters = 12;
constexpr uint64_t kWaiterDepth = 2;

// A gate that a thread opens at its end: those that have come before wait for
// it, and are all ready then. Lies on rank 0.
template <typename Threads>
struct Gate {
  using SavedThread = typename Threads::SavedThread;
  using Ptr = rma::RemotePtr<Gate>;
  static constexpr uint64_t kOpen = uint64_t{1} << 32;

  static auto state_of(Ptr gate) { return gate.field(&Gate::state); }
  static rma::RemotePtr<SavedThread> place_at(Ptr gate, uint64_t i) {
    return {0, gate.field(&Gate::waiting).offset + i * sizeof(SavedThread)};
  }

  // Waits a while: most waiters come meanwhile, where the parent is stolen.
  static void keep(Ptr gate) {
    for (int i = 0; i < 100 && rma::get_word(state_of(gate)) != kOpen - 1; ++i)
      rma::idle();
    Rank<Threads>::count(&Counts::leaves);
  }
  static SavedThread open(Ptr gate) {
    SavedThread next;
    uint64_t waiting = rma::fetch_add(state_of(gate), kOpen);
    for (uint64_t i = 0; waiting != 0; ++i, waiting >>= 1) {
      if ((waiting & 1) == 0) continue;
      const SavedThread saved = rma::get(place_at(gate, i));
      if (!next.frames)
        next = saved;
      else
        Rank<Threads>::self().threads.make_ready(saved);
    }
    return next;
  }
  // Goes through the gate, and then has children that may be stolen from it.
  static void go_through(Ptr gate, uint64_t i) {
    using Rank = thread_suite::Rank<Threads>;
    const Mark mark(i);
    const uint64_t mine = uint64_t{1} << i;
    if ((rma::get_word(state_of(gate)) & kOpen) == 0) {
      Rank::self().threads.suspend([=](const SavedThread& saved) {
        rma::put(place_at(gate, i), saved);
        rma::flush(0);
        return (rma::fetch_add(state_of(gate), mine) & kOpen) != 0;
      });
      Rank::count(&Counts::suspended);
    }
    tree<Threads>(kWaiterDepth);
    if ((rma::get_word(state_of(gate)) & kOpen) == 0 || !mark.intact(i))
      Rank::count(&Counts::damaged);
  }

  // A bit for each that has come, and kOpen.
  rma::Word state;
  std::array<SavedThread, kWaiters> waiting;
};

// ------------------------------------------------------------------- the cases

struct Counted {
  uint64_t leaves, continued, suspended;
};

// Runs body() as the root, which returns when all its threads have ended, or
// are waiting. Returns what was counted, when all is over. Collective.
template <typename Threads>
Counted run(const typename Threads::Options& options, void (*body)()) {
  using Rank = thread_suite::Rank<Threads>;
  Rank rank(options);
  rank.gates = rma::allocate_bytes(kGates * sizeof(Gate<Threads>), 16).at(0);
  rank.body = body;
  rma::barrier();
  const auto root = [](void*) {
    Rank::self().body();
    Rank::self().threads.end_run();
    Rank::self().threads.exit_to_scheduler();
  };
  rank.threads.run(root, nullptr, rank.waiting);
  rma::barrier();
  EXPECT_EQ(rank.threads.live_threads(), 0u);
  EXPECT_EQ(rank.counted(&Counts::damaged), 0u);
  const Counted counted = {rank.counted(&Counts::leaves),
                           rank.counted(&Counts::continued),
                           rank.counted(&Counts::suspended)};
  rma::barrier();
  return counted;
}

constexpr uint64_t kDepth = 7;

template <typename Threads>
void forks_go_on_once(const typename Threads::Options& options) {
  const Counted counted = run<Threads>(options, [] {
    tree<Threads>(kDepth);
    wait_for_leaves<Threads>(1 << kDepth);
  });
  EXPECT_EQ(counted.leaves, 1u << kDepth);
  EXPECT_EQ(counted.continued, (1u << kDepth) - 1);
}

// The root does not wait for the left one of two trees: the run may be over,
// but for what waits in queues.
template <typename Threads>
void waiting_is_looked_at(const typename Threads::Options& options) {
  const Counted counted = run<Threads>(options, [] {
    create_node<Threads>(2);
    tree_that_waits<Threads>(3);
  });
  EXPECT_EQ(counted.leaves, kNodes / 2);
  EXPECT_EQ(counted.continued, kNodes / 2 - 1);
  EXPECT_LE(counted.suspended, kNodes / 2 - 1);
}

// All of them go on once, wherever that is. The root does not wait for them:
// the run may be over, but for threads that are ready.
template <typename Threads>
void ready_goes_on_once(const typename Threads::Options& options) {
  using Gate = thread_suite::Gate<Threads>;
  const Counted counted = run<Threads>(options, [] {
    uint64_t offset = Rank<Threads>::self().gates.offset;
    for (uint64_t n = 0; n < kGates; ++n, offset += sizeof(Gate)) {
      const typename Gate::Ptr gate = {0, offset};
      create_child<Threads>([=] { Gate::keep(gate); },
                            [=] { return Gate::open(gate); });
      for (uint64_t i = 0; i < kWaiters; ++i)
        create_child<Threads>([=] { Gate::go_through(gate, i); });
    }
  });
  EXPECT_EQ(counted.leaves, kGates * (1 + (kWaiters << kWaiterDepth)));
}

}  // namespace magpie::thread_suite

// Takes the cases' name, the class, and the class's options.
#define MAGPIE_THREAD_LAYER_SUITE(Name, Threads, ...)                 \
  static_assert(::magpie::ThreadLayer<Threads>);                      \
  SPMD_CASE(Name, ForksGoOnOnce,                                      \
            thread_suite::forks_go_on_once<Threads>(__VA_ARGS__))     \
  SPMD_CASE(Name, WaitingIsLookedAt,                                  \
            thread_suite::waiting_is_looked_at<Threads>(__VA_ARGS__)) \
  SPMD_CASE(Name, ReadyGoesOnOnce,                                    \
            thread_suite::ready_goes_on_once<Threads>(__VA_ARGS__))   \
  static_assert(true, "a semicolon follows")

#endif  // MAGPIE_COMMON_FORK_JOIN_THREAD_LAYER_SUITE_H_
