#!/bin/bash
# What cannot work, and what goes wrong, says so in words, and nothing hangs.
# Usage: words_test.sh FLAVOR LAUNCHER FOREIGN_LAUNCHER MISBEHAVE CONFORMANCE SEGMENTS
# (FOREIGN_LAUNCHER: of another MPI, or empty)
set -uo pipefail

flavor=$1 launcher=$2 foreign=$3 misbehave=$4 conformance=$5 segments=$6
failures=0
jobs=0
TMPDIR=$(mktemp -d /tmp/mpi.XXXXXX)  # launchers put sockets there, whose names must be short
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

options=()
if [[ $flavor == openmpi ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
fi

# expect STATUS LINES REGEX COMMAND...: STATUS may be "nonzero"; LINES of our own, or "any".
expect() {
  local want=$1 lines=$2 regex=$3 output status
  shift 3
  echo "== $*"
  ((++jobs))
  output=$(timeout 60 "$@" 2>&1 < /dev/null)
  status=$?
  local ok=1
  if [[ $want == nonzero ]]; then
    ((status != 0 && status != 124)) || ok=0
  else
    ((status == want)) || ok=0
  fi
  grep -Eq -- "$regex" <<< "$output" || ok=0
  if [[ $lines != any ]]; then
    (($(grep -c '^magpie: ' <<< "$output") == lines)) || ok=0
  fi
  if ((!ok)); then
    echo "FAILED: status $status (want $want), want a line like: $regex"
    sed 's/^/    /' <<< "$output"
    ((++failures))
  fi
}

mpi() { expect "$1" "$2" "$3" "$launcher" "${options[@]}" -n "$4" "${@:5}"; }

mpi 0 0 '^ready$' 3 "$misbehave"
mpi nonzero 0 '^ready$' 2 "$misbehave" --by=1 --status=4
for others in barrier idle spin; do
  mpi 1 1 '^magpie: rank 1: as told$' 3 "$misbehave" --by=1 --how=fatal --others=$others
done
mpi nonzero 1 '^magpie: rank 1: Segmentation fault at address' 2 "$misbehave" --by=1 --how=segv --others=spin
mpi nonzero any '^magpie: rank 0: Aborted' 2 "$misbehave" --how=abort --others=idle
mpi nonzero any 'as told' 2 "$misbehave" --by=1 --how=exception --others=barrier
mpi nonzero 1 '^magpie: rank 1: called exit in the middle of the run' 2 "$misbehave" --by=1 --how=exit --others=idle
mpi nonzero 0 '.' 2 "$misbehave" --by=1 --how=kill --others=spin
mpi 1 any '^magpie: rank [01]: the symmetric heap is full' 2 "$misbehave" --how=exhaust_heap

mpi 2 1 '^magpie: --ranks=3: must be 2, what the MPI launcher started' 2 "$misbehave" --ranks=3
mpi 2 1 '^magpie: .*need [0-9]+ MiB of memory, available' 2 "$segments" --heap_bytes=64T
mpi nonzero 1 '^magpie: tasks cannot migrate: rank 1 has the program .*, rank 0 has the program' \
  1 "$misbehave" : -n 1 "$conformance"
mpi 0 2 '^magpie: --mpi_progress=none: these wait' 2 env OMPI_MCA_osc=ucx "$misbehave" --mpi_progress=none --mpi_report
expect 2 1 '^magpie: --ranks=2: must be 1' "$misbehave" --ranks=2
expect 2 1 '^magpie: .*--mpi_progress.*sometimes' "$misbehave" --mpi_progress=sometimes
if [[ $flavor == openmpi ]]; then
  mpi 2 1 '^magpie: --mpi_memory=alias: .*must be auto or create' 2 env OMPI_MCA_osc=pt2pt "$misbehave" --mpi_memory=alias
  mpi 2 1 '^magpie: .*makes no window over given memory' 2 env OMPI_MCA_osc=sm "$misbehave" --mpi_memory=create
  mpi 1 any '^magpie: rank [01]: compare_swap: it crashes in Open MPI.s osc/rdma' \
    2 env OMPI_MCA_osc=rdma "$conformance" --gtest_filter=RmaAtomics.CompareSwap*
fi
if [[ -n $foreign ]]; then
  expect 2 1 '^magpie: started as 2 processes by the launcher of another MPI' "$foreign" -n 2 "$misbehave"
fi

((failures == 0)) && echo "PASSED: $jobs jobs"
exit $((failures > 0))
