// Counts of what it takes to move threads under two schemes of addresses:
// address space that a rank reserves, pages that a thief touches, page faults
// of a steal.
//
//   iso-address (hpdc15 §4)    a thread runs and waits on a stack at an address
//                              of its own, which every rank keeps free for it
//   uni-address (hpdc15 §5.2)  its frames lie directly below its parent's, in a
//                              region that serves the threads of any rank
//
//   bazel run //bench/microbenchmarks:addressing -- --ranks=4
//
// Each rank but the first makes a chain of threads, each the child of the one
// before, which wait in the end. Rank 0 takes all of them, the oldest first,
// from one rank after the other, and then everything a second time. Each thread
// adds up, at the thief, a list that is tied together in its own frame.

#include <alloca.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/context/context.h"
#include "common/flags/flags.h"
#include "common/rma/check.h"
#include "common/rma/rma.h"

namespace magpie::bench {
namespace {

using Json = nlohmann::ordered_json;

// hpdc15 §4: 4 million cores, a tree 2^13 deep, stacks of 16 KB.
constexpr uint64_t kPaperRanks = 1 << 22;
constexpr uint64_t kPaperThreads = 1 << 13;
constexpr uint64_t kPaperStack = 1 << 14;

// Most bytes of a thread's frames besides what it asks for: calls and a saved
// context. And the bytes that it needs while it runs.
constexpr uint64_t kFrameMargin = 1024;
constexpr uint64_t kRunMargin = 4096;

// ----------------------------------------------------------- what threads hold

struct Link {
  const Link* next;
  uint64_t value;
};

constexpr uint64_t value_of(uint64_t thread, uint64_t i) {
  return (thread + 1) * 0x9e3779b97f4a7c15 ^ i;
}

// Ties a list through `links`, back to front.
[[gnu::noinline]] const Link* tie(Link* links, uint64_t count,
                                  uint64_t thread) {
  const Link* next = nullptr;
  for (uint64_t i = 0; i < count; ++i) {
    links[i] = {next, value_of(thread, i)};
    next = &links[i];
  }
  return next;
}

[[gnu::noinline]] uint64_t add_up(const Link* link) {
  uint64_t sum = 0;
  for (; link != nullptr; link = link->next) sum += link->value;
  return sum;
}

struct Job {
  bool is_iso = false;
  uint64_t ranks = 0;
  // Report in which rank 0 tells what it has counted.
  Json* report = nullptr;
  // Number of threads alive at a time, on each rank.
  uint64_t threads = 100;
  // Bytes that a thread may need while it runs, and those that it asks for.
  uint64_t stack_bytes = kPaperStack, frame_bytes = 2896;

  uint64_t links() const { return frame_bytes / sizeof(Link); }
  uint64_t most_frames() const { return frame_bytes + kFrameMargin; }
  // Addresses that each rank reserves. With uni-address the youngest thread may
  // need a whole stack.
  uint64_t reserved_bytes() const {
    return is_iso ? ranks * threads * stack_bytes
                  : threads * most_frames() + stack_bytes;
  }
};

// The frames of a thread that waits, from its saved context.
struct Frames {
  std::byte* base;
  uint64_t bytes;
};

// ------------------------------------------------------------ what is counted

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

uint64_t count_faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

uint64_t whole_pages(uint64_t bytes) {
  return (bytes + page_bytes() - 1) / page_bytes();
}

// Bytes of each rank's segment.
rma::SegmentLayout layout_of(const Job& job) {
  return {.region_bytes = whole_pages(job.reserved_bytes()) * page_bytes(),
          .heap_bytes = rma::allocated_bytes<Frames>(job.threads),
          .region_overflow =
              "the region is exhausted: raise --stack_bytes or "
              "lower --frame_bytes"};
}

// Pages of the segment that have memory.
uint64_t count_pages(const Job& job) {
  const rma::SegmentLayout layout = layout_of(job);
  const uint64_t bytes = layout.region_bytes + layout.heap_bytes;
  std::vector<unsigned char> resident(whole_pages(bytes));
  if (mincore(rma::self().region, bytes, resident.data()) != 0)
    rma::fatal("mincore does not tell which pages have memory");
  return static_cast<uint64_t>(std::count_if(
      resident.begin(), resident.end(), [](auto p) { return (p & 1) != 0; }));
}

// ------------------------------------------------------ a rank of one scheme

class Rank {
 public:
  // Collective.
  explicit Rank(const Job& job)
      : job_(job), waiting_(rma::allocate<Frames>(job.threads)) {
    rma::self().local = this;
  }

