// A task that adds itself again and again, until the file exists that
// MAGPIE_TEST_UNTIL names: the job runs for as long as asked_test.py wants to
// ask it what it does. It is the process's second run. With
// MAGPIE_TEST_OWN_HANDLER the program has a handler of SIGUSR1.

#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "common/rma/rma.h"
#include "common/task_pool/task_pool.h"

namespace {

constexpr char kOwn[] = "the program's own handler\n";

void on_signal(int) {
  if (write(STDERR_FILENO, kOwn, sizeof(kOwn) - 1) < 0) std::abort();
}

struct Again {
  uint64_t times;
  void operator()() const {
    if (times == 0) {
      std::printf("rank %d is process %d\n", magpie::rma::rank(),
                  static_cast<int>(getpid()));
      std::fflush(stdout);
    }
    const bool looks = times % 256 == 0;
    if (looks && access(std::getenv("MAGPIE_TEST_UNTIL"), F_OK) == 0) return;
    magpie::add(Again{times + 1});
  }
};

}  // namespace

int main(int argc, char** argv) {
  if (std::getenv("MAGPIE_TEST_OWN_HANDLER") != nullptr)
    signal(SIGUSR1, on_signal);
  const int status = magpie::run_pool(argc, argv, [] { magpie::add([] {}); });
  if (status != 0) return status;
  return magpie::run_pool(argc, argv, [] { magpie::add(Again{0}); });
}
