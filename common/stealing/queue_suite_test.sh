#!/bin/bash
# The suite of queues tells what is wrong with one, in few lines, and the
# command that it prints repeats that from any folder.
#
# Usage: queue_suite_test.sh SHM SIM
#
# Each is failing_queues.cc, on that network.
set -uo pipefail

# The reports of what is meant to fail would be this test's.
unset XML_OUTPUT_FILE

shm=$1 sim=$2
lost='entry 17 was pushed by rank 0 and taken by nobody'
failures=0

# fails REGEX COMMAND...: it fails, and few lines of what it prints, of which
# one is like REGEX.
fails() {
  local regex=$1
  shift
  if output=$("$@" 2>&1) || ! grep -Eq -- "$regex" <<< "$output" ||
    (($(wc -l <<< "$output") > 60)); then
    echo "FAILED: $*: status 0, more than 60 lines, or none like: $regex"
    head -n 100 <<< "$output"
    ((++failures))
  fi
}

for program in "$shm" "$sim"; do
  fails '^magpie: rank [012]: the queue takes more of the symmetric heap than the [0-9]+ bytes that it says' \
    "$program" --ranks=3 --gtest_filter='SaysHalf.*'
  fails "$lost" "$program" --ranks=3 --gtest_filter=LosesOne.EachIsTakenOnce
done
fails "$lost" "$sim" --ranks=3 --gtest_filter='LosesOne.E*TakenOnce' --explore --seeds=1..20
again=$(sed -n 's/.*with all events: //p' <<< "$output")
fails "$lost" bash -c "cd / && ${again% --log}"

((failures == 0)) && echo "PASSED"
exit $((failures > 0))
