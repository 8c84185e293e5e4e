#!/bin/bash
# Ranks on two hosts with nothing but TCP between them: with no flag of the
# launcher the shim's suite passes and tasks are stolen across; the user's choices
# stay. Each place lies within a host, and ranks that make no place are refused in
# words that say which flag of the launcher helps.
#
# Usage: two_hosts_test.sh TWO_HOSTS CONFORMANCE PROGRAM POOL FLAVOR LAUNCHER
set -uo pipefail

if [[ ${1-} != inside ]]; then
  "$1" "${BASH_SOURCE[0]}" inside "${@:2}"
  status=$?
  ((status != 77)) || { echo "skipped: namespaces are not allowed"; exit 0; }
  exit $status
fi
conformance=$2 program=$3 pool=$4 flavor=$5 launcher=$6
source common/testing/expect.sh
unset XML_OUTPUT_FILE
case $flavor in
  openmpi)
    mpirun=("$launcher" --host "a,b")
    four=("$launcher" --oversubscribe --host "a:2,b:2" -n 4)
    filled=(--map-by slot) scattered=(--map-by node) says='mpirun --map-by slot'
    ;;
  mpich)
    mpirun=("$launcher" -hosts "a,b" -n 2)
    four=("$launcher" -hosts "a,b" -n 4)
    filled=(-ppn 2) scattered=(-ppn 1) says='mpiexec -ppn'
    ;;
esac
run=(timeout 120 "${mpirun[@]}")

# Steals of T1 from a computing victim. The printed time of a steal depends on what
# else runs: the figures stand in //common/rma/mpi.
expect_steals() {
  expect 0 '"steals_ok":[1-9]' "$@" "$program" uts --tree=T1 --json
  grep -o '"steal_latency_ns":[0-9]*' <<< "$output"
}

# The suite, without the cases whose target computes outside the shim, and without
# races, which last until ranks have met often enough: seconds each, and minutes if
# another process takes one rank's core.
leave_out='RmaOneSided.*:RmaStoreFlushLoad.*:*.OwnersLoadNeverGoesBack'
yields=
if [[ $flavor == openmpi ]]; then yields=', waiting ranks yield$'; fi
expect 0 "nodes: 2, .*memory: create, progress: poll$yields" \
  "$conformance" --mpi_report "--gtest_filter=-$leave_out"
expect 0 'steals_ok +[1-9]' "$program" fib --n=25 --forced_steal
expect_steals

# Places of one rank each, then of two; tasks move within them and between them.
tasks=("$pool" --n=20 "--scenario=tree,flood,everywhere")
expect 0 '^everywhere went well$' "${tasks[@]}"
run=(timeout 120 "${four[@]}")
for flags in --workers_per_place=1 "--workers_per_place=1 --steal_by=asking" --workers_per_place=7; do
  read -ra flags <<< "$flags"
  expect 0 '^everywhere went well$' "${filled[@]}" "${tasks[@]}" "${flags[@]}"
done
expect 1 "rank 2 is on the node of ranks that are not its neighbours.*$says" \
  "${scattered[@]}" "${tasks[@]}"
run=(timeout 120 "${mpirun[@]}")

if [[ $flavor == openmpi ]]; then
  # Without the names of networks UCX finds none. Open MPI 5 takes it unasked only
  # where there is a device for it.
  if [[ -e /sys/class/net/eth0 ]]; then
    expect_steals --mca osc ucx --mca opal_common_ucx_tls any --mca opal_common_ucx_devices any
  fi

  # Components that make no window here; the words name flags that work.
  expect 2 '^magpie: .*makes no window.*works over any network' \
    --mca osc sm "$program" fib --n=5
  read -ra flags < <(sed -n 's/.*(Open MPI: mpirun \(--mca.*\) works over.*/\1/p' <<< "$output")
  expect 0 'fib=5$' "${flags[@]}" "$program" fib --n=5

  # A file of parameters that excludes what works over every network.
  printf '%s\n' 'osc = ^pt2pt' 'btl = ^ofi,openib,uct' > "$TMPDIR/parameters.conf"
  expect 0 'fib=5$' --mca mca_base_param_files "$TMPDIR/parameters.conf" "$program" fib --n=5
else
  # The end of a job hung, in one of three.
  for _ in {1..10}; do expect 0 'fib=5$' "$program" fib --n=5; done
fi

finish
