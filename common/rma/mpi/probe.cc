// Which operations complete while their target does not call MPI, within a
// node and across.

#include <array>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma::mpi {
namespace {

// Time for which a target stays busy, unless the prober tells it to stop. An
// operation that took more than half of that has waited.
constexpr uint64_t kBusyNs = 20'000'000;
// Number of tries. An operation waits only if it waits in each try: now and
// then a prober loses its core.
constexpr int kTries = 3;
// Time in which a target leaves MPI once it has said that it is about to.
constexpr uint64_t kLeaveNs = 1'000'000;

struct Kind {
  const char* name;
  void (*operate)(int target);
};

// Buffer that is too large for a stack.
std::byte bulk_here[sizeof(Scratch::bulk)];

uint64_t word_offset() { return scratch_offset() + offsetof(Scratch, target); }
uint64_t bulk_offset() { return scratch_offset() + offsetof(Scratch, bulk); }

const Kind kKinds[] = {
    {"put", [](int r) { backend::put(r, bulk_offset(), bulk_here, 8); }},
    {"get", [](int r) { backend::get(r, bulk_offset(), bulk_here, 8); }},
    {"fetch_add", [](int r) { backend::fetch_add(r, word_offset(), 1); }},
    {"fetch_or", [](int r) { backend::fetch_or(r, word_offset(), 1); }},
    {"swap", [](int r) { backend::swap(r, word_offset(), 1); }},
    {"large put",
     [](int r) {
       backend::put(r, bulk_offset(), bulk_here, sizeof(bulk_here));
     }},
    {"large get",
     [](int r) {
       backend::get(r, bulk_offset(), bulk_here, sizeof(bulk_here));
     }},
};

// This rank's part in probing one distance; peer < 0: none.
struct Role {
  int peer = -1;
  bool is_target = false;
};

// Within a node: its second rank probes its first.
Role role_within() {
  std::vector<int> first_two;
  for (int r = 0; r < size() && first_two.size() < 2; ++r) {
    if (node_of(r) == node_of(rank())) first_two.push_back(r);
  }
  if (first_two.size() == 2 && job.node_index < 2) {
    return {first_two[static_cast<size_t>(1 - job.node_index)],
            job.node_index == 0};
  }
  return {};
}

// Across nodes: the first rank of every second node probes the first rank of
// the node before.
Role role_across() {
  const int node = node_of(rank());
  const int other = node ^ 1;
  if (job.node_index != 0 || other >= job.nodes) return {};
  for (int r = 0; r < size(); ++r) {
    if (node_of(r) == other) return {r, node < other};
  }
  return {};
}

void be_busy_outside_mpi() {
  for (const uint64_t end = now() + kBusyNs;
       own_scratch()->done.load() == 0 && now() < end;) {
    yield_core();
  }
}

// Makes one try. Returns true when the operation did not wait. The target says
// by a message that it is about to leave MPI, so the operation cannot start
// before.
bool try_once(const Kind& kind, Role role) {
  bool fast = true;
  if (role.is_target) {
    own_scratch()->done.store(0);
    MPI_Send(nullptr, 0, MPI_BYTE, role.peer, 1, job.world);
    be_busy_outside_mpi();
  } else if (role.peer >= 0) {
    MPI_Request request;
    MPI_Irecv(nullptr, 0, MPI_BYTE, role.peer, 1, job.world, &request);
    wait(&request);
    for (const uint64_t end = now() + kLeaveNs; now() < end;) yield_core();
    const uint64_t begin = now();
    kind.operate(role.peer);
    fast = now() - begin < kBusyNs / 2;
    const uint64_t one = 1;
    backend::put(role.peer, scratch_offset() + offsetof(Scratch, done), &one,
                 sizeof(one));
    backend::flush(role.peer);
  }
  barrier();
  return fast;
}

// Whether the operation waits anywhere in the job.
bool waits(const Kind& kind, Role role) {
  for (int i = 0; i < kTries; ++i) {
    if (everywhere(try_once(kind, role))) return false;
  }
  return true;
}

void probe_distance(Role role, const char* distance,
                    std::vector<std::string>* waiting) {
  for (const Kind& kind : kKinds) {
    if (waits(kind, role))
      waiting->push_back(absl::StrCat(kind.name, distance));
  }
}

// Nanoseconds of an operation; 0 where this rank is no prober.
uint64_t latency(const Kind& kind, Role role) {
  constexpr int kOperations = 200;
  uint64_t took = 0;
  barrier();
  if (role.peer >= 0 && !role.is_target) {
    kind.operate(role.peer);
    const uint64_t begin = now();
    for (int i = 0; i < kOperations; ++i) kind.operate(role.peer);
    took = (now() - begin) / kOperations;
  }
  barrier();  // the target serves the network here
  reduce(&took, 1, Reduction::kMax);
  return took;
}

void report_distance(Role role, const char* distance) {
  std::string words;
  for (const Kind& kind : kKinds) {
    const auto us = static_cast<double>(latency(kind, role)) * 1e-3;
    absl::StrAppend(&words, words.empty() ? "" : ", ", kind.name, " ", us);
  }
  if (rank() == 0)
    std::fprintf(stderr, "magpie: us of an operation %s: %s\n", distance,
                 words.c_str());
}

}  // namespace

// A launcher may start ranks with different flags.
void report_latencies() {
  if (everywhere(!job.options.report)) return;
  if (size() > 1) report_distance(role_within(), "within a node");
  if (job.nodes > 1) report_distance(role_across(), "across nodes");
}

void probe_progress() {
  std::vector<std::string> waiting;
  if (size() > 1) probe_distance(role_within(), " within a node", &waiting);
  if (job.nodes > 1) probe_distance(role_across(), " across nodes", &waiting);
  job.waiting = absl::StrJoin(waiting, ", ");
}

}  // namespace magpie::rma::mpi
