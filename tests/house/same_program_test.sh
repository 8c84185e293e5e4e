#!/bin/bash
# Checks that a program was compiled once for all binaries it is linked into.
# Usage: same_program_test.sh TABLE BINARIES
#
# TABLE has a line for each of the BINARIES: its path, and the path of the
# archive with the program's objects in its link. All archives must have one
# hash. And the binary must be linked from it: each function that the archive
# defines has its size there, unless the linker dropped it as unused.
set -euo pipefail

table=$1 binaries=$2

lines=$(grep -c . "$table") || true
if [[ $lines -ne $binaries ]]; then
  echo "FAILED: $lines of $binaries binaries link the program's library"
  exit 1
fi
hashes=$(cut -d' ' -f2 "$table" | xargs sha256sum | cut -d' ' -f1 | sort -u)
if [[ $(wc -l <<< "$hashes") -ne 1 ]]; then
  echo "FAILED: the program was compiled more than once:"
  cat "$table"
  exit 1
fi

# Sizes and names of the global functions that a file defines.
functions() {
  nm --defined-only --print-size "$1" 2> /dev/null | awk '$3 == "T" {print $4, $2}' | sort -u
}

while read -r binary archive; do
  functions "$archive" > "$TEST_TMPDIR/archive"
  functions "$binary" > "$TEST_TMPDIR/binary"
  common=$(join "$TEST_TMPDIR/archive" "$TEST_TMPDIR/binary")
  echo "$binary: $(grep -c . <<< "$common") functions of $archive"
  if ! awk 'NF == 0 {exit 1} $2 != $3 {print "FAILED: another size: " $0; exit 1}' <<< "$common"; then
    echo "FAILED: $binary was linked from other objects"
    exit 1
  fi
done < "$table"
