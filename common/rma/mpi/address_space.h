// The same addresses in every process: what frames that migrate need.
//
// A frame holds return addresses, pointers to static data and, in registers
// that a compiler saved there, addresses in shared libraries and in
// thread-local storage (that of errno, for example).

#ifndef MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
#define MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_

#include <string>

namespace magpie::rma::mpi {

// Before MPI_Init: starts the program anew, once, with address randomization
// off and a stack limit that is the same for all ranks (the kernel places
// libraries below the largest possible stack). Returns in the new program, with
// the user's own stack limit restored; or at once where nothing needs to
// change. Where that is refused, it returns too: addresses may agree
// nevertheless.
void run_at_fixed_addresses();

// The program, its libraries and the thread pointer of this process, one a
// line. Taken before MPI_Init, it leaves out what MPI loads later on its own,
// which frames of tasks cannot refer to.
std::string describe_addresses();

// After MPI_Init, collective: ends the job with words that name both ranks and
// what differs, unless all ranks have rank 0's description.
void require_equal_addresses(std::string own);

}  // namespace magpie::rma::mpi

#endif  // MAGPIE_COMMON_RMA_MPI_ADDRESS_SPACE_H_
