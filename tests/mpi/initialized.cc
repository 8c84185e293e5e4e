// A program that initializes MPI before its first run, which must be refused.

#include <mpi.h>

#include "common/rma/rma.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  return magpie::rma::launch(
      {}, [](void*) { return 0; }, nullptr);
}
