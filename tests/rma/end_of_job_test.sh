#!/bin/bash
# Tests how a job ends: its exit status, its words, and that no process is left.
#
# Usage: end_of_job_test.sh MISBEHAVE_SHM MISBEHAVE_SIM
set -uo pipefail

source common/testing/expect.sh
shm=$1 sim=$2 run=("$1")

# refuse REGEX FLAGS...: bad input is status 2 and one line.
refuse() {
  expect 2 "$@"
  (($(wc -l <<< "$output") == 1)) || fail "more than one line"
}

# start RUNS COMMAND...: starts a job that goes on for ever in the last of RUNS
# runs; sets pid, rank, which is the number of a rank's process, and out.
start() {
  local runs=$1 line
  shift
  output=
  coproc JOB {
    # Bash 5.3 starts it with SIGINT ignored.
    exec env --default-signal=INT,QUIT "$@" "$shm" --runs="$runs" --ranks=3 --how=print_pid --by=1 --others=spin 2>&1
  }
  pid=$JOB_PID
  exec {out}<&"${JOB[0]}"
  while read -r line <&"$out"; do
    [[ $line == pid* ]] && break
  done
  rank=${line#pid }
}

# all_end STATUS: the job ends, all of it.
all_end() {
  cat <&"$out" > /dev/null
  exec {out}<&-
  wait "$pid"
  status=$?
  # shellcheck disable=SC2053
  [[ $status == $1 ]] || fail "exit status is $status, not $1"
}

# end_by SIGNAL WHOM(parent|rank) RUNS: a signal from outside ends all processes
# of the job, in the last of RUNS runs. Only the ranks of that run hold memory.
end_by() {
  echo "== SIG$1 to the $2, run $3"
  start "$3" env
  local child holders=0
  for child in "$pid" $(cat "/proc/$pid/task/$pid/children"); do
    grep -q memfd:magpie "/proc/$child/maps" && ((++holders))
  done
  ((holders == 3)) || fail "$holders processes map segments, not 3"
  [[ $2 == rank ]] && kill -s "$1" "$rank" || kill -s "$1" "$pid"
  all_end '[!0]*'
}

# passes_on RUNS: a signal to the parent goes to the ranks, to a handler that the
# program has set before the run.
passes_on() {
  echo "== SIGUSR2 to the parent, run $1"
  start "$1" env
  local all='' line
  kill -s USR2 "$pid"
  while [[ $all != '012' ]] && read -r line <&"$out"; do
    all=$(tr ' ' '\n' <<< "${all:0:1} ${all:1:1} ${line#usr2 }" | sort | tr -d '\n')
  done
  kill -s TERM "$pid"
  all_end 143
}

# A rank maps its own segment, and all segments; the second mapping is not
# dumped.
dumps_its_own() {
  start 1 env
  local flags
  flags=$(awk '/memfd:magpie/ {segments = 1} /^VmFlags/ && segments {print; segments = 0}' "/proc/$rank/smaps")
  (($(wc -l <<< "$flags") == 2 && $(grep -cw dd <<< "$flags") == 1)) || fail "dumped or not: $flags"
  kill -s TERM "$pid"
  all_end 143
}

# The job is the first process of a container, where signals do nothing by default.
ends_as_first_process() {
  echo "== SIGTERM to the first process of a namespace"
  local namespace=(unshare --user --map-root-user --pid --fork)
  if ! "${namespace[@]}" true; then
    fail "no namespaces of processes here"
    return
  fi
  start 1 "${namespace[@]}"
  kill -s TERM "$(cat "/proc/$pid/task/$pid/children")"
  all_end 143
}

# The kernel tells the session's first process alone that its terminal is closed.
closes_terminal() {
  echo "== the terminal is closed"
  output=$(python3 -c '
import os, pty, sys
os.set_inheritable(os.dup(1), True)  # all processes of the job hold the output
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], sys.argv[1:])
told = b""
while b"pid" not in told:
    told += os.read(terminal, 1000)
os.close(terminal)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))' "$shm" --ranks=3 --how=print_pid --by=1 --others=spin)
  [[ $output == -1 ]] || fail "ended with $output, not by SIGHUP"
}

expect 0 '^ready$' --ranks=3

for others in finish barrier idle rest spin; do
  expect 1 '^magpie: rank 1: as told$' --ranks=3 --by=1 --how=fatal --others=$others
  expect 137 'rank 1 .*signal 9' --ranks=3 --by=1 --how=kill --others=$others
