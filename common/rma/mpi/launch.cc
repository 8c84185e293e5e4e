// Starting and ending a rank, and what a rank asks of its process. README.md
// tells the steps.

#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/flags/flags.h"
#include "common/flags/launcher.h"
#include "common/rma/backends.h"
#include "common/rma/mpi/job.h"
#include "common/rma/supervision/supervision.h"

namespace magpie::rma {

namespace mpi {

[[gnu::section("magpie_own")]] Job job;

namespace {

// Refuses the launcher of another MPI, whose processes all believe that they
// are alone.
void refuse_foreign_launcher() {
  if (size() > 1) return;
  const flags::Launched launched = flags::launched();
  if (launched.processes <= 1) return;
  char library[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(library, &length);
  const std::string version(
      library, std::find_if(library, library + length,
                            [](char c) { return c == '\n' || c == ','; }));
  // All processes find this out, one says so: this one, where it is alone.
  if (!flags::speaks_for_all()) std::exit(2);
  fatal(absl::StrCat("started as ", launched.processes, " processes (",
                     launched.variable,
                     ") by the launcher of another MPI; use the launcher of ",
                     version,
                     "; or, where a launcher's variables were left over, set ",
                     flags::kLauncherVariable, "=", flags::kNoLauncher),
        2);
}

void refuse_wrong_ranks() {
  if (job.options.ranks == 0 || job.options.ranks == size()) return;
  fatal(absl::StrCat("--ranks=", job.options.ranks, ": must be ", size(),
                     ", the number that the MPI launcher started (mpirun -n ",
                     job.options.ranks, " starts ", job.options.ranks, ")"),
        2);
}

// Refuses a program that has called MPI_Init: before MPI starts, it has to be
// asked for threads and told its parameters.
void refuse_initialized_mpi() {
  int is_initialized = 0;
  MPI_Initialized(&is_initialized);
  if (is_initialized == 0) return;
  int first = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &first);
  if (first != 0) sleep(1);  // one says so, and the launcher ends all
  flags::die(
      "the program has called MPI_Init before its first run: the network of "
      "//common/rma:mpi does that itself, and ends MPI when the program exits");
}

void start_mpi() {
  initialize_mpi();
  MPI_Comm_dup(MPI_COMM_WORLD, &job.world);
  MPI_Comm_rank(job.world, &job.self.rank);
  MPI_Comm_size(job.world, &job.self.size);
  backend::current = &job.self;
  make_stack();
}

void report() {
  if (rank() != 0 || !job.options.report) return;
  const char* progress = kProgressNames[static_cast<size_t>(job.progress)];
  const char* memory = size() == 1 ? "own" : job.aliased ? "alias" : "create";
  std::fprintf(stderr,
               "magpie: ranks: %d, nodes: %d, memory: %s%s%s, progress: %s%s\n",
               size(), job.nodes, memory, job.backing.empty() ? "" : " of ",
               job.backing.c_str(), progress,
               job.yields_when_idle ? ", waiting ranks yield" : "");
}

// Returns the job's status on rank 0: whether any rank failed. Each of the
// other ranks ends with its own.
int finish(int status) {
  std::fflush(nullptr);
  backend::flush(kAllRanks);
  barrier();
  auto worst = static_cast<uint64_t>(status);
  reduce(&worst, 1, Reduction::kMax);
  stop_progress();
  free_segments();
  return rank() == 0 && status == 0 ? static_cast<int>(worst) : status;
}

// Waits until the launcher has read what this process wrote, a second at most:
// it would be lost with the pipe, since the launcher kills the job as soon as
// it hears of its end.
void wait_until_read() {
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
    int unread = 0;
    for (int i = 0; i < 1000 && ioctl(fd, FIONREAD, &unread) == 0 && unread > 0;
         ++i)
      usleep(1000);
  }
  usleep(20'000);  // the launcher has it, and now passes it on
}

// The thread that looks at the node's ranks, in the process of the first. Not
// destroyed where the process ends in the middle of a run.
std::jthread* monitor = nullptr;

// Looks until it is told to stop, if there is a need. The rank may be within
// MPI, or asleep: so MPI is not asked to end the job, but the launcher does so
// when a process ends with a status.
void look_again_and_again(std::stop_token stop,
                          internal::LivenessOptions options,
                          std::span<const RankStatus> ranks) {
  internal::LivenessMonitor looks(options, ranks, job.page->spoken);
  std::mutex mutex;
  std::condition_variable_any changes;
  std::unique_lock lock(mutex);
  while (looks.ms_to_look() >= 0 && !stop.stop_requested()) {
    changes.wait_for(lock, stop, std::chrono::milliseconds(looks.ms_to_look()),
                     [] { return false; });
    if (!looks.look()) continue;
    wait_until_read();
    _exit(1);
  }
}

// Begins the rank's status; the first rank of a node looks at all there. Nobody
// judges where the job has several nodes, since each would see only the ranks
// of its own node; nor where a node's ranks share no memory.
void begin_status() {
  std::span ranks(job.page->statuses, static_cast<size_t>(job.node_ranks));
  internal::begin_status(ranks[static_cast<size_t>(job.node_index)]);
  if (!job.shares_page) ranks = ranks.first(1);
  internal::LivenessOptions options = job.options.liveness;
  if (job.nodes != 1 || !job.shares_page) options.patience = 0;
  // Linux may allow that only processes above read a process's memory (Yama).
  if (options.patience > 0 && size() > 1)
    prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY);
  if (job.node_index != 0) return;
  // Signals are for the rank's thread.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  monitor = new std::jthread(look_again_and_again, options, ranks);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void end_status() {
  delete std::exchange(monitor, nullptr);
  internal::end_status();
}

int run(const SegmentLayout& wanted, int (*rank_main)(void* arg), void* arg) {
  const SegmentLayout layout = internal::with_aligned_heap(wanted);
  job.self = {.rank = job.self.rank,
              .size = job.self.size,
              .counters = {},
              .task_stacks = {}};
  refuse_wrong_ranks();
  create_segments(layout);
  internal::enter_run(layout, &job.page->spoken, nullptr);
  begin_status();
  std::memset(static_cast<void*>(own_scratch()), 0, sizeof(Scratch));
  decide_progress();
  start_progress();
  report();
  barrier();
  const int result = rank_main(arg);
  const int status = finish(internal::as_status(result));
  end_status();
  internal::leave_run();
  return status;
}

// ------------------------------------------------------- runs after the first
//
// MPI has been started once, and the ranks other than 0 never return from the
// first launch(). Between runs they wait for rank 0, whose program goes on.

// An order for a run that is not the first: rank 0 gives it with the run's
// argument.
struct Order {
  // Null: the process of rank 0 ends.
  int (*rank_main)(void* arg);
  SegmentLayout layout;
  size_t arg_bytes;
  // The flags, which only rank 0 has read.
  Options options;
};

// Sends an order, or waits for it: for as long as rank 0 does other things, and
// so with naps in between, each for an eighth of the time so far.
void send(Order* order) {
  constexpr uint64_t kShortestNs = 10'000, kLongestNs = 2'000'000, kShare = 8;
  MPI_Request request;
  MPI_Ibcast(order, sizeof(*order), MPI_BYTE, 0, job.world, &request);
  const uint64_t begin = now();
  for (int done = 0; rank() != 0;) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return;
    usleep(static_cast<useconds_t>(
        std::clamp((now() - begin) / kShare, kShortestNs, kLongestNs) / 1000));
  }
  wait(&request);
}

// Releases what MPI holds for this job and finalizes it.
void shut_down() {
  // All ranks enter MPI_Finalize at once. MPICH 4.0 over UCX ends a rank's
  // connections there, each with an answer of the peer, and then lets the rank
  // sleep in a barrier of the launcher, where it answers nobody: a rank that
  // came later would wait forever. So none serves the network from when it may
  // get such a request until it has sent its own.
  constexpr useconds_t kPause = 20'000;
  if (job.nodes != 1) {
    barrier();
    usleep(kPause);
  }
  MPI_Comm_free(&job.world);
  MPI_Finalize();
  job.initialized = false;
  internal::leave_run();
}

// Called by ranks other than 0 after a first run with that status: runs each
// order until one says to end. Exits with the first status of a run that is not
// 0.
[[noreturn]] void obey_orders(int status) {
  for (;;) {
    // The process is still a rank, though of no run.
    backend::current = &job.self;
    Order order;
    send(&order);
    if (order.rank_main == nullptr) break;
    job.options = order.options;
    // Aligned as the argument may need it.
    void* const arg =
        order.arg_bytes > 0 ? std::malloc(order.arg_bytes) : nullptr;
    broadcast(arg, order.arg_bytes, 0);
    const int result = run(order.layout, order.rank_main, arg);
    if (status == 0) status = result;
    std::free(arg);
  }
  shut_down();
  std::exit(status);
}

// Ends the other ranks, too, where rank 0's process exits between runs.
void on_exit_of_process(int, void*) {
  if (!job.initialized || job.process != getpid()) return;
  backend::current = &job.self;
  // When another rank ends with a status, the launcher kills all.
  std::fflush(nullptr);
  Order order = {};
  send(&order);
  shut_down();
}

// Starts the job, before the first run.
void start_job() {
  refuse_initialized_mpi();
  const std::string addresses = describe_addresses();
  start_mpi();
  refuse_foreign_launcher();
  find_nodes();
  job.process = getpid();
  // Called after the refusal of exits, which is set later.
  on_exit(&on_exit_of_process, nullptr);
  internal::enter_run({}, &job.page->spoken, nullptr);
  require_equal_addresses(addresses);
}

}  // namespace

