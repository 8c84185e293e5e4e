// Runs twice, the second time in another folder, and when a line or the end of
// its input has come: for trace_test.py. The last argument names the folder,
// the others are for both runs.

#include <unistd.h>

#include <cstdio>

#include "common/fork_join/fork_join.h"

int main(int argc, char** argv) {
  static const char* const folder = argv[argc - 1];
  const auto root = [] {
    magpie::spawn([] {}).join();
    if (chdir(folder) != 0) std::perror(folder);
  };
  if (const int status = magpie::run(argc - 1, argv, root); status != 0)
    return status;
  std::getchar();
  return magpie::run(argc - 1, argv, root);
}
