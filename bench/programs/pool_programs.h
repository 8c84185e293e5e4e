// The entry points of the programs of task pools, each in the file of its name.
// See pool_program.h.

#ifndef MAGPIE_BENCH_PROGRAMS_POOL_PROGRAMS_H_
#define MAGPIE_BENCH_PROGRAMS_POOL_PROGRAMS_H_

namespace magpie::bench {

int bc_main(int argc, char** argv);
int bpc_main(int argc, char** argv);
int nqueens_main(int argc, char** argv);
int tsp_main(int argc, char** argv);
int uts_any_main(int argc, char** argv);
int uts_pool_main(int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_POOL_PROGRAMS_H_
