#!/usr/bin/env python3
"""Tells how much of a core each process of a job takes.

Usage: bench/cores.py [--after=SECONDS] [--seconds=SECONDS] COMMAND [ARG ...]
  bench/cores.py bazel-bin/bench/pool_glb_hybrid nqueens --n=17 --cutoff=11 --ranks=3

Starts the command, which should run for longer than both times, and waits for
--after seconds (default: 2). Then measures for --seconds (default: 8), and
prints the processor time that each process took in that time, in percent of a
core, in the order in which the processes were started: on shared memory rank by
rank, after the process that waits for them. Then ends the job. Needs Linux.
Exits with status 1 if the job ends too soon, 2 for bad flags.
"""

import argparse
import os
import signal
import subprocess
import sys
import time

import compare


def children_of(pid):
    found = []
    with open("/proc/%d/task/%d/children" % (pid, pid)) as children:
        for child in map(int, children.read().split()):
            found += [child] + children_of(child)
    return found


def processor_ns(pid):
    """Returns the processor time that all threads of a process have taken."""
    taken = 0
    for thread in os.listdir("/proc/%d/task" % pid):
        with open("/proc/%d/task/%s/schedstat" % (pid, thread)) as stat:
            taken += int(stat.read().split()[0])
    return taken


def has_ended(job, seconds):
    """Waits for that many seconds, or until the job ends; returns whether it has ended."""
    try:
        job.wait(timeout=seconds)
        return True
    except subprocess.TimeoutExpired:
        return False


def shares(job, after, seconds):
    """(process, percent of a core) of all processes; None if the job ends too soon."""
    if has_ended(job, after):
        return None
    begin, before = time.monotonic(), {one: processor_ns(one) for one in [job.pid] + children_of(job.pid)}
    if has_ended(job, seconds):
        return None
    took = time.monotonic() - begin
    return [(one, (processor_ns(one) - ns) / took / 1e7) for one, ns in before.items()]


def main(arguments):
    parser = compare.Parser(prog="cores", description=__doc__,
                            formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--after", type=float, default=2)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args(arguments)
    if not options.command or options.after < 0 or options.seconds <= 0:
        parser.error("--after=%g --seconds=%g %s: a command, 0 or more and above 0 are needed" % (
            options.after, options.seconds, " ".join(options.command)))
    job = subprocess.Popen(options.command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        found = shares(job, options.after, options.seconds)
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGTERM)
            job.wait()
    if found is None:
        print("cores: the job has ended before its time", file=sys.stderr)
        return 1
    for pid, share in found:
        print("process %d: %.2f %%" % (pid, share))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
