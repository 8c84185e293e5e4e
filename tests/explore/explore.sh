#!/bin/bash
# Explores schedules of a runtime on the simulated network: SEEDS seeds of each
# program under each memory model, in equal parts on 2 to 5 ranks. Fails with
# the first seed that fails, and prints how to see it again.
#
# Usage: explore.sh PROGRAM SEEDS [FLAGS...]
#   PROGRAM   a binary of //bench on //common/rma:sim
#   FLAGS     for all runs, as in --forced_steal
set -euo pipefail

program=$1 seeds=$2
shift 2
part=$((seeds / 4))

explore() {
  local memory ranks first
  for memory in tso pso; do
    for ranks in 2 3 4 5; do
      first=$(((ranks - 2) * part + 1))
      echo "$* --memory=$memory --ranks=$ranks"
      "$program" "$@" --explore --memory="$memory" --ranks="$ranks" \
        --seeds="$first..$((first + part - 1))"
    done
  done
}

explore fib --n=12 "$@"
explore uts -t 1 -a 3 -d 4 -b 4 -r 19 "$@"
