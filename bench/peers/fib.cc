// Fibonacci numbers by their definition, spawned and joined as in
// bench/programs/fib.cc, in another runtime: build.sh says by a macro in which.
//
// Usage: NAME N WORKERS
// Prints one JSON object: the result, and the seconds that it took without the
// start of the workers. Exits with status 1 if the result is wrong.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <utility>

#if defined(PEER_OPENMP)

long fib(long n) {
  if (n < 2) return n;
  long a = 0;
#pragma omp task shared(a)
  a = fib(n - 1);
  const long b = fib(n - 2);
#pragma omp taskwait
  return a + b;
}

long run(long n, int workers) {
  long result = 0;
#pragma omp parallel num_threads(workers)
#pragma omp single
  result = fib(n);
  return result;
}

#elif defined(PEER_TBB)

#include <oneapi/tbb.h>

long fib(long n) {
  if (n < 2) return n;
  long a = 0;
  tbb::task_group children;
  children.run([&a, n] { a = fib(n - 1); });
  const long b = fib(n - 2);
  children.wait();
  return a + b;
}

long run(long n, int workers) {
  static tbb::task_arena arena(workers);
  return arena.execute([n] { return fib(n); });
}

#elif defined(PEER_LIBFORK)

#include <libfork.hpp>

constexpr auto fib = [](auto fib, long n) -> lf::task<long> {
  if (n < 2) co_return n;
  long a = 0, b = 0;
  co_await lf::fork(&a, fib)(n - 1);
  co_await lf::call(&b, fib)(n - 2);
  co_await lf::join;
  co_return a + b;
};

long run(long n, int workers) {
  static lf::lazy_pool pool(workers);
  return lf::sync_wait(pool, fib, n);
}

#elif defined(PEER_LACE)

#include <lace.h>

TASK_1(long, fib, long, n) {
  if (n < 2) return n;
  SPAWN(fib, n - 1);
  const long b = CALL(fib, n - 2);
  return SYNC(fib) + b;
}

long run(long n, int workers) {
  static const bool started = (lace_start(workers, 0), true);
  return started ? RUN(fib, n) : 0;
}

#elif defined(PEER_ITOYORI)

#include <ityr/ityr.hpp>

long fib(long n) {
  if (n < 2) return n;
  const auto [a, b] = ityr::parallel_invoke([n] { return fib(n - 1); },
                                            [n] { return fib(n - 2); });
  return a + b;
}

// All processes that mpirun has started are here.
long run(long n, int) {
  return ityr::root_exec([n] { return fib(n); });
}

#else  // plain calls, for a compiler that only checks this file

long fib(long n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
long run(long n, int) { return fib(n); }

#endif

int main(int argc, char** argv) {
  const long n = argc == 3 ? std::atol(argv[1]) : 0;
  const int workers = argc == 3 ? std::atoi(argv[2]) : 0;
  if (n < 1 || n > 90 || workers < 1) {
    std::fprintf(stderr, "Usage: NAME N WORKERS: 1 to 90, and from 1\n");
    return 2;
  }
#if defined(PEER_ITOYORI)
  ityr::init();
#endif
  run(10, workers);  // starts them
  const auto begin = std::chrono::steady_clock::now();
  const long result = run(n, workers);
  const std::chrono::duration<double> took =
      std::chrono::steady_clock::now() - begin;
#if defined(PEER_ITOYORI)
  const bool is_first = ityr::is_master();
  ityr::fini();
  if (!is_first) return 0;
#endif
  long known = 0;
  for (long i = 0, next = 1; i < n; ++i) next += std::exchange(known, next);
  std::printf("{\"seconds\": %.9f, \"result\": {\"fib\": %ld}}\n", took.count(),
              result);
  return result == known ? 0 : 1;
}
