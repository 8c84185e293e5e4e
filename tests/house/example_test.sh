#!/bin/bash
# Runs each PROGRAM on two ranks: it prints fib(30).
# Usage: example_test.sh PROGRAM...
set -uo pipefail

for program; do
  printed=$("$program" --ranks=2)
  status=$?
  if [[ $status -ne 0 || $printed != 832040 ]]; then
    echo "FAILED: $program: exit status $status, printed: $printed"
    exit 1
  fi
done
