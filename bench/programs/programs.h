// The entry points of the programs of fork and join, each in the file of its
// name. See program.h.

#ifndef MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_
#define MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_

namespace magpie::bench {

int btc_main(int argc, char** argv);
int fib_main(int argc, char** argv);
int lcs_main(int argc, char** argv);
int meet_main(int argc, char** argv);
int nqueens_main(int argc, char** argv);
int pfor_main(int argc, char** argv);
int uts_main(int argc, char** argv);

}  // namespace magpie::bench

#endif  // MAGPIE_BENCH_PROGRAMS_PROGRAMS_H_
