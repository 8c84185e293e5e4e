#!/bin/bash
# A broken rule ends the job in words where checks are active. Elsewhere most
# rules are not checked, and a program that stays well-defined goes on.
#
# Usage: broken_rules_test.sh PROGRAM   (break_rule.cc)
set -uo pipefail

program=$1
failures=0
broken=0

fail() {
  echo "FAILED: $name: $1; exit status $status, printed: $output"
  ((++failures))
}

while IFS=$'\t' read -r name flags then words; do
  [[ $then == undefined ]] && continue
  # shellcheck disable=SC2086
  output=$("$program" "$name" $flags 2>&1 < /dev/null)
  status=$?
  if [[ $then == silent ]]; then
    [[ $status == 0 && -z $output ]] || fail "must be silent"
  else
    [[ $status == 1 && $output == *"magpie: rank "[0-9]": "*"$words"* ]] ||
      fail "must say: $words"
  fi
  ((++broken))
done < <("$program")

echo "$broken rules broken, $failures failures"
((broken > 0 && failures == 0))
