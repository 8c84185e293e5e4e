#!/bin/bash
# Prints the tables of bench/README.md, "Measured", in Markdown: times on this
# machine, which should do nothing else, and instructions, which valgrind counts.
#
# Usage: bench/measured.sh [FLAGS]
#   FLAGS   of bench/compare.py: --repeat=N, --out=FILE, ...
#
# Run from the repository root. Exits with status 1 where a target is missed.
set -euo pipefail

if [[ ${1-} == -h || ${1-} == --help ]]; then
  sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//;p}' "${BASH_SOURCE[0]}"
  exit 0
fi

# Of a fork and join of fib: the difference of two sizes, by the 64,079 tasks
# that one has more than the other. Of a job's processes the ranks count most.
instructions() {
  for n in 20 24; do
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "bazel-bin/bench/$1" fib --n=$n --ranks=1 2>&1 |
      sed -n 's/.*Collected : //p' | sort -n | tail -1
  done | xargs | awk '{ printf "%.1f", ($2 - $1) / 64079 }'
}

bazel build //bench:serial //bench:cont_greedy //bench:cont_greedy_mpi //bench:cont_greedy_sws \
  //bench/microbenchmarks:floor //tests/lto:cont_greedy //tests/lto:cont_greedy_sws >&2
status=0
bench/compare.py --markdown "$@" || status=$?
[[ $status -le 1 ]] || exit $status

floor=bazel-bin/bench/microbenchmarks/floor
floor_ns() { "$floor" | sed 's/ ns.*//'; }
cat <<TABLE

| a fork and join of fib | | printed by |
|---|---|---|
| the floor: the same context switch and fence, nothing around them | $(floor_ns), $(floor_ns), $(floor_ns) ns | \`$floor\` |
| \`serial\`: a plain call through the seam | $(instructions serial) instructions | \`bench/measured.sh\` |
| \`cont_greedy\` | $(instructions cont_greedy) instructions | \`bench/measured.sh\` |
| \`cont_greedy_sws\` | $(instructions cont_greedy_sws) instructions | \`bench/measured.sh\` |

TABLE
fib="fib --n=34 --ranks=1"
bench/turns.py cont_greedy="bazel-bin/bench/cont_greedy $fib" cont_greedy_sws="bazel-bin/bench/cont_greedy_sws $fib" \
  "cont_greedy, lto"="bazel-bin/tests/lto/cont_greedy $fib" \
  "cont_greedy_sws, lto"="bazel-bin/tests/lto/cont_greedy_sws $fib" serial="bazel-bin/bench/serial $fib"
exit $status
