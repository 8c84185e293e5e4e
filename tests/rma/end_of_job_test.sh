#!/bin/bash
# How a job ends: its exit status, its words, and that no process is left behind.
#
# Usage: end_of_job_test.sh MISBEHAVE STRAY_ACCESS
set -uo pipefail

program=$1
failures=0
jobs_started=0

fail() {
  echo "FAILED: $1"
  [[ -n ${output-} ]] && sed 's/^/    /' <<< "$output"
  ((++failures))
}

# Every process of a job inherits a variable that names the job.
left_behind() { grep -lsz "^MAGPIE_TEST_JOB=$1\$" /proc/[0-9]*/environ; }

# job FLAGS...: runs one to its end; sets output, status, id.
job() {
  echo "== $*"
  id=$$.$((++jobs_started))
  output=$(MAGPIE_TEST_JOB=$id "$program" "$@" 2>&1)
  status=$?
  local left
  left=$(left_behind "$id") && fail "left behind: $left"
}

# expect STATUS REGEX FLAGS...: the status may be a number or "nonzero".
expect() {
  local want=$1 regex=$2
  shift 2
  job "$@"
  if [[ $want == nonzero ]]; then
    ((status != 0)) || fail "exit status is 0"
  else
    ((status == want)) || fail "exit status is $status, not $want"
  fi
  grep -Eq -- "$regex" <<< "$output" || fail "no line like: $regex"
}

# refuse REGEX FLAGS...: bad input is status 2 and one line.
refuse() {
  expect 2 "$@"
  (($(wc -l <<< "$output") == 1)) || fail "more than one line"
}

# end_by SIGNAL WHOM(parent|rank): a signal from outside ends all processes of
# the job. The wait has no limit but the test's.
end_by() {
  echo "== SIG$1 to the $2"
  id=$$.$((++jobs_started))
  output=
  coproc JOB {
    MAGPIE_TEST_JOB=$id exec "$program" --ranks=3 --how=print_pid --by=1 --others=spin 2>&1
  }
  local pid=$JOB_PID line out=${JOB[0]} status=0
  while read -r line <&"$out"; do
    [[ $line == pid* ]] && break
  done
  [[ $2 == rank ]] && kill -s "$1" "${line#pid }"
  [[ $2 == parent ]] && kill -s "$1" "$pid"
  wait "$pid" || status=$?
  ((status != 0)) || fail "exit status is 0"
  while left_behind "$id" > /dev/null; do :; done
}

expect 0 '^ready$' --ranks=3
expect 4 '^ready$' --ranks=2 --status=4
expect 4 '^ready$' --ranks=1 --status=4
expect nonzero '^ready$' --ranks=3 --by=2 --status=5

for others in finish barrier idle spin; do
  expect 1 '^magpie: rank 1: as told$' --ranks=3 --by=1 --how=fatal --others=$others
  expect 137 'rank 1 .*signal 9' --ranks=3 --by=1 --how=kill --others=$others
done
expect 137 'rank 0 died by signal 9' --ranks=3 --how=kill --others=idle
expect 1 '^magpie: rank 0: as told$' --ranks=1 --how=fatal
expect 1 '^magpie: rank 0: as told$' --ranks=3 --how=fatal --others=spin
expect nonzero 'rank 1.*signal 11' --ranks=3 --by=1 --how=segv --others=spin
expect nonzero 'rank 0.*signal 11' --ranks=3 --by=0 --how=segv --others=spin
expect nonzero 'rank 0.*signal 6' --ranks=2 --how=abort --others=idle
expect nonzero 'as told' --ranks=2 --by=1 --how=exception --others=barrier
expect nonzero 'rank 1' --ranks=2 --by=1 --how=exit --others=idle
expect nonzero 'rank 1' --ranks=2 --by=1 --how=_exit --others=idle
expect nonzero 'rank 1' --ranks=2 --by=1 --how=_exit --status=3 --others=spin
expect 1 '^magpie: rank [0-9]+: .*heap' --ranks=2 --how=exhaust_heap
expect 1 '^magpie: rank 0: .*heap' --ranks=1 --how=exhaust_heap

# Peers' memory is inaccessible outside the shim's calls when it is guarded.
program=$2 expect 0 '' --ranks=2
program=$2 expect 139 'rank 0: access to another rank.s memory outside the RMA shim' --ranks=2 --shm_guard

for bad in 0 -1 abc '' 1.5 100000 99999999999999999999; do
  refuse "--ranks.*$bad" --ranks=$bad
done
refuse '--rank.*--ranks' --rank=2
refuse 'unexpected_word' --ranks=2 unexpected_word

for signal in TERM INT KILL; do
  end_by $signal parent
  end_by $signal rank
done

((failures == 0)) && echo "PASSED: $jobs_started jobs"
exit $((failures > 0))