done
expect 137 'rank 0 died by signal 9' --ranks=3 --how=kill --others=idle
expect 1 '^magpie: rank 0: as told$' --ranks=1 --how=fatal
expect nonzero 'rank 1.*signal 11' --ranks=3 --by=1 --how=segv --others=spin
expect nonzero 'rank 0.*signal 6' --ranks=2 --how=abort --others=idle
expect nonzero 'as told' --ranks=2 --by=1 --how=exception --others=barrier
expect nonzero 'rank 1' --ranks=2 --by=1 --how=_exit --others=idle
expect nonzero 'rank 1' --ranks=2 --by=1 --how=_exit --status=3 --others=spin
expect 3 '^ready$' --ranks=2 --by=1 --how=exit --status=3 --others=idle
expect 139 '^magpie: rank 1: Segmentation fault$' --ranks=2 --by=1 --how=hit --others=idle
expect 1 '^magpie: rank [0-9]+: .*heap' --ranks=2 --how=exhaust_heap

# Threads that no rank has.
expect 0 '^magpie: warning: the program has started 1 other thread, which no rank has' --ranks=2 --threads=1
# A thread of the supervisor's process may wait for its children, too.
expect '[01]' '' --ranks=3 --threads=1 --reaps
((status == 0)) || grep -q '^magpie: a thread of the program.* how it ended is lost$' <<< "$output" || fail "no word of why"

# What ranks other than 0 have kept in streams is written when they end.
for kept in cout 'a file' 'until the exit'; do
  expect 0 "^kept (in )?$kept\$" --ranks=2 --how=print_last --by=1
done
# Handlers that the program has set before the run.
expect 3 '^its own$' --ranks=2 --how=own_handler --by=1 --others=idle

# A child that fails does not end its rank.
expect 0 '^ready$' --ranks=2 --how=failing_child --by=1
[[ $output == ready ]] || fail "more words"
# Processes that ranks have started end with the job, also those that nobody
# waits for.
expect 0 '^ready$' --ranks=2 --how=leave_child --by=1
expect 137 'rank 1 .*signal 9' --ranks=2 --how=die_with_child --by=1

# When two ranks fail at once, one says why.
expect nonzero '^magpie: rank [0-9]+: (raise the region.s size|the others, too)' --ranks=16 --by=1 --how=overflow --others=fatal
(($(grep -c '^magpie: rank [0-9]*:' <<< "$output") == 1)) || fail "two ranks speak"

for bad in 0 -1 abc '' 1.5 100000 99999999999999999999; do
  refuse "--ranks.*$bad" --ranks=$bad
done
refuse '--rank.*--ranks' --rank=2
refuse 'unexpected_word' --ranks=2 unexpected_word

refuse 'for 64 ranks .* none fits; use smaller segments .*_bytes' --ranks=64 --heap_bytes=1T
refuse 'none fits' --ranks=4096 --heap_bytes=18446744073709551615
refuse 'at most [1-9][0-9]* ranks fit' --ranks=4096 --heap_bytes=512M
(ulimit -f 100 && refuse '^magpie: --ranks=2: cannot create [0-9]+ bytes of shared memory: File too large \(ulimit -f\)$' --ranks=2
 exit $((failures > 0))) || ((++failures))
# Ranks that find no memory are told once.
(ulimit -v 200000 && refuse '^magpie: rank [0-3]: --ranks=4: cannot map [0-9]+ bytes of shared memory: ' --ranks=4 --heap_bytes=64M
 exit $((failures > 0))) || ((++failures))

