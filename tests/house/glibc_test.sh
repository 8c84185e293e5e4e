#!/bin/bash
# Programs need nothing of glibc that version 2.28 lacks, which is that of the
# oldest distributions in use on clusters (RHEL 8). A program that is built there
# links what is there; it must not name a newer function.
#
# Usage: glibc_test.sh PROGRAM...
set -uo pipefail

newest=28
# Functions with a newer version of an old name: the parts of libpthread, which
# became libc's in 2.34, functions that were inline before, and of mathematics.
renamed='^(pthread_[a-z_]*|__pthread_[a-z_]*|__libc_start_main|dl[a-z]*|sem_[a-z]*|shm_[a-z]*|f?l?stat(64)?|log|pow|exp|__isoc23_[a-z]*)$'
# Functions that the compiler's static libraries use where libc has them.
compilers='^(__libc_single_threaded|_dl_find_object|arc4random|pthread_cond_clockwait)$'

failures=0
for program in "$@"; do
  symbols=$(objdump -T "$program" | sed -nE 's/.*\(?GLIBC_2\.([0-9]+)[0-9.]*\)? +([A-Za-z0-9_]+)$/\1 \2/p')
  (($(wc -l <<< "$symbols") > 10)) || { echo "FAILED: $program has hardly any symbols"; ((++failures)); }
  while read -r version name; do
    ((version <= newest)) && continue
    [[ $name =~ $renamed || $name =~ $compilers ]] && continue
    echo "FAILED: $program needs $name, which glibc has since 2.$version"
    ((++failures))
  done <<< "$symbols"
done
((failures == 0)) && echo "PASSED: $# programs"
exit $((failures > 0))
