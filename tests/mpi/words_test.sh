#!/bin/bash
# Configurations that cannot work, and failures, end in words, and nothing hangs.
#
# Usage: words_test.sh MISBEHAVE CONFORMANCE ONE_RANK MISBEHAVE_SHM RUN VERSION FOREIGN
#   RUN       run_mpi.sh with the flags that name the launcher
#   VERSION   the first number of Open MPI's version, or 0
#   FOREIGN   the launcher of another MPI, or empty
set -uo pipefail

source common/testing/expect.sh
misbehave=$1 conformance=$2 one_rank=$3 shm=$4 mpi=$5 version=$6 foreign=$7
run=(timeout 60)
# Launchers put sockets there, whose names must be short.
folder=$(mktemp -d /tmp/mpi.XXXXXX)
trap 'rm -rf "$folder"' EXIT

# job STATUS LINES REGEX COMMAND...: as expect; LINES is the number of lines of
# Magpie's words, or "any". Several jobs run at a time, since most of a job is
# waiting for its launcher. Each has a TMPDIR: of two jobs at a time one may remove
# the folder that the other makes.
jobs=0
job() {
  (($(jobs -rp | wc -l) < 4)) || wait -n
  ((++jobs))
  mkdir "$folder/$jobs"
  {
    failures=0
    TMPDIR=$folder/$jobs expect "$1" "$3" "${@:4}"
    [[ $2 == any ]] || (($(grep -c '^magpie: ' <<< "$output") == $2)) || fail "lines of words, not $2"
    ((failures == 0)) || touch "$folder/$jobs.failed"
  } > "$folder/$jobs.log" 2>&1 &
}

# Runs one command on rank 0 and another on rank 1.
# shellcheck disable=SC2016
by_rank=(sh -c 'case ${OMPI_COMM_WORLD_RANK-$PMI_RANK} in 0) exec $0 ;; *) eval "$1" ;; esac')

# mpi STATUS LINES REGEX RANKS COMMAND...
mpi() {
  # shellcheck disable=SC2086
  job "$1" "$2" "$3" $mpi --ranks="$4" "${@:5}"
}

mpi 0 0 '^ready$' 3 "$misbehave"
mpi nonzero 0 '^ready$' 2 "$misbehave" --by=1 --status=4
for others in barrier idle spin; do
  mpi 1 1 '^magpie: rank 1: as told$' 3 "$misbehave" --by=1 --how=fatal --others=$others
done
mpi nonzero 1 '^magpie: rank 1: Segmentation fault at address' 2 "$misbehave" --by=1 --how=segv --others=spin
mpi nonzero any '^magpie: rank 0: Aborted' 2 "$misbehave" --how=abort --others=idle
mpi nonzero any 'as told' 2 "$misbehave" --by=1 --how=exception --others=barrier
mpi 1 1 '^magpie: rank 1: called exit in the middle of the run' 2 "$misbehave" --by=1 --how=exit --others=idle
mpi 3 1 '^magpie: rank 1: called exit in the middle of the run' 2 "$misbehave" --by=1 --how=exit --status=3 --others=idle
mpi nonzero 1 '^magpie: rank [0-2]: (raise the region.s size|the others, too)' 3 "$misbehave" --by=1 --how=overflow --others=fatal
mpi nonzero 0 '.' 2 "$misbehave" --by=1 --how=kill --others=spin
mpi 1 any '^magpie: rank [01]: the symmetric heap is full' 2 "$misbehave" --how=exhaust_heap

# One of the processes prints the help.
# shellcheck disable=SC2016
job 0 0 '^1$' bash -c '"$@" | grep -c "^  --ranks"' - $mpi --ranks=2 "$misbehave" --help
mpi 2 1 '^magpie: rank [01]: --ranks=3: must be 2, the number that the MPI launcher started' 2 "$misbehave" --ranks=3
mpi 2 1 '^magpie: .*need [0-9]+ MiB of memory, available' 2 "$misbehave" --heap_bytes=64T
mpi nonzero 1 '^magpie: rank 1: tasks cannot migrate: rank 1 has the program .*, rank 0 has the program' \
  2 "${by_rank[@]}" "$misbehave" "exec $conformance"

