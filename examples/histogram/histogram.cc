// Numbers that lie on all ranks, each of which has a block of them: made by a
// loop, added up by another, and sorted into bins by a third, piece by piece.

#include <array>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <numeric>

#include "common/fork_join/parallel.h"
#include "common/run/distributed_array.h"

namespace rma = magpie::rma;

constexpr int64_t kPieces = 100;
constexpr size_t kPiece = 100, kSize = kPieces * kPiece, kBins = 4;
using Piece = std::array<uint64_t, kPiece>;

// The root task.
struct Histogram {
  magpie::DistributedArray<uint64_t> numbers;
  magpie::DistributedArray<rma::Word> bins;

  // Called on every rank before the run.
  void prepare() {
    numbers.allocate(kSize);
    bins.allocate(kBins);
  }
  // Bytes of the symmetric heap that prepare() takes.
  size_t heap_bytes() const {
    return numbers.heap_bytes(kSize) + bins.heap_bytes(kBins);
  }

  // Runs on rank 0 first, and later on whichever rank it has come to.
  void operator()() const {
    const Histogram on_all = magpie::root_task<Histogram>();
    magpie::parallel_for(0, kPieces, 1, [=](int64_t p) {
      const size_t first = static_cast<size_t>(p) * kPiece;
      Piece piece;
      for (size_t i = 0; i < kPiece; ++i)
        piece[i] = (first + i) * (first + i) % 1000;
      on_all.numbers.put(first, kPiece, piece.data());
      // Others may read it when this task has ended.
      rma::flush_all();
    });

    const auto piece_at = [=](int64_t p) {
      Piece piece;
      on_all.numbers.get(static_cast<size_t>(p) * kPiece, kPiece, piece.data());
      return piece;
    };
    const uint64_t sum = magpie::parallel_reduce(
        0, kPieces, 1, uint64_t{0},
        [=](int64_t p) {
          const Piece piece = piece_at(p);
          return std::accumulate(piece.begin(), piece.end(), uint64_t{0});
        },
        std::plus<uint64_t>());

    magpie::parallel_for(0, kPieces, 1, [=](int64_t p) {
      for (const uint64_t number : piece_at(p))
        rma::fetch_add(on_all.bins.at(number * kBins / 1000), 1);
    });

    std::printf("mean %g, in each 1000", static_cast<double>(sum) / kSize);
    for (size_t b = 0; b < kBins; ++b)
      std::printf(" %lu", rma::get_word(on_all.bins.at(b)) * 1000 / kSize);
    std::printf("\n");
  }
};

int main(int argc, char** argv) { return magpie::run(argc, argv, Histogram()); }
