// Ends a job in a way of one's choice, for end_of_job_test.sh and //tests/mpi.
//
// Runs --runs jobs in a row, of changing sizes, and checks for all but the last
// what a run promises. In the last one all ranks meet; rank 0 prints "ready";
// rank --by does --how, while the others do --others until the job ends under
// them. Then the program does --outside.

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>

#include "common/flags/flags.h"
#include "common/rma/rma.h"

namespace magpie {
namespace {

using Name = std::array<char, 16>;

// All arguments that ranks of a further run get.
struct Part {
  Name how = {};
  Name others = {};
  int by = 0;
  int status = 0;
  int run = 0;
  bool is_last = true;
  size_t heap_bytes = 0;
};

int* null_address() {
  volatile uintptr_t zero = 0;
  return reinterpret_cast<int*>(zero);
}

int start_a_run() {
  return rma::launch(
      {}, [](void*) { return 0; }, nullptr);
}

// Prints what a program that the rank starts finds of the process.
constexpr char kLookAround[] =
    "echo \"personality $(cat /proc/self/personality)\"; "
    "echo \"stack $(ulimit -s)\"; "
    "env | sed -n 's/^\\(OMPI_MCA_osc_rdma_priority\\)=/set &/p'";

int misbehave(const Part& part) {
  const std::string_view how(part.how.data());
  if (how == "fatal") rma::fatal("as told");
  if (how == "leave_child" && std::system("sleep 1000 &") > 0) return 9;
  if (how == "die_with_child") return std::system("kill -9 $PPID; sleep 1000");
  if (how == "look_around" && std::system(kLookAround) > 0) return 9;
  if (how == "failing_child") {  // as one whose exec has failed
    signal(SIGCHLD, SIG_DFL);
    const pid_t child = fork();
    if (child == 0) std::exit(127);
    int status = 0;
    waitpid(child, &status, 0);
    if (WEXITSTATUS(status) != 127) return 9;
  }
  if (how == "print_last") {
    std::ios::sync_with_stdio(false);
    std::cout << "kept in cout\n";
    static std::ofstream file("/dev/stderr");
    file << "kept in a file\n";
    std::atexit([] { std::fputs("kept until the exit\n", stdout); });
  }
  if (how == "hit") {
    if (fork() == 0) _exit(1 + kill(getppid(), SIGSEGV));
    for (;;) pause();
  }
  if (how == "segv") return *null_address();
  if (how == "own_handler") return raise(SIGFPE) + raise(SIGBUS);
  if (how == "kill") raise(SIGKILL);
  if (how == "abort") std::abort();
  if (how == "exception") throw std::runtime_error("as told");
  if (how == "exit") std::exit(part.status);
  if (how == "_exit") _exit(part.status);
  if (how == "overflow") return static_cast<int>(*(rma::self().region - 1));
  if (how == "nest") return start_a_run();
  if (how == "print_pid") {
    std::printf("pid %d\n", getpid());
    for (;;) rma::idle();
  }
  return part.status;  // "return"
}

int others_part(std::string_view others) {
  volatile uint64_t work = 0;
  if (others == "barrier") rma::barrier();
  if (others == "fatal") rma::fatal("the others, too");
  while (others == "idle") rma::idle();
  while (others == "rest") rma::rest(3'600'000'000'000);  // an hour
  while (others == "spin") work = work + 1;
  return 0;  // "finish"
}

// Checks that the run is like any other: zeroed memory of the size asked for,
// operations, and counters that begin at 0. Returns what failed.
int check_run(const Part& part) {
  const auto size = static_cast<uint64_t>(rma::size());
  if (rma::self().counters[rma::Op::kFetchAdd].operations != 0) return 11;
  const size_t words = (part.heap_bytes - 64) / sizeof(rma::Word);
  const auto heap = rma::allocate<rma::Word>(words);
  if (reinterpret_cast<uintptr_t>(heap.local()) % alignof(rma::Word) != 0)
    return 15;
  for (size_t i = 0; i < words; ++i) {
    if ((heap + i).local()->load() != 0) return 12;
    (heap + i).local()->store(i + 1);
  }
  if (rma::self().region_bytes > 0) *rma::self().region = std::byte{1};
  rma::barrier();
  rma::fetch_add(heap.at(0), static_cast<uint64_t>(part.run));
  rma::flush_all();
  rma::barrier();
  uint64_t sum = rma::get_word(heap.at(0));
  if (sum != 1 + size * static_cast<uint64_t>(part.run)) return 13;
  rma::reduce(&sum, 1, rma::Reduction::kSum);
  return sum == size * (1 + size * static_cast<uint64_t>(part.run)) ? 0 : 14;
}

// Whether on_signal was called.
volatile sig_atomic_t has_heard = 0;

int rank_main(void* arg) {
  const Part& part = *static_cast<const Part*>(arg);
  if (!part.is_last) return check_run(part);
  if (std::string_view(part.how.data()) == "signal_parent") {
    if (rma::rank() == part.by) kill(getppid(), SIGUSR2);
    while (has_heard == 0) rma::idle();
    return part.status;
  }
  if (std::string_view(part.how.data()) == "fail_first" &&
      rma::rank() == part.by)
    rma::fatal("as told");
  rma::barrier();
  if (rma::rank() == 0) std::puts("ready");
  rma::barrier();
  if (std::string_view(part.how.data()) == "exhaust_heap") {
    for (;;) rma::allocate<rma::Word>(1000);
  }
  return rma::rank() == part.by ? misbehave(part)
                                : others_part(part.others.data());
}

// Does something that needs a run, outside a run.
void do_outside(const std::string& what) {
  if (what == "local") {
    std::printf("%d\n", *static_cast<const volatile int*>(rma::self().local));
  }
  if (what == "get") std::printf("%lu\n", rma::get_word({0, 64}));
  if (what == "barrier") rma::barrier();
  if (what == "allocate") rma::allocate<rma::Word>();
  if (what == "idle") rma::idle();
  if (what == "rest") rma::rest(1);
  if (what == "wake") rma::wake(0);
  if (what == "fatal") rma::fatal("as told");
  if (what == "rank" && (rma::rank() != -1 || rma::size() != 0)) std::exit(9);
}

// The program's handler, which ranks have too.
void on_signal(int) {
  has_heard = 1;
  const char words[] = {
      'u', 's', 'r', '2', ' ', static_cast<char>('0' + rma::rank()), '\n'};
  if (write(STDOUT_FILENO, words, sizeof(words)) < 0) _exit(9);
}

// Signal settings that a run must leave as the program has made them.
alignas(16) std::byte signal_stack[64 << 10];

void set_signals() {
  struct sigaction action = {};
  action.sa_handler = SIG_IGN;
  action.sa_flags = SA_NOCLDSTOP | SA_RESTART;
  sigaddset(&action.sa_mask, SIGUSR1);
  sigaction(SIGCHLD, &action, nullptr);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGCHLD);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  stack_t stack = {};
  stack.ss_sp = signal_stack;
  stack.ss_size = sizeof(signal_stack);
  sigaltstack(&stack, nullptr);
}

// MPI has its own handler for its launcher's end, so it is not checked.
bool are_signals_as_set() {
  if (std::string_view(rma::kBackend.name) == "mpi") return true;
  struct sigaction action;
  stack_t stack;
  return sigaction(SIGCHLD, nullptr, &action) == 0 &&
         action.sa_handler == SIG_IGN &&
         (action.sa_flags & SA_NOCLDSTOP) != 0 &&
         sigismember(&action.sa_mask, SIGUSR1) == 1 &&
         sigaltstack(nullptr, &stack) == 0 && stack.ss_sp == signal_stack;
}

void sleep() { pause(); }
void reap() {
  for (;;) waitpid(-1, nullptr, 0);
}

void set_ranks(int ranks) {
  flags::App app;
  rma::add_options(app);
  flags::parse_rest_or_exit(app, {"--ranks=" + std::to_string(ranks)});
}

}  // namespace
}  // namespace magpie

