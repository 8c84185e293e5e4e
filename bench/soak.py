#!/usr/bin/env python3
"""Runs one program many times in a row and demands every result to be right.

Usage: bench/soak.py [--kill] RUNS COMMAND [ARG ...]
  bench/soak.py 200 bazel-bin/bench/cont_greedy uts --tree=T1 --ranks=4
  bench/soak.py 50 mpirun -n 2 bazel-bin/bench/cont_greedy_mpi uts --tree=T1
  bench/soak.py --kill 100 bazel-bin/bench/cont_greedy fib --n=30 --ranks=4 + fib --n=30 --ranks=4

The programs check their own results; --json is added to the command. With
--kill one process of each job, which runs the command's program, is killed at a
random moment: all of the program's processes must then end within 2 s, a
launcher aside, and the job with a status that is not 0 and with words (unless
its first process is the one).

Stops at the first run that fails or takes longer than 60 s, with status 1.
Prints one JSON object: the number of right runs, and their figures.
"""

import json
import os
import pathlib
import random
import signal
import statistics
import subprocess
import sys
import time

LIMIT_SECONDS = 60
# A killed job's end, within which it is over.
END_SECONDS = 2


def main():
    kills = sys.argv[1:2] == ["--kill"]
    arguments = sys.argv[1 + kills:]
    if len(arguments) < 2 or not arguments[0].isdigit() or int(arguments[0]) < 1:
        sys.exit(__doc__) if "--help" in sys.argv else refuse()
    runs, command = int(arguments[0]), arguments[1:]
    figures = kill_all(runs, command) if kills else run_all(runs, command)
    print(json.dumps({"command": " ".join(command), "runs": runs, **figures}))


def tell(run, runs):
    if sys.stderr.isatty():
        print(f"\r{run} of {runs}", end="", file=sys.stderr)


def run_all(runs, command):
    seconds, steals = [], []
    for run in range(1, runs + 1):
        try:
            done = subprocess.run(command + ["--json"], capture_output=True,
                                  text=True, timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            sys.exit(f"run {run} took longer than {LIMIT_SECONDS} s")
        if done.returncode != 0:
            sys.exit(f"run {run} ended with status {done.returncode}: "
                     f"{done.stderr.strip()}")
        result = json.loads(done.stdout)
        seconds.append(result["seconds"])
        steals.append(result["metrics"]["steals_ok"])
        tell(run, runs)
    return {"right": len(seconds), "seconds_median": statistics.median(seconds),
            "seconds_max": max(seconds), "steals_ok": sum(steals)}


def processes_of(job):
    """Numbers of the processes that have inherited the job's variable, but for launchers and the dead."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if job in (entry / "environ").read_bytes().split(b"\0"):
                name = (entry / "comm").read_text()
                if not name.startswith(("mpi", "hydra", "orte", "prte")):
                    found.append(int(entry.name))
        except OSError:
            pass  # it has ended
    return sorted(found)


def kill_one(command, job, after):
    """Kills a process of a job, and returns what was killed, the seconds to the end, and the words; None: it had ended."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "MAGPIE_SOAK_JOB": job}) as process:
        time.sleep(after)
        mark = b"MAGPIE_SOAK_JOB=" + job.encode()
        victims = processes_of(mark)
        if not victims:
            return None
        victim = random.choice(victims)
        try:
            os.kill(victim, signal.SIGKILL)
        except ProcessLookupError:
            return None
        begin = time.monotonic()
        while processes_of(mark):
            if time.monotonic() - begin > LIMIT_SECONDS:
                sys.exit(f"left behind: {processes_of(mark)}, after {victim} of {victims} was killed")
        seconds = time.monotonic() - begin
        words = process.stderr.read()
        status = process.wait()
    is_first = victim == process.pid
    if status == 0 or seconds > END_SECONDS or not (words or is_first):
        sys.exit(f"status {status} after {seconds:.2f} s; {victim} of {victims} was killed, {after:.3f} s after the "
                 f"start: {words}")
    return is_first, seconds


def kill_all(runs, command):
    begin = time.monotonic()
    subprocess.run(command, capture_output=True, check=True, timeout=LIMIT_SECONDS)
    whole = time.monotonic() - begin
    ends, firsts, jobs = [], 0, 0
    while len(ends) < runs:
        jobs += 1
        end = kill_one(command, f"{os.getpid()}.{jobs}", random.uniform(0, whole))
        if end is None:
            continue
        firsts += end[0]
        ends.append(end[1])
        tell(len(ends), runs)
    return {"killed": len(ends), "first_processes": firsts, "whole_seconds": round(whole, 3),
            "end_seconds_median": round(statistics.median(ends), 3), "end_seconds_max": round(max(ends), 3)}


def refuse():
    print("soak.py: RUNS: a number from 1 and a command are needed; see --help",
          file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
