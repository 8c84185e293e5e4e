// Which ranks share a node.

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/rma/backends.h"
#include "common/rma/mpi/job.h"

namespace magpie::rma {
namespace mpi {
namespace {

// A file of a process, which another process may find under its number, and by
// what that process recognizes it.
struct SharedFile {
  long process;
  int file;
  dev_t device;
  ino_t number;
};

SharedFile make_file(size_t bytes) {
  const int file = memfd_create("magpie", MFD_CLOEXEC);
  struct stat status = {};
  if (file < 0 || ftruncate(file, static_cast<off_t>(bytes)) != 0 ||
      fstat(file, &status) != 0)
    return {getpid(), -1, 0, 0};
  return {getpid(), file, status.st_dev, status.st_ino};
}

// Maps the file. Returns null where it cannot be opened, or is another file, as
// where processes have different numbers for each other.
void* map_file(const SharedFile& shared, size_t bytes) {
  const std::string path =
      absl::StrCat("/proc/", shared.process, "/fd/", shared.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status = {};
  const bool is_that = file >= 0 && fstat(file, &status) == 0 &&
                       status.st_dev == shared.device &&
                       status.st_ino == shared.number;
  void* const memory = is_that ? mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                                      MAP_SHARED, file, 0)
                               : MAP_FAILED;
  if (file >= 0) close(file);
  return memory == MAP_FAILED ? nullptr : memory;
}

// Makes job.page of pages that the node's ranks share and that have no name, so
// that nothing is left of them: they are the first rank's, and the others find
// them among its open files. Either all ranks share them, or each has its own.
void share_pages(MPI_Comm node) {
  const size_t bytes = sizeof(NodePage) +
                       static_cast<size_t>(job.node_ranks) * sizeof(RankStatus);
  SharedFile first = {};
  if (job.node_index == 0) first = make_file(bytes);
  MPI_Request request;
  MPI_Ibcast(&first, sizeof(first), MPI_BYTE, 0, node, &request);
  wait(&request);
  void* memory = map_file(first, bytes);
  int shares = memory != nullptr;
  MPI_Iallreduce(MPI_IN_PLACE, &shares, 1, MPI_INT, MPI_MIN, node, &request);
  wait(&request);
  if (shares == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
      fatal("no memory is left for the states of ranks");
  }
  job.page = static_cast<NodePage*>(memory);
  job.shares_page = shares != 0 || job.node_ranks == 1;
  if (job.node_index == 0 && first.file >= 0) close(first.file);
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
  share_pages(node);
  MPI_Comm_free(&node);

  std::vector<int>& nodes = job.node_of;
  nodes.resize(static_cast<size_t>(size()));
  MPI_Iallgather(&leader, 1, MPI_INT, nodes.data(), 1, MPI_INT, job.world,
                 &request);
  wait(&request);
  // Each rank's is its node's lowest rank. Nodes are numbered by these.
  for (int r = 0; r < size(); ++r) {
    int& node = nodes[static_cast<size_t>(r)];
    node = node == r ? job.nodes++ : nodes[static_cast<size_t>(node)];
  }
}

}  // namespace mpi

int node_of(int rank) {
  internal::require_run("rma::node_of");
  return mpi::job.node_of[static_cast<size_t>(rank)];
}

}  // namespace magpie::rma
