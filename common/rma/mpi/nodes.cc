// Which ranks share a node, and how many cores they have there.

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/machine.h"
#include "common/rma/mpi/job.h"
#include "common/rma/outside.h"

namespace magpie::rma {
namespace mpi {
namespace {

// The union of the node's ranks' cores: a launcher may have bound each rank to
// a core of its own.
void count_node_cores(MPI_Comm node) {
  const std::vector<uint64_t> own = internal::affinity();
  std::vector<uint64_t> all(own.size());
  MPI_Request request;
  MPI_Iallreduce(own.data(), all.data(), static_cast<int>(own.size()),
                 MPI_UINT64_T, MPI_BOR, node, &request);
  wait(&request);
  job.own_cores = internal::count_cores(own);
  job.node_cores = internal::count_cores(all);
}

// Numbers the nodes by their lowest ranks, which `leader_of` holds, and keeps
// one entry per change of node: with the usual placement that is one per node.
void number_nodes(const std::vector<int>& leader_of) {
  std::vector<int> node_of_leader(leader_of.size());
  job.nodes = 0;
  int last = -1;
  for (int r = 0; r < job.self.size; ++r) {
    const int leader = leader_of[static_cast<size_t>(r)];
    if (leader == r) node_of_leader[static_cast<size_t>(r)] = job.nodes++;
    const int node = node_of_leader[static_cast<size_t>(leader)];
    if (node != last) job.node_runs.push_back({r, node});
    last = node;
  }
}

// Pages that the node's ranks share and nobody has a name for, so that nothing
// is left of them: the first rank's, which the others find among its open
// files.
void share_pages(MPI_Comm node) {
  struct {
    long process;
    int file;
  } first = {getpid(), -1};
  const size_t bytes = sizeof(NodePage) + static_cast<size_t>(job.node_ranks) *
                                              sizeof(internal::RankState);
  if (job.node_index == 0) {
    first.file = memfd_create("magpie", MFD_CLOEXEC);
    if (ftruncate(first.file, static_cast<off_t>(bytes)) != 0) first.file = -1;
  }
  MPI_Request request;
  MPI_Ibcast(&first, sizeof(first), MPI_BYTE, 0, node, &request);
  wait(&request);
  const std::string path =
      absl::StrCat("/proc/", first.process, "/fd/", first.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  MPI_Ibarrier(node, &request);
  wait(&request);
  void* const memory =
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory != MAP_FAILED) {
    auto* const page = static_cast<NodePage*>(memory);
    job.spoken = &page->spoken;
    job.states = page->states;
  }
  if (job.node_index == 0 && first.file >= 0) close(first.file);
  if (file >= 0) close(file);
}

}  // namespace

void find_nodes() {
  MPI_Comm node;
  MPI_Comm_split_type(job.world, MPI_COMM_TYPE_SHARED, rank(), MPI_INFO_NULL,
                      &node);
  MPI_Comm_size(node, &job.node_ranks);
  MPI_Comm_rank(node, &job.node_index);
  int leader = rank();
  MPI_Request request;
  MPI_Ibcast(&leader, 1, MPI_INT, 0, node, &request);
  wait(&request);
  count_node_cores(node);
  share_pages(node);
  MPI_Comm_free(&node);

  std::vector<int> leader_of(static_cast<size_t>(size()));
  MPI_Iallgather(&leader, 1, MPI_INT, leader_of.data(), 1, MPI_INT, job.world,
                 &request);
  wait(&request);
  number_nodes(leader_of);
}

}  // namespace mpi

int node_of(int rank) {
  internal::require_run("rma::node_of");
  const auto& runs = mpi::job.node_runs;
  auto after = std::upper_bound(
      runs.begin(), runs.end(), rank,
      [](int r, const mpi::NodeRun& run) { return r < run.first_rank; });
  return std::prev(after)->node;
}

}  // namespace magpie::rma
