// Equal addresses in all processes, which frames that migrate need.
//
// A frame holds return addresses, pointers to static data and, in registers
// that a compiler saved there, addresses in shared libraries and in
// thread-local storage (errno's, for example).
//
// Before main(), a program that is linked with this backend replaces itself by
// itself, once, with address randomization off and a stack limit that is the
// same for all ranks (the kernel places libraries below the largest possible
// stack). The new program restores the user's own limit and randomization for
// the programs that it starts. Nothing happens where nothing needs to change,
// nor where the change is refused: addresses may agree nevertheless.

#ifndef MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
#define MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_

#include <string>

namespace magpie::rma::mpi {

// Describes where the program, its libraries and the thread pointer of this
// process are, one a line. Called before MPI_Init, it leaves out what MPI loads
// later, to which frames of tasks cannot refer.
std::string describe_addresses();

// Ends the job with words that name two ranks and what differs, unless all
// ranks have rank 0's description. After MPI_Init; collective.
void require_equal_addresses(std::string own);

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
