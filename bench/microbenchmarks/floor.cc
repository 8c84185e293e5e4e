// The floor under a fork and join: fib with continuations pushed to and popped
// from a THE queue in private memory, and nothing else. No seam between program
// and runtime, no thread entries, no rank, no region; nobody can steal. Prints
// the best of nine rounds. What a runtime needs beyond this is its own; what
// this needs is the machine's.
//
//   bazel run -c opt //bench/microbenchmarks:floor

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "common/context/context.h"

namespace {

using magpie::context::Context;

struct Entry {
  Context* frames;
  uint64_t bytes;
};

struct Worker {
  std::array<Entry, 4096> queue;
  alignas(64) std::atomic<int64_t> top{0};
  alignas(64) std::atomic<int64_t> base{0};
  char* thread_top = nullptr;
};

// Handed down as a pointer, as there are no globals here either.
struct Child {
  Worker* worker;
  long n;
  long result;
};

long fib(Worker* worker, long n);

void run_child(Context* parent, Child* child) {
  Worker* const worker = child->worker;
  const long n = child->n;
  char* const frames = reinterpret_cast<char*>(parent);
  const int64_t top = worker->top.load(std::memory_order_relaxed);
  worker->queue[static_cast<size_t>(top)] = {
      parent, static_cast<uint64_t>(worker->thread_top - frames)};
  worker->top.store(top + 1, std::memory_order_release);
  worker->thread_top = frames;
  const long result = fib(worker, n);
  const int64_t mine = worker->top.load(std::memory_order_relaxed) - 1;
  worker->top.store(mine, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (worker->base.load(std::memory_order_relaxed) > mine) std::abort();
  worker->thread_top += worker->queue[static_cast<size_t>(mine)].bytes;
  child->result = result;
}

[[gnu::noinline]] long fib(Worker* worker, long n) {
  if (n < 2) return n;
  Child child = {worker, n - 1, 0};
  magpie::context::save_and_call(&run_child, &child);
  const long b = fib(worker, n - 2);
  return child.result + b;
}

}  // namespace

int main() {
  constexpr long kN = 32;
  // The calls of fib(32) that do not return n.
  constexpr double kForks = 3524577;
  Worker worker;
  double best = std::numeric_limits<double>::max();
  for (int round = 0; round < 9; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    if (fib(&worker, kN) != 2178309) return 1;
    const std::chrono::duration<double, std::nano> ns =
        std::chrono::steady_clock::now() - begin;
    best = std::min(best, ns.count() / kForks);
  }
  std::printf("%.1f ns per fork and join\n", best);
  return 0;
}
