// The entry points of all programs, each in the file of its name, but that
// `nqueens` of pools is in nqueens_pool.cc: see program.h, pool_program.h.

#ifndef MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_
#define MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_

namespace magpie::bench {

// Of fork and join. nqueens_main() is defined a second time, for pools: no
// binary links both.
int btc_main(int argc, char** argv);
int fib_main(int argc, char** argv);
int lcs_main(int argc, char** argv);
int meet_main(int argc, char** argv);
int nqueens_main(int argc, char** argv);
int pfor_main(int argc, char** argv);
int uts_main(int argc, char** argv);

// Of any pool.
int bc_main(int argc, char** argv);
int bpc_main(int argc, char** argv);
int tsp_main(int argc, char** argv);
int uts_any_main(int argc, char** argv);
int uts_pool_main(int argc, char** argv);

// Of pools with the constructs of async_any.h.
int cancel_any_main(int argc, char** argv);
int hello_any_main(int argc, char** argv);
int nqueens_any_main(int argc, char** argv);
int pi_main(int argc, char** argv);
int tsp_any_main(int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_
