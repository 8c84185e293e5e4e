// The floors under a fork and join: fib with as little of a runtime as each
// choice needs, and nothing else. There is no seam between program and runtime,
// no rank and no region, memory is private, and nobody can steal. Time beyond
// the floor is due to the runtime; the floor is due to the machine. Prints the
// best of nine rounds of each.
//
// The choices: whether a child is run by a plain call or below a saved parent,
// and whether the queue's pop needs a fence, as THE's, or compares two
// positions, as a split queue's. The parent finds the child's result in an
// entry, where a thief finds it, too.
//
//   bazel run -c opt //bench/microbenchmarks:floor

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "common/context/context.h"

namespace {

using magpie::context::Context;

// ----------------------------------------------------------------- the queues

constexpr size_t kPlaces = 4096;

// The positions of a split queue's owner. There is always something to steal.
template <typename Item>
class Split {
 public:
  void push(const Item& item) {
    if (shared_.load(std::memory_order_acquire) >= exhausted_ ||
        head_ >= room_end_)
      std::abort();
    items_[head_++ % kPlaces] = item;
  }
  Item pop() {
    if (shared_.load(std::memory_order_acquire) >= exhausted_ ||
        head_ - split_ < 1)
      std::abort();
    return items_[--head_ % kPlaces];
  }

 private:
  uint64_t head_ = 0, split_ = 0, room_end_ = kPlaces, exhausted_ = 1;
  alignas(64) std::atomic<uint64_t> shared_{0};
  std::array<Item, kPlaces> items_;
};

template <typename Item>
class The {
 public:
  void push(const Item& item) {
    const int64_t top = top_.load(std::memory_order_relaxed);
    items_[static_cast<size_t>(top)] = item;
    top_.store(top + 1, std::memory_order_release);
  }
  Item pop() {
    const int64_t top = top_.load(std::memory_order_relaxed) - 1;
    top_.store(top, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    if (base_.load(std::memory_order_relaxed) > top) std::abort();
    return items_[static_cast<size_t>(top)];
  }

 private:
  alignas(64) std::atomic<int64_t> top_{0};
  alignas(64) std::atomic<int64_t> base_{0};
  std::array<Item, kPlaces> items_;
};

// ---------------------------------------------------------------- the results

// The result lies in an entry from a free list, with a state that tells which
// task's it is and whether that has ended.
class Results {
 public:
  struct Result {
    uint64_t state;
    Result* next;
    long value;
  };

  Results() {
    for (Result& entry : entries_) recycle(&entry);
  }
  Result* create() {
    Result* const entry = free_;
    if (entry == nullptr) std::abort();
    free_ = entry->next;
    entry->state = ++tasks_ << 32 | 1;
    return entry;
  }
  void end(Result* entry, long value) {
    entry->value = value;
    entry->state |= 2;
  }
  long join(Result* entry) {
    if ((entry->state & 3) != 3) std::abort();
    const long value = entry->value;
    recycle(entry);
    return value;
  }

 private:
  void recycle(Result* entry) {
    entry->next = free_;
    free_ = entry;
  }

  Result* free_ = nullptr;
  uint64_t tasks_ = 0;
  std::array<Result, kPlaces> entries_;
};

// ----------------------------------------------------------------- the forks

struct Frames {
  Context* begin;
  char* end;
};

// The child runs below the saved parent, which lies in the queue.
template <template <typename> typename Queue>
struct Continuations {
  // Argument of run_child: the fork's, in the parent's frame.
  struct Child {
    Continuations* worker;
    long n;
    Results::Result* result;
  };

  static void run_child(Context* parent, Child* child) {
    Continuations* const worker = child->worker;
    const long n = child->n;
    Results::Result* const result = child->result = worker->results.create();
    worker->queue.push({parent, worker->thread_end});
    worker->thread_end = reinterpret_cast<char*>(parent);
    const long value = worker->fib(n);
    const Frames popped = worker->queue.pop();
    if (popped.begin != parent) std::abort();
    worker->thread_end = popped.end;
    worker->results.end(result, value);
  }
  [[gnu::noinline]] long fib(long n) {
    if (n < 2) return n;
    Child child = {this, n - 1, nullptr};
    magpie::context::save_and_call(&run_child, &child);
    const long b = fib(n - 2);
    return results.join(child.result) + b;
  }

  Queue<Frames> queue;
  Results results;
  char* thread_end = nullptr;
};

// The child lies in the queue while its parent goes on, which calls it when it
// joins, as Lace's macros do.
struct Children {
  [[gnu::noinline]] long fib(long n) {
    if (n < 2) return n;
    queue.push(n - 1);
    const long b = fib(n - 2);
    return fib(queue.pop()) + b;
  }
  The<long> queue;
};

struct Calls {
  [[gnu::noinline]] long fib(long n) {
    if (n < 2) return n;
    const long a = fib(n - 1);
    asm volatile("");  // two calls, not a loop
    return a + fib(n - 2);
  }
};

template <typename Worker>
void measure(const char* what) {
  constexpr long kN = 32;
  // The calls of fib(32) that do not return n.
  constexpr double kForks = 3524577;
  static Worker worker;
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    if (worker.fib(kN) != 2178309) std::abort();
    const std::chrono::duration<double, std::nano> ns =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, ns.count() / kForks);
  }
  std::printf("%5.1f ns  %s\n", best, what);
}

}  // namespace

int main() {
  measure<Calls>("plain calls");
  measure<Children>("children in a THE queue, called when joined");
  measure<Continuations<Split>>(
      "context switches, a split queue, results in entries");
  measure<Continuations<The>>(
      "context switches, a THE queue, results in entries");
}
