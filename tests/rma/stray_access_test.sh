#!/bin/bash
# --shm_guard: peers' memory is inaccessible outside shim calls.
#
# Usage: stray_access_test.sh PROGRAM
set -u
words='rank 0: access to another rank.s memory outside the RMA shim'

output=$("$1" --ranks=2 2>&1)
status=$?
if [[ $status -ne 0 ]]; then
  echo "FAILED: without the guard: status $status: $output"
  exit 1
fi

output=$("$1" --ranks=2 --shm_guard 2>&1)
status=$?
if [[ $status -ne 139 || ! $output =~ $words ]]; then
  echo "FAILED: with the guard: status $status, expected 139: $output"
  exit 1
fi
