#!/bin/bash
# The harness reports failures on any rank, and never hangs on them.
#
# Usage: failure_test.sh PROGRAM [FLAGS...]
#
# PROGRAM is failing_tests.cc, on two ranks or more.
set -uo pipefail

source common/testing/expect.sh

run=("$@")
expect 0 '\[  PASSED  \] 1 test' --gtest_filter='Fails.NothingHere:Skips.*'
also '\[  SKIPPED \] 1 test'
expect nonzero '^\[rank 1\] Fails.ExpectOnOneRank' --gtest_filter='Fails.ExpectOnOneRank:Fails.NothingHere'
also '^\[rank 1\] two' '^\[rank 1\] lines' 'failed on another rank' '\[       OK \] Fails.NothingHere' '\[  FAILED  \] 1 test'
expect nonzero '^\[rank 1\] round 599$' --gtest_filter='Fails.InALoop'
also '^magpie: rank 1: a test has failed 100 times'
grep -q 'round 600' <<< "$output" && fail "a loop goes on after 100 failures"
expect nonzero '^\[rank 1\] a round is odd: round 1, and 499 more like it' --gtest_filter='Fails.OnceForALoop'
expect nonzero '^magpie: rank [012]: a part takes more of the symmetric heap than the [0-9]+ bytes that it says' \
  --gtest_filter='Fails.MoreThanItSays'
expect nonzero '\[  SKIPPED \] Fails.NothingHere' --gtest_fail_fast --gtest_filter='Fails.ExpectOnOneRank:Fails.NothingHere'
expect 0 'Repeating all tests \(iteration 5\)' --gtest_shuffle --gtest_repeat=5 --gtest_filter='Fails.NothingHere:Skips.*'
expect nonzero '^\[rank 1\] Fails.AssertBeforeBarrier' --gtest_filter='Fails.AssertBeforeBarrier'
also '^magpie: rank 1: a failed ASSERT'
expect nonzero 'rank 1' --gtest_filter='Fails.ExceptionBeforeBarrier'

finish
