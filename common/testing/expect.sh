# What tests that are scripts share; they source it. A program that hangs, or a
# process of it that is left behind, keeps its test from ending.

failures=0
# What each command begins with, and what it reads.
run=()
input=/dev/null

fail() {
  echo "FAILED: $1"
  [[ -n ${output-} ]] && sed 's/^/    /' <<< "$output"
  ((++failures))
}

# also REGEX...: the output has a line like each.
also() {
  for regex in "$@"; do
    grep -Eq -- "$regex" <<< "$output" || fail "no line like: $regex"
  done
}

# expect STATUS REGEX ARGUMENTS...: runs a command; sets its output and status.
# STATUS is a pattern, or "nonzero".
expect() {
  local want=$1 regex=$2
  shift 2
  echo "== $*"
  # Ends when no process holds its output any more.
  output=$("${run[@]}" "$@" 2>&1 < "$input")
  status=$?
  # 124 is that of timeout.
  [[ $want == nonzero ]] && want='!(0|124)'
  # shellcheck disable=SC2053
  [[ $status == $want ]] || fail "exit status is $status, not $want"
  also "$regex"
}

finish() {
  ((failures == 0)) && echo PASSED
  exit $((failures > 0))
}
