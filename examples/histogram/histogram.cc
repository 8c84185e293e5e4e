// An array of fixed size that lies on all ranks, each of which has a block of
// it: filled by a loop, added up by another, and sorted into bins by a third.

#include <cstdint>
#include <cstdio>
#include <functional>

#include "common/fork_join/parallel.h"
#include "common/rma/rma.h"

namespace rma = magpie::rma;

constexpr int64_t kSize = 10'000;
constexpr int64_t kBins = 4;

// Number of elements of a block, on however many ranks.
size_t block_size() {
  const auto ranks = static_cast<size_t>(rma::size());
  return (kSize + ranks - 1) / ranks;
}

// The root task.
struct Histogram {
  rma::RemotePtr<int64_t> block;
  rma::RemotePtr<rma::Word> bins;

  // Called on every rank before the run.
  void prepare() {
    block = rma::allocate<int64_t>(block_size());
    bins = rma::allocate<rma::Word>(kBins);
  }
  // How much of the symmetric heap prepare() takes.
  size_t heap_bytes() const {
    return rma::allocated_bytes<int64_t>(block_size()) +
           rma::allocated_bytes<rma::Word>(kBins);
  }

  // Runs on rank 0 first, and later on whichever rank it has come to.
  void operator()() const;
};

// Element i, and a bin, as the calling rank finds them.
rma::RemotePtr<int64_t> element(int64_t i) {
  const auto block = magpie::root_task<Histogram>().block;
  const auto index = static_cast<uint64_t>(i);
  return block.at(static_cast<int>(index / block_size())) +
         index % block_size();
}
rma::RemotePtr<rma::Word> bin(int64_t b) {
  const auto bins = magpie::root_task<Histogram>().bins;
  return bins.at(0) + static_cast<uint64_t>(b);
}

void Histogram::operator()() const {
  magpie::parallel_for(0, kSize, 100, [](int64_t i) {
    const auto to = element(i);
    rma::put(to, i * i % 1000);
    // Others may read it when this task has ended.
    rma::flush(to.rank);
  });

  const int64_t sum = magpie::parallel_reduce(
      0, kSize, 100, int64_t{0}, [](int64_t i) { return rma::get(element(i)); },
      std::plus<int64_t>());

  magpie::parallel_for(0, kSize, 100, [](int64_t i) {
    rma::fetch_add(bin(rma::get(element(i)) * kBins / 1000), 1);
  });

  std::printf("mean %g, in each 1000", static_cast<double>(sum) / kSize);
  for (int64_t b = 0; b < kBins; ++b)
    std::printf(" %lu", rma::get_word(bin(b)) * 1000 / kSize);
  std::printf("\n");
}

int main(int argc, char** argv) { return magpie::run(argc, argv, Histogram()); }
