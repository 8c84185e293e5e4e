// A program to link with a pool that has the constructs of async_any.h, or has
// them not: see link_test in BUILD.

#include "common/task_pool/async_any.h"

int main(int argc, char** argv) {
  return magpie::run_any(argc, argv, [] {
    magpie::finish_async_any([] { magpie::async_any([] {}); });
  });
}
