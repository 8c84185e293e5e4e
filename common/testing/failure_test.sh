#!/bin/bash
# The harness reports failures on any rank, and never hangs on them.
#
# Usage: failure_test.sh PROGRAM [FLAGS...]
#
# PROGRAM is failing_tests.cc, on two ranks or more.
set -uo pipefail

failures=0

# expect STATUS(zero|nonzero) FILTER REGEX...: the run has this status, and its
# output a line like each REGEX.
expect() {
  local want=$1 filter=$2 status=zero
  shift 2
  echo "== $filter"
  output=$("${program[@]}" --gtest_filter="$filter" 2>&1) || status=nonzero
  if [[ $status != "$want" ]]; then
    echo "FAILED: exit status is $status, not $want"
    ((++failures))
  fi
  for regex in "$@"; do
    if ! grep -Eq -- "$regex" <<< "$output"; then
      echo "FAILED: no line like: $regex"
      echo "$output"
      ((++failures))
    fi
  done
}

program=("$@")
expect zero 'Fails.NothingHere:Skips.*' '\[  PASSED  \] 1 test' '\[  SKIPPED \] 1 test'
expect nonzero 'Fails.ExpectOnOneRank:Fails.NothingHere' \
  '^\[rank 1\] Fails.ExpectOnOneRank' '^\[rank 1\] two' '^\[rank 1\] lines' \
  'failed on another rank' '\[       OK \] Fails.NothingHere' '\[  FAILED  \] 1 test'
expect nonzero 'Fails.InALoop' '^\[rank 1\] round 599$' '^magpie: rank 1: a test has failed 100 times'
if grep -q 'round 600' <<< "$output"; then
  echo "FAILED: a loop goes on after 100 failures"
  ((++failures))
fi
expect nonzero 'Fails.OnceForALoop' '^\[rank 1\] a round is odd: round 1, and 499 more like it'
expect nonzero 'Fails.MoreThanItSays' \
  '^magpie: rank [012]: a part takes more of the symmetric heap than the [0-9]+ bytes that it says'
program=("$@" --gtest_fail_fast)
expect nonzero 'Fails.ExpectOnOneRank:Fails.NothingHere' '\[  SKIPPED \] Fails.NothingHere'
program=("$@" --gtest_shuffle --gtest_repeat=5)
expect zero 'Fails.NothingHere:Skips.*' 'Repeating all tests \(iteration 5\)'
program=("$@")
expect nonzero 'Fails.AssertBeforeBarrier' \
  '^\[rank 1\] Fails.AssertBeforeBarrier' '^magpie: rank 1: a failed ASSERT'
expect nonzero 'Fails.ExceptionBeforeBarrier' 'rank 1'

((failures == 0)) && echo "PASSED"
exit $((failures > 0))
