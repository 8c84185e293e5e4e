#!/bin/bash
# Runs a program, and checks its exit status and its whole output.
# Usage: expect.sh STATUS REGEX PROGRAM [ARGS...]
set -uo pipefail

want=$1 regex=$2
shift 2
printed=$("$@" 2>&1)
status=$?
if [[ $status -ne $want || ! $printed =~ $regex ]]; then
  echo "FAILED: exit status $status, must be $want; printed: $printed"
  exit 1
fi
