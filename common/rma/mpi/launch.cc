// Starting and ending a rank, and what a rank asks of its process. README.md
// tells the steps.

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/rma/crash.h"
#include "common/rma/mpi/address_space.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {

namespace backend {
Self* current = nullptr;
}

namespace mpi {

Job job;

namespace {

int number_in_environment(const char* name) {
  const char* text = getenv(name);
  int number;
  return text != nullptr && absl::SimpleAtoi(text, &number) ? number : -1;
}

// The launcher of another MPI starts processes that all believe to be alone.
void refuse_foreign_launcher() {
  if (size() > 1) return;
  const int started = std::max(number_in_environment("OMPI_COMM_WORLD_SIZE"),
                               number_in_environment("PMI_SIZE"));
  if (started <= 1) return;
  const int index = std::max(number_in_environment("OMPI_COMM_WORLD_RANK"),
                             number_in_environment("PMI_RANK"));
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(library, &length);
  const std::string version(
      library, std::find_if(library, library + length,
                            [](char c) { return c == '\n' || c == ','; }));
  // All of them find out, one of them says so.
  if (index == 0) {
    refuse_if_any(
        absl::StrCat("started as ", started,
                     " processes by the launcher of another MPI; use the one "
                     "that belongs to ",
                     version));
  }
  shut_down();
  std::exit(2);
}

void refuse_wrong_ranks() {
  std::string words;
  if (job.options.ranks != 0 && job.options.ranks != size()) {
    words = absl::StrCat("--ranks=", job.options.ranks, ": must be ", size(),
                         ", what the MPI launcher started (mpirun -n ",
                         job.options.ranks, " starts ", job.options.ranks, ")");
  }
  refuse_if_any(words);
}

void start_mpi() {
  // Open MPI would otherwise prefer osc/rdma to osc/sm on a single node, which
  // is slower, and where MPI_Compare_and_swap crashes.
  setenv("OMPI_MCA_osc_rdma_priority", "50", /*overwrite=*/0);
  int provided;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided);
  job.initialized = true;
  job.can_serialize = provided >= MPI_THREAD_SERIALIZED;
  MPI_Comm_dup(MPI_COMM_WORLD, &job.world);
  MPI_Comm_rank(job.world, &job.self.rank);
  MPI_Comm_size(job.world, &job.self.size);
  backend::current = &job.self;
}

void report(const ProbeResult& probe) {
  if (rank() != 0) return;
  const char* progress = kProgressNames[static_cast<size_t>(job.progress)];
  if (job.options.progress == Progress::kNone && !probe.waiting.empty()) {
    std::fprintf(stderr,
                 "magpie: --mpi_progress=none: these wait for a target that "
                 "computes: %s\n",
                 probe.waiting.c_str());
  }
  if (!job.options.report) return;
  const char* memory = size() == 1 ? "own" : job.aliased ? "alias" : "create";
  std::fprintf(
      stderr,
      "magpie: ranks: %d, nodes: %d, cores of this node: %d, memory: %s%s%s, "
      "waiting for a busy target: %s, progress: %s\n",
      size(), job.nodes, job.node_cores, memory,
      job.backing.empty() ? "" : " of ", job.backing.c_str(),
      probe.waiting.empty() ? "nothing" : probe.waiting.c_str(), progress);
}

// A rank that leaves like this would take the job down without a word of who
// it was.
void on_exit_in_the_middle() {
  if (job.initialized) fatal("called exit in the middle of the run");
}

// Rank 0 gets a status that tells whether any rank failed, so that it can print
// what it has before the launcher sees a failure and kills it.
int finish(int status) {
  std::fflush(nullptr);
  backend::flush_all();
  barrier();
  uint64_t worst = static_cast<uint64_t>(status & 0xff);
  reduce(&worst, 1, Reduction::kMax);
  shut_down();
  if (rank() != 0) std::exit(0);
  return status != 0 ? status : static_cast<int>(worst);
}

// Until the launcher has read what this process wrote: it would be lost with
// the pipe, since the launcher kills the job as soon as it hears of its end.
// Waits a second at most.
void wait_until_read(int fd) {
  int unread = 0;
  for (int i = 0; i < 1000 && ioctl(fd, FIONREAD, &unread) == 0 && unread > 0;
       ++i)
    usleep(1000);
}

}  // namespace

void wait_for_reader() {
  wait_until_read(STDOUT_FILENO);
  wait_until_read(STDERR_FILENO);
  usleep(20'000);  // it has it, and now passes it on
}

void refuse_if_any(const std::string& words) {
  uint64_t speaker = static_cast<uint64_t>(words.empty() ? size() : rank());
  reduce(&speaker, 1, Reduction::kMin);
  if (speaker == static_cast<uint64_t>(size())) return;
  if (speaker == static_cast<uint64_t>(rank())) {
    std::fflush(stdout);
    std::fprintf(stderr, "magpie: %s\n", words.c_str());
  }
  barrier();
  shut_down();
  std::exit(2);
}

void shut_down() {
  stop_progress();
  free_window();
  MPI_Comm_free(&job.world);
  MPI_Finalize();
  job.initialized = false;
}

}  // namespace mpi

int launch(const SegmentLayout& layout, int (*rank_main)(void* arg),
           void* arg) {
  using namespace mpi;
  run_at_fixed_addresses();
  const std::string addresses = describe_addresses();
  start_mpi();
  refuse_foreign_launcher();
  refuse_wrong_ranks();
  require_equal_addresses(addresses);
  find_nodes();
  create_segments(layout);
  internal::install_crash_handlers(layout);
  self_test();
  const ProbeResult probe = probe_progress();
  std::memset(static_cast<void*>(own_scratch()), 0, sizeof(Scratch));
  decide_progress(probe);
  start_progress();
  report(probe);
  std::atexit(on_exit_in_the_middle);
  barrier();
  return finish(rank_main(arg));
}

void fatal(std::string_view message) {
  std::fflush(stdout);
  std::fprintf(stderr, "magpie: rank %d: %.*s\n", mpi::job.self.rank,
               static_cast<int>(message.size()), message.data());
  if (mpi::job.initialized) {
    mpi::calm_progress();
    mpi::wait_for_reader();
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  _exit(1);
}

}  // namespace magpie::rma
