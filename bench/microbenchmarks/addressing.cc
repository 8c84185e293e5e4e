// Counts of what it takes to move threads under two schemes of addresses:
// address space that a rank reserves, pages that a thief touches, page faults
// of a steal. The schemes are iso-address (hpdc15 §4) and uni-address (§5.2).
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
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/flags/flags.h"
#include "common/rma/rma.h"
#include "common/run/describe.h"
#include "impl/uniaddr/addressing/iso_address.h"
#include "impl/uniaddr/addressing/packed.h"
#include "impl/uniaddr/addressing/scheme.h"

namespace magpie::bench {
namespace {

using uniaddr::AddressScheme;
using uniaddr::SavedThread;
using uniaddr::Shape;

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
  Shape shape = {.threads = 100, .stack_bytes = kPaperStack};
  uint64_t links = 0;
};

// ------------------------------------------------------------ what is counted

// The kernel's counts for the thief while it steals. The first steal from each
// victim is left out, as in hpdc15 §6.3: code that runs for the first time has
// faults, too.
struct Phase {
  uint64_t steals = 0;
  // Pages of its segment that have got memory.
  uint64_t new_pages = 0;
  uint64_t page_faults = 0;

  Json report() const {
    return {{"steals", steals},
            {"new_pages", new_pages},
            {"page_faults", page_faults}};
  }
};

struct Row {
  const char* scheme;
  // Addresses that a rank reserves, in this run and at the paper's size.
  uint64_t reserved_bytes = 0, paper_bytes = 0;
  // Most bytes that a steal copies.
  uint64_t stolen_bytes = 0;
  // Steals from the first victim, from the others, and of the same threads
  // again.
  Phase first = {}, others = {}, again = {};
  // Pages of their segments that have memory in the end.
  uint64_t thief_pages = 0, victim_pages = 0;
  // Whether threads found what they had left in their frames.
  bool right = false;

  // Pages are told where each rank has its own.
  Json report(bool has_memory) const {
    Json row = {{"scheme", scheme},
                {"right", right},
                {"reserved_bytes", reserved_bytes},
                {"paper_bytes", paper_bytes},
                {"stolen_bytes", stolen_bytes}};
    if (!has_memory) return row;
    row["thief_pages"] = thief_pages;
    row["victim_pages"] = victim_pages;
    row["first"] = first.report();
    row["others"] = others.report();
    row["again"] = again.report();
    return row;
  }
};

// Prints a line for each number, with a column for each scheme.
void print_table(const Json& schemes) {
  const Json names = schemes[0].flatten();
  for (const auto& [name, value] : names.items()) {
    std::string line = absl::StrFormat("%-20s", name.substr(1));
    for (const Json& scheme : schemes)
      absl::StrAppendFormat(&line, "%20s",
                            scheme.at(Json::json_pointer(name)).dump());
    std::printf("%s\n", line.c_str());
  }
}

uint64_t page_bytes() { return static_cast<uint64_t>(sysconf(_SC_PAGESIZE)); }

uint64_t count_faults() {
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<uint64_t>(usage.ru_minflt);
}

// Pages of the segment that have memory; 0 where ranks share a process.
uint64_t count_pages(const rma::SegmentLayout& layout) {
  if (rma::self().ranks_in_process > 1) return 0;
  const uint64_t page = page_bytes();
  const uint64_t bytes = layout.region_bytes + layout.heap_bytes;
  std::vector<unsigned char> resident((bytes + page - 1) / page);
  if (mincore(rma::self().region, bytes, resident.data()) != 0)
    rma::fatal("mincore does not tell which pages have memory");
  return static_cast<uint64_t>(std::count_if(
      resident.begin(), resident.end(), [](auto p) { return (p & 1) != 0; }));
}

// ------------------------------------------------------ a rank of one scheme

template <AddressScheme Scheme>
class Rank {
 public:
  // Collective.
  Rank(const Job& job, const rma::SegmentLayout& layout, Row& row)
      : job_(job), layout_(layout), row_(row), scheme_(job.shape) {
    rma::self().local = this;
  }