int main(int argc, char** argv) {
  magpie::Part part;
  std::string how = "return", others = "finish", outside;
  int runs = 1, later_ranks = 0, threads = 0;
  uint64_t heap_bytes = 1 << 20;
  bool reaps = false, reads = false;
  magpie::flags::App app("Ends a job in a way of one's choice.");
  magpie::flags::add_text(
      app, "--how", how,
      "return fatal segv kill abort exception exit _exit overflow "
      "nest exhaust_heap print_pid signal_parent fail_first leave_child "
      "die_with_child hit look_around failing_child");
  magpie::flags::add_text(app, "--others", others,
                          "finish barrier fatal idle rest spin");
  magpie::flags::add_integer(app, "--by", part.by, "the rank that does it");
  magpie::flags::add_integer(app, "--status", part.status, "what it returns");
  magpie::flags::add_integer(app, "--runs", runs, "in a row");
  magpie::flags::add_integer(app, "--later_ranks", later_ranks,
                             "--ranks of all but the first");
  magpie::flags::add_integer(app, "--threads", threads,
                             "that sleep, before the first run");
  magpie::flags::add_switch(app, "--reaps", reaps,
                            "threads wait for any child instead");
  magpie::flags::add_switch(app, "--read", reads, "print a word of the input");
  magpie::flags::add_text(
      app, "--outside", outside,
      "after all runs: local get barrier allocate idle fatal rank");
  magpie::flags::add_bytes(app, "--heap_bytes", heap_bytes, "of each rank", 0,
                           UINT64_MAX);
  magpie::rma::add_options(app);
  magpie::flags::parse_or_exit(app, argc, argv);
  how.copy(part.how.data(), part.how.size() - 1);
  others.copy(part.others.data(), part.others.size() - 1);
  if (how == "ask_early") raise(SIGUSR1);
  if (std::string word; reads && std::cin >> word) std::puts(word.c_str());
  magpie::set_signals();
  signal(SIGUSR2, magpie::on_signal);
  if (how == "own_handler") {
    signal(SIGFPE, [](int) { std::puts("its own"); });
    signal(SIGBUS, [](int) { _exit(3); });
  }
  for (int i = 0; i < threads; ++i)
    std::thread(reaps ? magpie::reap : magpie::sleep).detach();
  int status = 0;
  for (part.run = 1; part.run <= runs && status == 0; ++part.run) {
    if (part.run > 1 && later_ranks > 0) magpie::set_ranks(later_ranks);
    part.is_last = part.run == runs;
    part.heap_bytes =
        part.is_last ? heap_bytes : heap_bytes * (1 + part.run % 3);
    // The size is no multiple of anything.
    const size_t region_bytes =
        part.is_last ? 1 << 20 : static_cast<size_t>(part.run % 4) * 1'000'003;
    status = magpie::rma::launch(
        {.region_bytes = region_bytes, .heap_bytes = part.heap_bytes},
        magpie::rank_main, &part, sizeof(part));
  }
  if (!magpie::are_signals_as_set()) return 16;
  magpie::do_outside(outside);
  return status;
}
