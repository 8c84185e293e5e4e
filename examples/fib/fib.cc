#include <cstdio>

#include "common/fork_join/fork_join.h"

long fib(long n) {
  if (n < 2) return n;
  auto a = magpie::spawn([=] { return fib(n - 1); });  // Future<long>
  long b = fib(n - 2);
  return a.join() + b;
}

int main(int argc, char** argv) {
  return magpie::run(argc, argv, [] { std::printf("%ld\n", fib(30)); });
}