  void run() {
    for (Phase* round : {&row_.others, &row_.again}) {
      for (int victim = 1; victim < rma::size(); ++victim) {
        const bool is_first = victim == 1 && round == &row_.others;
        if (rma::rank() == victim) scheme_.start(&run_thread, nullptr);
        rma::barrier();
        if (rma::rank() == 0) steal_all(victim, is_first ? row_.first : *round);
        rma::barrier();
      }
    }
    const bool is_thief = rma::rank() == 0;
    uint64_t most = is_thief ? 0 : count_pages(layout_);
    rma::reduce(&most, 1, rma::Reduction::kMax);
    if (!is_thief) return;
    row_.thief_pages = count_pages(layout_);
    row_.victim_pages = most;
    row_.right = sum_ == sum_of_all();
  }

 private:
  static Rank& here() { return *static_cast<Rank*>(rma::self().local); }

  // A thread with `depth` threads above it. It waits for its child, the
  // youngest for nothing, and goes on at the thief.
  static void run_thread(void* depth) {
    const uint64_t above = reinterpret_cast<uintptr_t>(depth);
    const uint64_t count = here().job_.links;
    Link* const links = static_cast<Link*>(alloca(count * sizeof(Link)));
    const Link* const list = tie(links, count, here().thread_name(above));
    if (above + 1 < here().job_.shape.threads) {
      here().scheme_.spawn(&run_thread, reinterpret_cast<void*>(above + 1));
    } else {
      here().scheme_.wait();
    }
    here().sum_ += add_up(list);
    here().scheme_.leave();
  }

  // Reads everything once before it counts: a network that reads the victim's
  // memory by itself causes the thief no faults there.
  void steal_all(int victim, Phase& phase) {
    std::vector<SavedThread> threads;
    std::vector<std::byte> frames(job_.shape.stack_bytes);
    for (uint64_t i = 0; i < job_.shape.threads; ++i) {
      threads.push_back(scheme_.waiting().get(victim, i));
      const SavedThread& thread = threads.back();
      row_.stolen_bytes = std::max(row_.stolen_bytes, thread.home.frame_bytes);
      rma::get(frames.data(), thread.frames, thread.home.frame_bytes);
    }
    scheme_.run(threads[0]);
    const uint64_t pages_before = count_pages(layout_);
    const uint64_t faults_before = count_faults();
    for (uint64_t i = 1; i < threads.size(); ++i) scheme_.run(threads[i]);
    phase.page_faults += count_faults() - faults_before;
    phase.new_pages += count_pages(layout_) - pages_before;
    phase.steals += threads.size() - 1;
  }

  uint64_t thread_name(uint64_t depth) const {
    const auto rank = static_cast<uint64_t>(rma::rank());
    return rank * job_.shape.threads + depth;
  }
  uint64_t sum_of_all() const {
    uint64_t sum = 0;
    const auto ranks = static_cast<uint64_t>(rma::size());
    for (uint64_t name = job_.shape.threads; name < ranks * job_.shape.threads;
         ++name) {
      for (uint64_t i = 0; i < job_.links; ++i) sum += 2 * value_of(name, i);
    }
    return sum;
  }

  const Job& job_;
  const rma::SegmentLayout& layout_;
  Row& row_;
  Scheme scheme_;
  // Sum of what threads have found on this rank.
  uint64_t sum_ = 0;
};

// A run of one scheme.
template <AddressScheme Scheme>
struct Run {
  Job job;
  rma::SegmentLayout layout;
  Row row;