# Runs of different sizes follow each other; the words of the last one are printed.
for network in shm sim; do
  run=("${!network}")
  for ranks in 1 3; do
    expect 0 '^ready$' --ranks=$ranks --runs=20
  done
  expect 0 '^ready$' --ranks=2 --runs=3 --later_ranks=4
  for runs in 1 2; do
    expect 4 '^ready$' --ranks=$runs --runs=$runs --status=4
    expect 5 '^ready$' --ranks=3 --runs=$runs --by=2 --status=5
    expect 1 '^ready$' --ranks=3 --runs=$runs --by=2 --status=256
    expect 1 '^ready$' --ranks=2 --runs=$runs --status=512
  done
  expect 1 '^magpie: rank 1: as told' --ranks=3 --runs=2 --by=1 --how=fatal --others=idle
  expect 1 '^magpie: rank 0: a run was started within a run: runs do not nest' --ranks=2 --runs=2 --how=nest --others=idle
  expect 3 '^magpie: rank 1: called exit in the middle' --ranks=2 --by=1 --how=exit --status=3 --others=idle

  # Without a run, before it and after it.
  for runs in 0 1; do
    expect 1 '^magpie: called outside a run: there are no ranks' --ranks=2 --runs=$runs --outside=local
    expect 1 '^magpie: called outside a run' --ranks=2 --runs=$runs --outside=get
    for what in barrier allocate idle rest wake; do
      expect nonzero '^magpie: .* outside a run' --ranks=2 --runs=$runs --outside=$what
    done
    expect 1 '^magpie: as told$' --ranks=2 --runs=$runs --outside=fatal
    expect 0 '' --ranks=2 --runs=$runs --outside=rank
  done

  # Whoever asks too early gets no answer.
  expect 0 '' --ranks=2 --how=ask_early
  # A launcher has started the program several times; sbatch starts it once.
  OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 refuse 'launcher started 2 processes.*//common/rma:mpi' --ranks=2
  PMI_SIZE=3 PMI_RANK=0 refuse 'launcher started 3 processes' --ranks=2
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 refuse 'launcher started 2 processes' --ranks=2
  # Nobody ends this one, so it speaks itself.
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 refuse 'launcher started 2 processes \(SLURM_STEP_NUM_TASKS\)' --ranks=2
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 expect 0 '--ranks' --help
  MAGPIE_LAUNCHER=none SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 expect 0 '^ready$' --ranks=2
  SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=0 refuse 'a job by itself: MAGPIE_LAUNCHER=none$' --ranks=2
  SLURM_NTASKS=2 SLURM_PROCID=0 expect 0 '^ready$' --ranks=2
  PMI_SIZE=1 PMI_RANK=0 SLURM_STEP_NUM_TASKS=2 SLURM_PROCID=1 expect 0 '^ready$' --ranks=2
done

# Results that are lost.
for program in "$shm" "$sim"; do
  output=$("$program" --ranks=2 2>&1 > /dev/full)
  [[ $? == 1 && $output == 'magpie: standard output could not be written: '* ]] || fail "a full disk is not told"
  output=$("$program" --ranks=2 2>&1 >&-)
  [[ $? == 1 && $output == 'magpie: standard output could not be written: '* ]] || fail "a closed output is not told"
done
run=("$sim" --heap_bytes=4K)
expect 1 "^magpie: --log=/dev/full: could not be written" --runs=2 --log=/dev/full
log=${TEST_TMPDIR:-/tmp}/log
for runs in 1 2; do
  expect 0 '' --runs=$runs --log="$log"
  lines[runs]=$(wc -l < "$log")
done
((lines[2] > lines[1])) || fail "the log of the first of two runs is lost"
run=("$sim")
refuse 'cannot map' --heap_bytes=18446744073709551615

run=("$shm")
# Ranks of a run end while the next one begins.
expect 0 '^ready$' --ranks=8 --runs=300 --heap_bytes=4K
expect 137 'rank 1 .*signal 9' --ranks=3 --runs=2 --by=1 --how=kill --others=spin
# A rank fails while others of its run, a later one, are being started.
for _ in {1..30}; do
  expect 1 '^magpie: rank 1: as told$' --ranks=16 --runs=2 --by=1 --how=fail_first
done
# A job whose children's ends nobody hears of, and one beside which others live on.
(trap '' CHLD && expect 0 '^ready$' --ranks=2 && exit $((failures > 0))) || ((++failures))
output=$(timeout 10 bash -c 'sleep 1000 > /dev/null 2>&1 & echo "sleeper $!"; exec "$@"' - "$shm" --ranks=2 --by=1 --how=kill --others=spin 2>&1)
[[ $? == 137 ]] || fail "waits for a child of the program"
kill "$(sed -n 's/^sleeper //p' <<< "$output")" || fail "a child of the program is gone"

for signal in TERM INT KILL; do
  end_by $signal parent 1
  end_by $signal rank 2
done
closes_terminal
end_by TERM parent 3
end_by HUP parent 2
passes_on 1
passes_on 2
# Signals that come while ranks are being started are for all of them, too.
for _ in {1..8}; do
  expect 4 '' --ranks=8 --how=signal_parent --by=0 --status=4
done
ends_as_first_process
dumps_its_own

finish
