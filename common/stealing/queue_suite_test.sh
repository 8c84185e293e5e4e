#!/bin/bash
# The suite of queues tells what is wrong with a queue, in few lines, and prints a
# command that repeats the failure from any folder.
#
# Usage: queue_suite_test.sh SHM SIM
#
# SHM and SIM are failing_queues.cc, on these networks.
set -uo pipefail

source common/testing/expect.sh

# Reports of cases that fail on purpose would be taken for this test's.
unset XML_OUTPUT_FILE

# fails COMMAND...: the command fails, and says why in few lines.
fails() {
  expect nonzero 'entry 17 was pushed by rank 0 and taken by nobody' "$@"
  (($(wc -l <<< "$output") <= 60)) || fail "more than 60 lines"
}

fails "$1" --ranks=3
fails "$2" --ranks=3
fails "$2" --ranks=3 --explore --seeds=1..20
again=$(sed -n 's/.*with all events: //p' <<< "$output")
fails bash -c "cd / && ${again% --log}"

finish
