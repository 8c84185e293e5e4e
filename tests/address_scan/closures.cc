// Tasks with and without addresses in their closures and results. Built
// without NDEBUG, as a debug build is.
//
//   closures CASE: `fine`, `closure`, `result`, `heap`

#include <cstdio>
#include <string>
#include <vector>

#include "common/fork_join/parallel.h"

namespace {

// Two lambdas without captures leave padding in the closure of the loop.
long fine() {
  return magpie::parallel_reduce(
      0, 300, 3, 0L, [](int64_t i) { return long{i}; },
      [](long a, long b) { return a + b; });
}

long address_in_closure() {
  long local = 1;
  return magpie::spawn([&] { return local; }).join();
}

long address_in_result() {
  return *magpie::spawn([] {
            long local = 1;
            long* volatile address = &local;
            return static_cast<long*>(address);
          }).join();
}

long address_of_heap() {
  long* const p = new long(1);
  const long value = magpie::spawn([p] { return *p; }).join();
  delete p;
  return value;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  long result = 0;
  magpie::RunReport report;
  const auto run = [&](auto task) {
    return magpie::run_with_result({"--ranks=1"}, task, &result, &report);
  };
  int status = 2;
  if (name == "fine") status = run([] { return fine(); });
  if (name == "closure") status = run([] { return address_in_closure(); });
  if (name == "result") status = run([] { return address_in_result(); });
  if (name == "heap") status = run([] { return address_of_heap(); });
  if (status == 0) std::printf("%ld\n", result);
  return status;
}
