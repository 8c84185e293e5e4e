#!/bin/bash
# One row of the MPI matrix: runs a program under run_mpi.sh and checks how it ends and what it says.
# Usage: row.sh STATUS REGEX RUN_MPI FLAVOR LAUNCHER RANKS N KEY=VALUE{N} PROGRAM [ARGS...]
set -uo pipefail

want=$1 regex=$2
shift 2
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" 2>&1 | tee "$log"
status=${PIPESTATUS[0]}
if ((status != want)); then
  echo "FAILED: exit status is $status, not $want"
  exit 1
fi
if ! grep -Eq -- "$regex" "$log"; then
  echo "FAILED: no line like: $regex"
  exit 1
fi
