#!/bin/bash
# Explores schedules of a runtime on the simulated network: SEEDS seeds of each
# program under each memory model, in equal parts on 2 to 5 ranks. Fails with
# the first seed that fails, and prints how to see it again.
#
# Usage: explore.sh BENCH SCENARIOS SEEDS [--no_futures] [FLAGS...]
#   BENCH      a binary of //bench on //common/rma:sim
#   SCENARIOS  the same of //tests/fork_join
#   --no_futures  fork-join alone, which is what run-to-completion threads are for
#   FLAGS      for all runs, as in --forced_steal
set -euo pipefail

bench=$1 scenarios=$2 seeds=$3
shift 3
futures=yes
if [[ ${1-} == --no_futures ]]; then
  futures=no
  shift
fi
flags=("$@")
part=$((seeds / 4))
runs=0

explore() {
  local memory ranks first
  for memory in tso pso; do
    for ranks in 2 3 4 5; do
      first=$(((ranks - 2) * part + 1))
      echo "${*:2} ${flags[*]} --memory=$memory --ranks=$ranks"
      "$@" "${flags[@]}" --explore --memory="$memory" --ranks="$ranks" \
        --seeds="$first..$((first + part - 1))"
      runs=$((runs + part))
    done
  done
}

tree=(-t 1 -a 3 -d 4 -b 4 -r 19)
explore "$bench" fib --n=12
explore "$bench" uts "${tree[@]}"
explore "$bench" uts --fork=every_child "${tree[@]}"
explore "$scenarios" --scenario=discard --n=10
if [[ $futures == yes ]]; then
  explore "$scenarios" --scenario=dag --n=30
  explore "$scenarios" --scenario=in_closure --n=10
else
  explore "$scenarios" --scenario=any_order --n=2
  explore "$scenarios" --scenario=rows --n=200 --grain=4
fi
echo "$runs runs went well"
