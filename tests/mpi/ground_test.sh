#!/bin/bash
# Tests the ground of a job: the process as the user has made it, and containers.
#
# Usage: ground_test.sh MISBEHAVE INITIALIZED REFUSE_PERSONALITY RUN VERSION
#   RUN       run_mpi.sh with the flags that name the launcher
#   VERSION   first number of Open MPI's version, 0 of MPICH
set -uo pipefail

source common/testing/expect.sh
misbehave=$1 initialized=$2 refuse=$3 mpi=$4 version=$5
# Each process gets the first word of its input.
input=${TEST_TMPDIR:-/tmp}/input
echo 'word and more' > "$input"
run=(timeout 100)

# is_once LINE: the output has LINE once.
is_once() { (($(grep -cx -- "$1" <<< "$output") == 1)) || fail "not once: $1"; }

# The program does everything once, though it starts anew with other addresses.
expect 0 '^ready$' "$misbehave" --read --how=look_around
is_once word
is_once ready
# Processes that it starts are randomized again, and ask MPI for nothing.
is_once "personality $(cat /proc/self/personality)"
is_once "stack $(ulimit -s)"
grep -q '^set ' <<< "$output" && fail "a child of the program finds what MPI was asked for"

# A child that fails takes neither MPI along nor the job.
expect 0 '^ready$' "$misbehave" --how=failing_child
[[ $output == ready ]] || fail "more words"

# shellcheck disable=SC2086
{
  expect 0 '^ready$' $mpi --ranks=2 "$misbehave" --how=failing_child
  grep -q 'magpie: ' <<< "$output" && fail "more words"
  expect 2 '^magpie: the program has called MPI_Init before its first run' $mpi --ranks=1 "$initialized"

  # Results that are no exit statuses.
  expect 1 '^ready$' $mpi --ranks=2 "$misbehave" --by=1 --status=256
  expect 1 '^ready$' $mpi --ranks=2 "$misbehave" --status=256

  # Containers have 64 MiB of /dev/shm, if they are not told otherwise.
  small=(unshare --user --map-root-user --mount sh -c 'mount -t tmpfs -o size=24m none /dev/shm && exec "$@"' sh)
  expect 0 '^magpie: /dev/shm.* has [0-9]+ MiB free, and the memory of 2 ranks takes [0-9]+: it comes from elsewhere' \
    "${small[@]}" $mpi --ranks=2 "$misbehave" --heap_bytes=32M --mpi_report
  grep -q 'memory: create' <<< "$output" || fail "the memory comes not from elsewhere"
  expect 2 '^magpie: rank [01]: --mpi_memory=alias: .*must be auto or create' \
    "${small[@]}" $mpi --ranks=2 "$misbehave" --heap_bytes=32M --mpi_memory=alias
  expect 0 'memory: alias' "${small[@]}" $mpi --ranks=2 "$misbehave" --heap_bytes=4M --mpi_report

  if ((version)); then
    # A launcher that does not end the job when a rank has died. Open MPI 5 then
    # exits with that rank's status.
    ((version < 5)) && status=0 || status=137
    OMPI_MCA_orte_enable_recovery=1 PRTE_MCA_prte_enable_recovery=1 expect $status '^magpie: rank [02]: rank 1 of this node has died' \
      $mpi --ranks=3 "$misbehave" --by=1 --how=kill --others=idle
    # The user's parameters are obeyed.
    OMPI_MCA_osc_rdma_priority=200 expect 0 'memory: alias of .*osc_rdma' $mpi --ranks=2 "$misbehave" --mpi_report
  fi

  # Addresses that cannot be the same.
  expect 0 '^ready$' "$refuse" "$misbehave"
  expect 2 'tasks cannot migrate: .*randomization cannot be switched off here .Operation not permitted' \
    $mpi --ranks=2 "$refuse" "$misbehave"
}

finish
