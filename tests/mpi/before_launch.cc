// Checks that a program does once what it does before its first run, and that
// programs which it starts find the user's own settings of the process.
//
// Prints "begin" and, with --read, the first word of its input. Launches. In
// the run rank 0 starts a shell, which prints its personality, its limit of the
// stack, and what MPI is asked for in the environment.
// With --init the program initializes MPI first; with --failing a child of rank
// 0 exits in the midst of the run, as one whose exec has failed.

#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

struct Part {
  bool has_failing_child;
};

void start_shell() {
  const int status = std::system(
      "echo \"personality $(cat /proc/self/personality)\"; "
      "echo \"stack $(ulimit -s)\"; "
      "env | sed -n 's/^\\(OMPI_MCA_osc_rdma_priority\\)=/set &/p'");
  if (status != 0) rma::fatal("no shell");
}

void have_failing_child() {
  const pid_t child = fork();
  if (child == 0) std::exit(127);
  int status = 0;
  waitpid(child, &status, 0);
  std::printf("child %d\n", WEXITSTATUS(status));
}

int rank_main(void* arg) {
  const Part& part = *static_cast<const Part*>(arg);
  rma::barrier();
  if (rma::rank() == 0) start_shell();
  if (rma::rank() == 0 && part.has_failing_child) have_failing_child();
  rma::barrier();
  return 0;
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::Part part = {};
  bool initializes = false, reads = false;
  magpie::flags::App app("Does something before its first run.");
  magpie::flags::add_switch(app, "--read", reads, "read a word");
  magpie::flags::add_switch(app, "--init", initializes, "call MPI_Init");
  magpie::flags::add_switch(app, "--failing", part.has_failing_child,
                            "have a child that exits in the run");
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  std::string word;
  if (reads) std::cin >> word;
  std::printf("begin %s\n", word.c_str());
  std::fflush(stdout);
  if (initializes) MPI_Init(&argc, &argv);
  const int status =
      magpie::rma::launch({}, magpie::rank_main, &part, sizeof(part));
  std::puts("end");
  return status;
}
