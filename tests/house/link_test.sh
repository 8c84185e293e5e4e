#!/bin/bash
# Links the archives that stand in LINE, and checks the result: if it must be
# refused, the linker's first words name SYMBOL.
# Usage: link_test.sh LINE accepted [ARGUMENT REGEX]...   (runs it with each)
#        link_test.sh LINE refused SYMBOL
set -uo pipefail

line=$1 expected=$2
shift 2
program=$TEST_TMPDIR/program
messages=$("${CXX:-c++}" -no-pie "@$line" -o "$program" 2>&1)
linked=$?
printf '%s\n' "$messages" | head -n 20

case $expected in
  accepted)
    [[ $linked -eq 0 ]] || { echo "FAILED: it must link"; exit 1; }
    for (( ; $# > 0; )); do
      printed=$("$program" "$1" 2>&1) || { echo "FAILED: the program exits with $?"; exit 1; }
      [[ $printed =~ $2 ]] || { echo "FAILED: $1 prints: $printed"; exit 1; }
      shift 2
    done
    ;;
  refused)
    [[ $linked -ne 0 ]] || { echo "FAILED: it links, and must not"; exit 1; }
    grep -m 1 -E 'error:|undefined|multiple' <<< "$messages" | grep -q -- "$1" ||
      { echo "FAILED: the linker's first error does not name $1"; exit 1; }
    ;;
esac
