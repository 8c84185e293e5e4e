#!/bin/bash
# The suite of queues tells what is wrong with a queue, in few lines, and prints a
# command that repeats the failure from any folder.
#
# Usage: queue_suite_test.sh SHM SIM
#
# SHM and SIM are failing_queues.cc, on these networks.
set -uo pipefail

# Reports of cases that fail on purpose would be taken for this test's.
unset XML_OUTPUT_FILE

shm=$1 sim=$2
lost='entry 17 was pushed by rank 0 and taken by nobody'
failures=0

# fails REGEX COMMAND...: the command fails, and prints few lines, one of which is
# like REGEX.
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
  fails "$lost" "$program" --ranks=3
done
fails "$lost" "$sim" --ranks=3 --explore --seeds=1..20
again=$(sed -n 's/.*with all events: //p' <<< "$output")
fails "$lost" bash -c "cd / && ${again% --log}"

((failures == 0)) && echo "PASSED"
exit $((failures > 0))
