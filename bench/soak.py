#!/usr/bin/env python3
"""Runs one program many times in a row and demands every result to be right.

Usage: bench/soak.py RUNS COMMAND [ARG ...]
  bench/soak.py 200 bazel-bin/bench/cont_greedy uts --tree=T1 --ranks=4
  bench/soak.py 50 mpirun -n 2 bazel-bin/bench/cont_greedy_mpi uts --tree=T1

The programs check their own results; --json is added to the command. Stops at
the first run that fails or takes longer than 60 s, with status 1. Prints one
JSON object: the number of right runs, and their figures.
"""

import json
import statistics
import subprocess
import sys

LIMIT_SECONDS = 60


def main():
    if len(sys.argv) < 3 or not sys.argv[1].isdigit() or int(sys.argv[1]) < 1:
        sys.exit(__doc__) if "--help" in sys.argv else refuse()
    runs, command = int(sys.argv[1]), sys.argv[2:]
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
        if sys.stderr.isatty():
            print(f"\r{run} of {runs}", end="", file=sys.stderr)
    print(json.dumps({
        "command": " ".join(command), "runs": runs, "right": len(seconds),
        "seconds_median": statistics.median(seconds),
        "seconds_max": max(seconds), "steals_ok": sum(steals)}))


def refuse():
    print("soak.py: RUNS: a number from 1 and a command are needed; see --help",
          file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    main()
