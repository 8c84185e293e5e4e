// The entry points of the programs that use the constructs of async_any.h,
// each in the file of its name. See pool_program.h.

#ifndef MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_
#define MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_

namespace magpie::bench {

int cancel_any_main(int argc, char** argv);
int hello_any_main(int argc, char** argv);
int nqueens_any_main(int argc, char** argv);
int pi_main(int argc, char** argv);
int tsp_any_main(int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_ASYNC_PROGRAMS_H_
