// The same addresses in every process: what frames that migrate need.
//
// A frame holds return addresses, pointers to static data and, in registers
// that a compiler saved there, addresses in shared libraries and in
// thread-local storage (that of errno, for example).

#ifndef MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
#define MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_

#include <string>

namespace magpie::rma::mpi {

// Before main(), a program that is linked with this backend replaces itself by
// itself, once, with address randomization off and a stack limit that is the
// same for all ranks (the kernel places libraries below the largest possible
// stack). In the new program the user's own limit and randomization are back,
// for what it starts. Nothing happens where nothing needs to change, nor where
// it is refused: addresses may agree nevertheless.

// The program, its libraries and the thread pointer of this process, one a
// line. Taken before MPI_Init, it leaves out what MPI loads later on its own,
// which frames of tasks cannot refer to.
std::string describe_addresses();

// After MPI_Init, collective: ends the job with words that name both ranks and
// what differs, unless all ranks have rank 0's description.
void require_equal_addresses(std::string own);

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
