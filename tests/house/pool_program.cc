// A program to link with any pool and RMA backend: see link_test in BUILD.

#include "common/task_pool/task_pool.h"

int main(int argc, char** argv) {
  return magpie::run_pool(argc, argv, [] { magpie::add([] {}); });
}
