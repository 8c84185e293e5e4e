#!/bin/bash
# Runs a program on several processes under an MPI launcher.
# Usage: run_mpi.sh FLAVOR LAUNCHER RANKS N KEY=VALUE{N} PROGRAM [ARGS...]
set -euo pipefail

flavor=$1 launcher=$2 ranks=$3 settings=$4
shift 4
for ((i = 0; i < settings; ++i)); do
  export "${1?}"
  shift
done

if [[ $launcher == none ]]; then
  echo "no launcher was found that belongs to the MPI that was linked" >&2
  exit 1
fi

# All ranks would write the same report; Bazel writes one for the whole test.
unset XML_OUTPUT_FILE

# Bazel's own temporary directory has too long a name for the sockets that
# launchers put there.
TMPDIR=$(mktemp -d /tmp/mpi.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT

options=(-n "$ranks")
if [[ $flavor == openmpi ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  options+=(--oversubscribe --bind-to none)
fi
"$launcher" "${options[@]}" "$@" < /dev/null
