// Ends a job in a way of one's choice, for end_of_job_test.sh.
//
// All ranks meet; rank 0 prints "ready"; rank --by does --how, while the others
// do --others until the job ends under them.

#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

struct Options {
  std::string how = "return";
  std::string others = "finish";
  int by = 0;
  int status = 0;
  uint64_t heap_bytes = 1 << 20;
};

int* null_address() {
  volatile uintptr_t zero = 0;
  return reinterpret_cast<int*>(zero);
}

int misbehave(const Options& options) {
  const std::string& how = options.how;
  if (how == "fatal") rma::fatal("as told");
  if (how == "segv") return *null_address();
  if (how == "kill") raise(SIGKILL);
  if (how == "abort") std::abort();
  if (how == "exception") throw std::runtime_error("as told");
  if (how == "exit") std::exit(options.status);
  if (how == "_exit") _exit(options.status);
  if (how == "print_pid") {
    std::printf("pid %d\n", getpid());
    std::fflush(stdout);
    for (;;) rma::idle();
  }
  return options.status;  // "return"
}

int others_part(const std::string& part) {
  volatile uint64_t work = 0;
  if (part == "barrier") rma::barrier();
  while (part == "idle") rma::idle();
  while (part == "spin") work = work + 1;
  return 0;  // "finish"
}

int rank_main(void* arg) {
  const Options& options = *static_cast<const Options*>(arg);
  rma::barrier();
  if (rma::rank() == 0) {
    std::puts("ready");
    std::fflush(stdout);
  }
  rma::barrier();
  if (options.how == "exhaust_heap") {
    for (;;) rma::allocate<rma::Word>(1000);
  }
  return rma::rank() == options.by ? misbehave(options)
                                   : others_part(options.others);
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::Options options;
  CLI::App app("Ends a job in a way of one's choice.");
  app.add_option("--how", options.how,
                 "return fatal segv kill abort exception exit _exit "
                 "exhaust_heap print_pid");
  app.add_option("--others", options.others, "finish barrier idle spin");
  app.add_option("--by", options.by, "the rank that does it");
  app.add_option("--status", options.status, "what it returns");
  magpie::flags::add_bytes(app, "--heap_bytes", options.heap_bytes,
                           "of each rank", 0, uint64_t{1} << 50);
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  return magpie::rma::launch(
      {.region_bytes = 1 << 20, .heap_bytes = options.heap_bytes},
      magpie::rank_main, &options);
}
