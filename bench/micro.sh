#!/bin/bash
# Runs all microbenchmarks, one program after the other, with the given flags of
# Google Benchmark.
#
# Usage: bazel run //bench:micro -- [--benchmark_...]
#        bazel run //bench:micro_mpi -- [--benchmark_...]
#
# Bazel starts it as `micro.sh shm FLAGS...`, or as
# `micro.sh RUN_MPI FLAVOR LAUNCHER FLAGS...`.
set -euo pipefail

programs=bench/microbenchmarks
if [[ $1 == shm ]]; then
  shift
  on_ranks() {
    local ranks=$1 program=$2
    shift 2
    "$program" --ranks="$ranks" "$@"
  }
  suffix=
else
  run_mpi=$1 flavor=$2 launcher=$3
  shift 3
  on_ranks() {
    local ranks=$1
    shift
    "$run_mpi" --flavor="$flavor" --launcher="$launcher" --ranks="$ranks" "$@"
  }
  suffix=_mpi
fi

[[ -n $suffix ]] || "$programs/context" "$@"
on_ranks 1 "$programs/spawn$suffix" "$@"
for frame_bytes in 64 1K 16K; do
  on_ranks 2 "$programs/steal$suffix" --frame_bytes=$frame_bytes "$@"
done
on_ranks 2 "$programs/rma$suffix" "$@"
