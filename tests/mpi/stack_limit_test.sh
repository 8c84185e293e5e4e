#!/bin/bash
# A rank with another stack limit, which moves its libraries, runs with the others nevertheless.
# Usage: stack_limit_test.sh FLAVOR LAUNCHER PROGRAM
set -euo pipefail

flavor=$1 launcher=$2 program=$3
TMPDIR=$(mktemp -d /tmp/mpi.XXXXXX)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
if [[ $flavor == openmpi ]]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
  export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
fi
# Each limit alone would place libraries elsewhere: the last one changes their order, too.
for limit in 1000 1048576 unlimited; do
  (ulimit -S -s $limit) 2> /dev/null || continue
  "$launcher" -n 1 "$program" --mpi_report : \
    -n 1 sh -c "ulimit -S -s $limit; exec $program --mpi_report" < /dev/null
  echo "ran with ulimit -s $limit on rank 1"
  ran=1
done
[[ -n ${ran-} ]]
