// A program to link with any runtime and RMA backend: see link_test in BUILD.

#include "common/fork_join/fork_join.h"

int main(int argc, char** argv) {
  return magpie::run(argc, argv,
                     [] { return magpie::spawn([] { return 0; }).join(); });
}
