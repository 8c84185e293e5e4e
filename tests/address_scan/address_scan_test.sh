#!/bin/bash
# What a debug build says of addresses in closures and results.
#
# Usage: address_scan_test.sh CLOSURES_BINARY
set -u
failed=0

# expect CASE STATUS PATTERN
expect() {
  local output status
  output=$("$program" "$1" 2>&1)
  status=$?
  if [[ $status -ne $2 || ! $output =~ $3 ]]; then
    echo "FAILED: $1: status $status, expected $2; printed: $output"
    failed=1
  fi
}

program=$1
expect fine 0 '^44850$'
expect closure 1 'rank 0: a task.s closure holds at byte 0 an address of the stack of a task'
expect result 1 'a task.s result holds at byte 0 an address of the stack of a task'
expect heap 1 'a task.s closure holds at byte 0 an address of this process.s heap'
exit $failed