  // Rank 0 visits each victim, and then each again.
  void run() {
    Json visits;
    const int victims = rma::size() - 1;
    for (int visit = 0; visit < 2 * victims; ++visit) {
      const int victim = 1 + visit % victims;
      if (rma::rank() == victim) start();
      rma::barrier();
      if (rma::rank() == 0) visits.push_back(steal_all(victim));
      rma::barrier();
    }
    const bool is_thief = rma::rank() == 0;
    uint64_t victim_pages = is_thief ? 0 : count_pages(job_);
    rma::reduce(&victim_pages, 1, rma::Reduction::kMax);
    if (!is_thief) return;
    const Job papers = {job_.is_iso,   kPaperRanks, nullptr,
                        kPaperThreads, kPaperStack, job_.frame_bytes};
    *job_.report = {{"scheme", job_.is_iso ? "iso-address" : "uni-address"},
                    {"right", sum_ == sum_of_all()},
                    {"reserved_bytes", job_.reserved_bytes()},
                    {"paper_bytes", papers.reserved_bytes()},
                    {"stolen_bytes", stolen_bytes_},
                    {"thief_pages", count_pages(job_)},
                    {"victim_pages", victim_pages},
                    {"visits", visits}};
  }

 private:
  static Rank& here() { return *static_cast<Rank*>(rma::self().local); }

  // Makes the chain of threads, until all of them wait.
  void start() {
    std::byte* const begin = job_.is_iso ? own_stacks() : rma::self().region;
    std::byte* const end = job_.is_iso ? begin + job_.threads * job_.stack_bytes
                                       : begin + rma::self().region_bytes;
    rma::use_region(begin, end);
    context::save_and_call([this, end](context::Context* scheduler) {
      scheduler_ = scheduler;
      end_ = job_.is_iso ? own_stacks() + job_.stack_bytes : end;
      context::start_on_stack(end_, &run_thread, nullptr);
    });
  }

  // A thread with `depth` threads above it. It waits for its child, the
  // youngest for nothing, and goes on at the thief.
  static void run_thread(void* depth) {
    const uint64_t above = reinterpret_cast<uintptr_t>(depth);
    const uint64_t count = here().job_.links();
    Link* const links = static_cast<Link*>(alloca(count * sizeof(Link)));
    const Link* const list = tie(links, count, here().thread_name(above));
    here().wait(above);
    here().sum_ += add_up(list);
    context::resume(here().scheduler_);
  }

  // The running thread waits, and its child begins. Returns at the thief.
  void wait(uint64_t above) {
    context::save_and_call([this, above](context::Context* thread) {
      std::byte* const base = reinterpret_cast<std::byte*>(thread);
      const Frames frames = {base, static_cast<uint64_t>(end_ - base)};
      check(frames.bytes <= job_.most_frames(), "frames larger than foreseen");
      waiting_.local()[above] = frames;
      const uint64_t child = above + 1;
      if (child == job_.threads) context::resume(scheduler_);
      end_ = job_.is_iso ? own_stacks() + (child + 1) * job_.stack_bytes : base;
      context::start_on_stack(end_, &run_thread,
                              reinterpret_cast<void*>(child));
    });
  }

  // Brings in a thread and runs it to its end.
  void run_stolen(int victim, const Frames& thread) {
    rma::use_region(thread.base, thread.base + thread.bytes);
    rma::get(thread.base, rma::region_ptr(victim, thread.base), thread.bytes);
    context::save_and_call([this, &thread](context::Context* scheduler) {
      scheduler_ = scheduler;
      context::resume(reinterpret_cast<context::Context*>(thread.base));
    });
    rma::leave_region();
  }

