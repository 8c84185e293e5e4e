// The queens of a chess board that do not threaten each other, as a bag of
// tasks: each puts one more queen onto a board.

#include <cstdint>
#include <cstdio>

#include "common/task_pool/task_pool.h"

struct Board {
  int size;
  // Rows with a queen so far; columns and diagonals that they threaten, a bit
  // for each column of the next row.
  int rows;
  uint32_t columns, left, right;

  void operator()() const {
    if (rows == size) return magpie::merge(uint64_t{1});
    for (uint32_t queen = 1; queen < 1u << size; queen <<= 1) {
      if (((columns | left | right) & queen) != 0) continue;
      magpie::add(Board{size, rows + 1, columns | queen, (left | queen) << 1,
                        (right | queen) >> 1});
    }
  }
};

int main(int argc, char** argv) {
  uint64_t solutions = 0;
  const int status = magpie::run_pool(
      argc, argv,
      [] {
        magpie::add(Board{10, 0, 0, 0, 0});
      },
      &solutions);
  if (status == 0)
    std::printf("%llu\n", static_cast<unsigned long long>(solutions));
  return status;
}
