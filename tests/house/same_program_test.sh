#!/bin/bash
# Checks that a program was compiled once for all binaries it is linked into:
# each function that the archive of its objects defines has its size there, unless
# the linker dropped it as unused.
# Usage: same_program_test.sh ARCHIVE BINARY...
set -euo pipefail

# Sizes and names of the global functions that a file defines.
functions() {
  nm --defined-only --print-size "$1" 2> /dev/null | awk '$3 == "T" {print $4, $2}' | sort -u
}

functions "$1" > "$TEST_TMPDIR/archive"
for binary in "${@:2}"; do
  functions "$binary" > "$TEST_TMPDIR/binary"
  common=$(join "$TEST_TMPDIR/archive" "$TEST_TMPDIR/binary")
  echo "$binary: $(grep -c . <<< "$common") functions of $1"
  if ! awk 'NF == 0 {exit 1} $2 != $3 {print "FAILED: another size: " $0; exit 1}' <<< "$common"; then
    echo "FAILED: $binary was linked from other objects"
    exit 1
  fi
done