  // Returns the kernel's counts for the thief: pages of its segment that have
  // got memory, and page faults. The first steal is left out, as in hpdc15
  // §6.3: code that runs for the first time has faults, too. Reads everything
  // once before it counts: a network that reads the victim's memory by itself
  // causes the thief no faults there.
  Json steal_all(int victim) {
    std::vector<Frames> threads;
    std::vector<std::byte> copy(job_.stack_bytes);
    for (uint64_t i = 0; i < job_.threads; ++i) {
      const Frames thread = rma::get(waiting_.at(victim) + i);
      threads.push_back(thread);
      stolen_bytes_ = std::max(stolen_bytes_, thread.bytes);
      rma::get(copy.data(), rma::region_ptr(victim, thread.base), thread.bytes);
    }
    run_stolen(victim, threads[0]);
    const uint64_t pages_before = count_pages(job_);
    const uint64_t faults_before = count_faults();
    for (uint64_t i = 1; i < threads.size(); ++i)
      run_stolen(victim, threads[i]);
    const uint64_t faults = count_faults() - faults_before;
    const uint64_t pages = count_pages(job_) - pages_before;
    return {{"steals", threads.size() - 1},
            {"new_pages", pages},
            {"page_faults", faults}};
  }

  // With iso-address: where the first stack of this rank begins.
  std::byte* own_stacks() const {
    return rma::self().region + thread_name(0) * job_.stack_bytes;
  }
  uint64_t thread_name(uint64_t depth) const {
    return static_cast<uint64_t>(rma::rank()) * job_.threads + depth;
  }
  uint64_t sum_of_all() const {
    uint64_t sum = 0;
    for (uint64_t name = job_.threads; name < job_.ranks * job_.threads;
         ++name) {
      for (uint64_t i = 0; i < job_.links(); ++i) sum += 2 * value_of(name, i);
    }
    return sum;
  }

  const Job& job_;
  // The threads of each rank that wait, the oldest first.
  const rma::RemotePtr<Frames> waiting_;
  context::Context* scheduler_ = nullptr;
  // End of the running thread's frames.
  std::byte* end_ = nullptr;
  // Sum of what threads have found on this rank, and most bytes that a steal
  // has copied.
  uint64_t sum_ = 0, stolen_bytes_ = 0;
};

int run_rank(void* job) {
  Rank(*static_cast<const Job*>(job)).run();
  return 0;
}

int benchmark(int argc, char** argv) {
  flags::App app(
      "Counts address space, pages and page faults of threads that migrate.");
  Job job;
  bool json = false;
  flags::add_integer<uint64_t>(app, "--threads", job.threads,
                               "number of threads alive at once, on each rank",
                               2, 1 << 20);
  flags::add_bytes(app, "--stack_bytes", job.stack_bytes,
                   "stack that a thread may need while it runs", 8 << 10,
                   1 << 30, page_bytes());
  flags::add_bytes(app, "--frame_bytes", job.frame_bytes,
                   "least size of a thread's frames", 64, 1 << 20,
                   sizeof(Link));
  flags::add_switch(app, "--json", json,
                    "print one JSON object instead of one for each scheme");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  if (job.frame_bytes + kRunMargin > job.stack_bytes) {
    flags::die(absl::StrCat(
        "--frame_bytes=", flags::in_units(job.frame_bytes),
        ": no room in --stack_bytes=", flags::in_units(job.stack_bytes),
        " (rounded up), with ", kRunMargin, " for what it calls"));
  }
  job.ranks = static_cast<uint64_t>(rma::ranks_to_launch());
  if (job.ranks < 3)
    flags::die(absl::StrCat("--ranks=", job.ranks,
                            ": a thief and two victims are needed"));
  Json schemes = Json::array();
  for (const bool is_iso : {true, false}) {
    job.is_iso = is_iso;
    job.report = &schemes.emplace_back();
    const int status =
        rma::launch(layout_of(job), &run_rank, &job, sizeof(job));
    if (status != 0) return status;
  }
  if (!json) {
    for (const Json& scheme : schemes)
      std::printf("%s\n", scheme.dump().c_str());
  } else {
    const Json run = {{"program", "addressing"},
                      {"backend", rma::kBackend.name},
                      {"ranks", job.ranks},
                      {"params",
                       {{"threads", job.threads},
                        {"stack_bytes", job.stack_bytes},
                        {"frame_bytes", job.frame_bytes}}},
                      {"result", {{"schemes", schemes}}}};
    std::printf("%s\n", run.dump().c_str());
  }
  for (const Json& scheme : schemes) {
    if (scheme["right"]) continue;
    std::fprintf(stderr, "addressing: %s: threads came out wrong\n",
                 scheme["scheme"].get<std::string>().c_str());
    return 1;
  }
  return 0;
}

}  // namespace
}  // namespace magpie::bench

int main(int argc, char** argv) { return magpie::bench::benchmark(argc, argv); }
