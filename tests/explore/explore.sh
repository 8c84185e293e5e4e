#!/bin/bash
# Explores schedules on the simulated network: SEEDS seeds of each program under
# each memory model, in equal parts on 2 to 5 ranks, or 2 to 9. Fails with the
# first seed that fails, and prints how to see it again.
#
# Usage: explore.sh BENCH SCENARIOS KIND SEEDS [FLAGS...]
#   BENCH      a binary of //bench on //common/rma:sim
#   SCENARIOS  the same of //tests/fork_join, //tests/task_pool or
#              //tests/async_any
#   KIND       futures; fork_join, without futures, for run-to-completion
#              threads; tasks, for a task pool; or places, for a pool of places,
#              on 2 to 9 ranks, each number with trees of its own
#   FLAGS      for all runs, as in --forced_steal
set -euo pipefail

bench=$1 scenarios=$2 kind=$3 seeds=$4
shift 4
flags=("$@")
all_ranks=(2 3 4 5)
[[ $kind == places ]] && all_ranks=(2 3 4 5 6 7 8 9)
part=$((seeds / ${#all_ranks[@]}))
runs=0

# In arguments % stands for the number of ranks.
explore() {
  local memory ranks first
  for memory in tso pso; do
    for ranks in "${all_ranks[@]}"; do
      first=$(((ranks - 2) * part + 1))
      echo "${*:2} ${flags[*]} --memory=$memory --ranks=$ranks"
      "${@//%/$ranks}" "${flags[@]}" --explore --memory="$memory" --ranks="$ranks" \
        --seeds="$first..$((first + part - 1))"
      runs=$((runs + part))
    done
  done
}

tree=(-t 1 -a 3 -d 4 -b 4 -r 19) tasks=20
[[ $kind == places ]] && tree=(-t 1 -a 3 -d 4 -b 4 -r 6%) tasks=1%
explore "$bench" uts "${tree[@]}"
if [[ $kind == tasks || $kind == places ]]; then
  explore "$bench" nqueens --n=5 --cutoff=0
  explore "$bench" bpc --depth=5 --consumers=4 --consumer_us=1 --producer_us=1
  explore "$scenarios" --n="$tasks"
else
  explore "$bench" fib --n=12
  explore "$bench" uts --fork=every_child "${tree[@]}"
  explore "$scenarios" --scenario=discard --n=10
  explore "$scenarios" --scenario=pairs --n=10
fi
case $kind in
  futures)
    explore "$scenarios" --scenario=dag --n=30
    explore "$scenarios" --scenario=in_closure --n=10
    explore "$scenarios" --scenario=shared --n=24
    # A task of this program waits for its parent to go on, and a parent that has
    # met a full queue may wait for that task: so the queues hold all tasks.
    flags=("${flags[@]/queue_bytes=1K/queue_bytes=4K}")
    explore "$scenarios" --scenario=all_wait --n=2
    ;;
  fork_join)
    explore "$scenarios" --scenario=any_order --n=2
    explore "$scenarios" --scenario=rows --n=200 --grain=4
    ;;
esac
echo "$runs runs went well"