bool everywhere(bool here) {
  uint64_t all = here;
  reduce(&all, 1, Reduction::kMin);
  return all != 0;
}

}  // namespace mpi

void add_options(CLI::App& app) {
  using mpi::job;
  job.options = {};
  CLI::Option* const ranks = flags::add_integer(
      app, "--ranks", job.options.ranks,
      "number of ranks: only the number that the MPI launcher started", 1,
      1 << 24);
  flags::describe_default(ranks, "all of them");
  flags::add_choice(app, "--mpi_progress", job.options.progress,
                    "who serves operations whose target computes: nobody, the "
                    "rank at each spawn (poll), a thread of its own, or poll "
                    "unless ranks share memory by Open MPI's osc/sm or "
                    "osc/rdma (auto)",
                    mpi::kProgressNames);
  flags::add_choice(
      app, "--mpi_memory", job.options.memory,
      "memory of the window: from MPI, mapped a second time "
      "(alias), the program's own (create), or the first of these that "
      "works (auto)",
      mpi::kMemoryNames);
  flags::add_switch(app, "--mpi_report", job.options.report,
                    "print what start-up found and decided");
  internal::add_options(app, job.options.liveness);
}

// MPI is initialized, and tells the number, where no known launcher does.
int ranks_to_launch() {
  using mpi::job;
  if (job.initialized) return job.self.size;
  if (job.options.ranks != 0) return job.options.ranks;
  const int launched = flags::launched().processes;
  if (launched > 1) return launched;
  mpi::start_job();
  internal::leave_run();
  return job.self.size;
}

int launch(const SegmentLayout& layout, int (*rank_main)(void* arg), void* arg,
           size_t arg_bytes) {
  using mpi::job;
  internal::refuse_nested_run();
  if (!job.initialized) mpi::start_job();
  backend::current = &job.self;
  if (std::exchange(job.has_run, true)) {
    internal::require_bytes(arg, arg_bytes, job.self.size);
    mpi::Order order = {rank_main, layout, arg_bytes, job.options};
    mpi::send(&order);
    broadcast(arg, arg_bytes, 0);
  }
  const int status = mpi::run(layout, rank_main, arg);
  if (job.self.rank == 0) return status;
  mpi::obey_orders(status);
}

void fatal(std::string_view message, int status) {
  internal::speak_last(message);
  if (mpi::job.initialized) {
    mpi::calm_progress();
    mpi::wait_until_read();
    mpi::on_mpi_stack([=] { MPI_Abort(MPI_COMM_WORLD, status); });
  }
  _exit(status);
}

}  // namespace magpie::rma
