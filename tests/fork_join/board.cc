#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/rma/rma.h"
#include "tests/fork_join/scenario.h"

namespace magpie::conformance {
namespace {

Board* const kAddress = reinterpret_cast<Board*>(0x5eadc0de0000);

}  // namespace

void open_board(const std::string& file) {
  int flags = MAP_SHARED | MAP_FIXED_NOREPLACE;
  int descriptor = -1;
  bool ready = true;
  if (file.empty()) {
    flags |= MAP_ANONYMOUS;
  } else {
    descriptor = open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ready = ftruncate(descriptor, sizeof(Board)) == 0;
  }
  if (!ready || mmap(kAddress, sizeof(Board), PROT_READ | PROT_WRITE, flags,
                     descriptor, 0) != kAddress) {
    std::perror("the notice board");
    std::exit(2);
  }
}

Board& board() { return *kAddress; }

void await(int word, uint64_t value) {
  while (board().word[word].load() < value) rma::idle();
}

}  // namespace magpie::conformance