  explicit Run(const Job& j) : job(j), row{.scheme = Scheme::kName} {
    const Shape& shape = job.shape;
    const uint64_t page = page_bytes();
    layout.region_bytes =
        (Scheme::region_bytes(shape) + page - 1) / page * page;
    layout.heap_bytes = uniaddr::WaitingThreads::heap_bytes(shape);
    layout.region_overflow =
        "the region is exhausted: raise --stack_bytes or lower --frame_bytes";
    row.reserved_bytes = Scheme::region_bytes(shape);
    row.paper_bytes =
        Scheme::region_bytes({.ranks = kPaperRanks,
                              .threads = kPaperThreads,
                              .stack_bytes = kPaperStack,
                              .frames_bytes = shape.frames_bytes});
  }

  static int run_rank(void* arg) {
    Run& run = *static_cast<Run*>(arg);
    Rank<Scheme>(run.job, run.layout, run.row).run();
    return 0;
  }
};

// The ranks of a job; their number decides how much iso-address needs.
struct Ranks {
  uint64_t count = 0;
  bool have_memory = false;

  static int look(void* ranks) {
    *static_cast<Ranks*>(ranks) = {static_cast<uint64_t>(rma::size()),
                                   rma::self().ranks_in_process == 1};
    return 0;
  }
};

template <AddressScheme Scheme>
int measure(const Job& job, bool has_memory, Json& schemes) {
  Run<Scheme> run(job);
  const int status =
      rma::launch(run.layout, &Run<Scheme>::run_rank, &run, sizeof(run));
  if (status == 0) schemes.push_back(run.row.report(has_memory));
  return status;
}

int benchmark(int argc, char** argv) {
  flags::App app(
      "Counts address space, pages and page faults of threads that migrate.");
  Job job;
  uint64_t frame_bytes = 2896;
  bool json = false;
  flags::add_integer<uint64_t>(app, "--threads", job.shape.threads,
                               "number of threads alive at once, on each rank",
                               2, 1 << 20);
  flags::add_bytes(app, "--stack_bytes", job.shape.stack_bytes,
                   "stack that a thread may need while it runs", 8 << 10,
                   1 << 30, page_bytes());
  flags::add_bytes(app, "--frame_bytes", frame_bytes,
                   "least size of a thread's frames", 64, 1 << 20,
                   sizeof(Link));
  flags::add_switch(app, "--json", json,
                    "print one JSON object instead of a table");
  rma::add_options(app);
  flags::parse_or_exit(app, argc, argv);
  job.links = frame_bytes / sizeof(Link);
  job.shape.frames_bytes = frame_bytes + kFrameMargin;
  if (frame_bytes + kRunMargin > job.shape.stack_bytes) {
    flags::die(absl::StrCat(
        "--frame_bytes=", flags::as_given(app, "--frame_bytes"),
        ": no room in --stack_bytes=", flags::as_given(app, "--stack_bytes"),
        ", with ", kRunMargin, " for what it calls"));
  }
  Ranks ranks;
  int status = rma::launch({}, Ranks::look, &ranks);
  if (status != 0) return status;
  job.shape.ranks = ranks.count;
  if (ranks.count < 3)
    flags::die(absl::StrCat("--ranks=", ranks.count,
                            ": a thief and two victims are needed"));
  Json schemes = Json::array();
  status = measure<uniaddr::IsoAddress>(job, ranks.have_memory, schemes);
  if (status == 0)
    status = measure<uniaddr::Packed>(job, ranks.have_memory, schemes);
  if (status != 0) return status;
  if (!json) {
    std::printf("%u ranks, %u threads each, network %s\n",
                static_cast<unsigned>(ranks.count),
                static_cast<unsigned>(job.shape.threads), rma::kBackend.name);
    print_table(schemes);
  } else {
    const Json params = {{"threads", job.shape.threads},
                         {"stack_bytes", job.shape.stack_bytes},
                         {"frame_bytes", frame_bytes}};
    const Json run = {{"program", "addressing"},
                      {"backend", rma::kBackend.name},
                      {"ranks", ranks.count},
                      {"params", params},
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
