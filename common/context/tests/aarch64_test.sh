#!/bin/bash
# Builds the tests named on the command line for AArch64, with GoogleTest from
# its sources, and runs them under qemu-user. On an AArch64 machine the native
# tests say the same; this one then only repeats them.
#
# Usage: aarch64_test.sh SOURCE...
#
# A missing tool is a failure and not a skip: a test that did not run proves
# nothing.
set -euo pipefail

cxx=aarch64-linux-gnu-g++
qemu=qemu-aarch64
gtest=/usr/src/googletest/googletest

# need PATH_OR_COMMAND PACKAGE
need() {
  if ! command -v "$1" >/dev/null && ! [[ -e $1 ]]; then
    echo "aarch64_test: $1 is missing: apt-get install $2" >&2
    exit 1
  fi
}
need "$cxx" g++-aarch64-linux-gnu
need "$qemu" qemu-user
need "$gtest/src/gtest-all.cc" libgtest-dev

out=${TEST_TMPDIR:-$(mktemp -d)}
flags=(-std=c++20 -O2 -Wall -Wextra -Werror -fno-stack-protector
       -mbranch-protection=none -static -I. -isystem "$gtest/include")

assembly=()
tests=()
for source in "$@"; do
  case $source in
    *.S) assembly+=("$source") ;;
    *_test.cc) tests+=("$source") ;;
  esac
done
if [[ ${#tests[@]} -eq 0 ]]; then
  echo "aarch64_test: no *_test.cc among the arguments" >&2
  exit 1
fi

"$cxx" -std=c++17 -O0 -I"$gtest/include" -I"$gtest" \
    -c "$gtest/src/gtest-all.cc" -o "$out/gtest.o"
"$cxx" -std=c++17 -O0 -I"$gtest/include" \
    -c "$gtest/src/gtest_main.cc" -o "$out/gtest_main.o"

# One binary of all tests: one link, and one static C++ library to load.
"$cxx" "${flags[@]}" "${assembly[@]}" "${tests[@]}" \
    "$out/gtest.o" "$out/gtest_main.o" -o "$out/tests"

# No part may ask for an executable stack.
if ! aarch64-linux-gnu-readelf -lW "$out/tests" |
    grep -E 'GNU_STACK.* RW +0x' >/dev/null; then
  echo "aarch64_test: the binary asks for an executable stack" >&2
  exit 1
fi

"$qemu" "$out/tests"
