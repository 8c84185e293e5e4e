#!/bin/bash
# Runs a program on several processes under an MPI launcher, and checks the exit
# status and the words of the job.
#
# Usage: run_mpi.sh --flavor=F --launcher=L [FLAGS] PROGRAM [ARGS...]
#   --flavor=F       openmpi or mpich: the MPI of the launcher
#   --launcher=L     path of mpirun; "none" fails in words
#   --ranks=N        number of processes (1)
#   --set=KEY=VALUE  variable in the environment of the launcher and of all ranks
#   --says=REGEX     extended regular expression of a line that the job must print
#
# ARGS may go on as the launcher's own do: `: -n 1 OTHER_PROGRAM`. Exits as the
# launcher does, or with status 1 if the line is missing.
set -euo pipefail

ranks=1 says=
while [[ ${1-} == --* ]]; do
  case $1 in
    --flavor=*) flavor=${1#*=} ;;
    --launcher=*) launcher=${1#*=} ;;
    --ranks=*) ranks=${1#*=} ;;
    --set=*) export "${1#*=}" ;;
    --says=*) says=${1#*=} ;;
    *) echo "run_mpi.sh: $1: no such flag" >&2; exit 2 ;;
  esac
  shift
done

if [[ $launcher == none ]]; then
  echo "no launcher was found that belongs to the MPI that was linked" >&2
  exit 1
fi

# All ranks would write the same report; Bazel writes one for the whole test.
unset XML_OUTPUT_FILE

# The name of Bazel's own temporary directory is too long for the sockets that
# launchers put there.
TMPDIR=$(mktemp -d /tmp/mpi.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

options=(-n "$ranks")
if [[ $flavor == openmpi ]]; then
  # Open MPI names its files in /dev/shm after process numbers, which are the
  # same in two sandboxes: jobs of tests that run at once would share them.
  SHARED=$(mktemp -d /dev/shm/mpi.XXXXXX)
  trap 'rm -rf "$TMPDIR" "$SHARED"' EXIT
  for component in btl_sm btl_vader osc_rdma osc_sm; do
    export "OMPI_MCA_${component}_backing_directory=$SHARED"
  done
  # Where a sandbox has no network, Open MPI 5 prints that TCP finds no way. Tests
  # of TCP name it. (Open MPI 4's launcher calls itself OpenRTE.)
  if [[ $("$launcher" --version) == *"(Open MPI) "* ]]; then
    export OMPI_MCA_btl=${OMPI_MCA_btl-^tcp}
  fi
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  options=(--oversubscribe --bind-to none "${options[@]}")
fi
job() { "$launcher" "${options[@]}" "$@" < /dev/null; }
if [[ -z $says ]]; then
  job "$@"
else
  job "$@" |& tee "$TMPDIR/log"
  grep -Eq -- "$says" "$TMPDIR/log" || { echo "FAILED: no line like: $says"; exit 1; }
fi
