#!/bin/bash
# Prints the tables of bench/README.md, "Measured", in Markdown: times on this
# machine, which should do nothing else, and instructions, which valgrind counts.
#
# Usage: bench/measured.sh [FLAGS]
#   FLAGS   of bench/measure.py compare: --repeat=N, --out=FILE, ...
#
# Run from the repository root. Exits with status 1 if a target is missed.
set -euo pipefail

if [[ ${1-} == -h || ${1-} == --help ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
  exit 0
fi

bazel build //bench:serial //bench:child_rtc //bench:cont_greedy //bench:cont_greedy_mpi //bench:cont_greedy_sws \
  //bench:pool_serial //bench:pool_sws //bench/microbenchmarks:floor \
  //tests/lto:cont_greedy //tests/lto:cont_greedy_sws >&2
status=0
bench/measure.py compare "$@" || status=$?
[[ $status -le 1 ]] || exit $status
echo
bench/measure.py floors --instructions || exit
echo
fib="fib --n=34 --ranks=1"
bench/measure.py turns cont_greedy="bazel-bin/bench/cont_greedy $fib" \
  cont_greedy_sws="bazel-bin/bench/cont_greedy_sws $fib" \
  "cont_greedy, lto"="bazel-bin/tests/lto/cont_greedy $fib" \
  "cont_greedy_sws, lto"="bazel-bin/tests/lto/cont_greedy_sws $fib" serial="bazel-bin/bench/serial $fib"
echo
uts="uts --tree=T1L"
on() { echo "$1, $2=bazel-bin/bench/$1 $uts --ranks=$3"; }
bench/measure.py turns --repeat=9 serial="bazel-bin/bench/serial $uts" \
  "$(on cont_greedy one 1)" "$(on cont_greedy two 2)" "$(on cont_greedy_sws one 1)" "$(on cont_greedy_sws two 2)" \
  pool_serial="bazel-bin/bench/pool_serial $uts" "$(on pool_sws one 1)" "$(on pool_sws two 2)"
exit $status
