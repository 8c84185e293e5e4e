#!/bin/bash
# Builds fib.cc for other runtimes, beside which `bench/measure.py peers` sets
# Magpie's.
#
# Usage: [LACE=PATH] [LIBFORK=PATH] [ITOYORI=PATH] bench/peers/build.sh DIR
#   DIR       where the programs go: DIR/tbb, ...
#   LACE ...  the sources of that runtime, which is left out without them
#
# OpenMP is g++'s and clang++'s (Debian's libomp-dev), oneTBB Debian's libtbb-dev.
# Lace needs CMake, Itoyori libnuma-dev, its submodules lxm_random and
# unordered_dense, and an MPI: MPICH's on one computer, says its README. MPICXX
# and MPIRUN name its commands (mpicxx, mpirun). Exits with status 1 if a program
# cannot be built; the others are.
set -euo pipefail

if [[ $# != 1 || $1 == -* ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
  [[ ${1-} == -h || ${1-} == --help ]] && exit 0 || exit 2
fi
mkdir -p "$1"
dir=$(cd "$1" && pwd)
fib=$(dirname "${BASH_SOURCE[0]}")/fib.cc
status=0

# build NAME MACRO COMPILER FLAGS...
build() {
  local name=$1 macro=$2 compiler=$3
  shift 3
  "$compiler" -std=c++20 -O3 -DNDEBUG "-D$macro" "$fib" "$@" -o "$dir/$name" || status=1
}

build openmp_gcc PEER_OPENMP g++ -fopenmp
build openmp_llvm PEER_OPENMP clang++ -fopenmp
build tbb PEER_TBB g++ -ltbb
if [[ ${LIBFORK-} ]]; then
  build libfork PEER_LIBFORK g++ "-I$LIBFORK/include" -pthread
fi
if [[ ${LACE-} ]]; then
  made=$dir/lace.build
  cmake -S "$LACE" -B "$made" -DCMAKE_BUILD_TYPE=Release -DLACE_BUILD_TESTS=OFF -DLACE_BUILD_BENCHMARKS=OFF
  cmake --build "$made"
  build lace PEER_LACE g++ "-I$LACE/src" "-I$made" "$made/lib/liblace.a" -pthread
fi
if [[ ${ITOYORI-} ]]; then
  build itoyori.mpi PEER_ITOYORI "${MPICXX-mpicxx}" -w "-I$ITOYORI"/{,lxm_random/,unordered_dense/}include -lnuma
  cat > "$dir/itoyori" << END
#!/bin/sh
# Its stacks need the same addresses in all processes, its steals in MPICH a thread that answers them.
[ "\$2" = 1 ] || export MPICH_ASYNC_PROGRESS=1
exec ${MPIRUN-mpirun} -n "\$2" setarch --addr-no-randomize "\$0.mpi" "\$@"
END
  chmod +x "$dir/itoyori"
fi
exit $status