# Runs of different sizes follow each other.
mpi 0 0 '^ready$' 2 "$misbehave" --runs=20
job 0 0 '^ready$' "$misbehave" --runs=20
mpi 0 3 'progress: thread' 2 "$misbehave" --runs=3 --mpi_progress=thread --mpi_report
mpi 5 0 '^ready$' 2 "$misbehave" --runs=2 --by=1 --status=5
mpi nonzero 1 '^magpie: rank 1: Segmentation fault at address' 2 "$misbehave" --runs=2 --by=1 --how=segv --others=spin
mpi 1 1 '^magpie: rank 1: a run was started within a run: runs do not nest' 2 "$misbehave" --runs=2 --by=1 --how=nest --others=idle
mpi 2 1 '^magpie: rank [01]: --ranks=3: must be 2' 2 "$misbehave" --runs=2 --later_ranks=3

# Calls without a run, before it and after it.
mpi nonzero any '^magpie: called outside a run' 1 "$misbehave" --runs=0 --outside=local
for what in get barrier; do
  mpi nonzero 1 '^magpie: .* outside a run' 2 "$misbehave" --outside=$what
done
mpi 1 1 '^magpie: as told$' 2 "$misbehave" --outside=fatal

# A pool of one rank.
mpi 0 0 '' 1 "$one_rank"
mpi 2 1 '^magpie: the serial pool takes one rank, and the launcher started 2 \((OMPI_COMM_WORLD|PMI)_SIZE\): ' 2 "$one_rank"
mpi 2 1 '^magpie: --ranks: 2 is not 1, all that the serial pool takes' 2 "$one_rank" --ranks=2

# A program that starts its ranks itself.
mpi 2 1 '^magpie: a launcher started 2 processes.*//common/rma:shm.*//common/rma:mpi' 2 "$shm"

# A program without a launcher is a job of one rank.
job 0 any 'memory: own' "$conformance" --mpi_report
job 2 1 '^magpie: rank 0: --ranks=2: must be 1' "$misbehave" --ranks=2
job 2 1 '^magpie: .*--mpi_progress.*sometimes' "$misbehave" --mpi_progress=sometimes

if [[ $mpi == *openmpi* ]]; then
  mpi 2 1 '^magpie: .*makes no window over given memory' 2 env OMPI_MCA_osc=sm "$misbehave" --mpi_memory=create
fi
# Open MPI 5 must not crash where it looks for a device of UCX, and finds none.
if [[ $version -ge 5 && ! -e /sys/class/infiniband ]]; then
  mpi 2 1 '^magpie: .*makes no window over given memory' 2 env OMPI_MCA_osc=ucx "$misbehave"
fi
if [[ $version == 4 ]]; then
  mpi 2 1 '^magpie: rank [01]: --mpi_memory=alias: .*must be auto or create' 2 env OMPI_MCA_osc=pt2pt "$misbehave" --mpi_memory=alias
fi

# A rank with another stack limit, which moves its libraries, runs with the
# others. Each limit alone would place them elsewhere; the last one changes their
# order, too.
limits=0
for limit in 1000 1048576 unlimited; do
  (ulimit -S -s $limit) 2> /dev/null || continue
  mpi 0 any 'ranks: 2' 2 "${by_rank[@]}" "$misbehave --mpi_report" "ulimit -S -s $limit; exec $misbehave --mpi_report"
  ((++limits))
done
((limits > 0)) || fail "no other stack limit can be set here"

if [[ -n $foreign ]]; then
  # Each has a TMPDIR of its own: Open MPI's processes would make the same folder.
  # shellcheck disable=SC2016
  job 2 1 '^magpie: rank 0: started as 2 processes \((OMPI_COMM_WORLD|PMI)_SIZE\) by the launcher of another MPI' \
    "$foreign" -n 2 sh -c 'TMPDIR=$(mktemp -d "$TMPDIR/XXXXXX") exec "$0"' "$misbehave"
fi

wait
for failed in "$folder"/*.failed; do
  [[ -e $failed ]] || continue
  cat "${failed%.failed}.log"
  ((++failures))
done
finish
