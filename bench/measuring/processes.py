"""soak and cores: the processes of a job, whether each run is right, and what each process takes. They need Linux."""

import argparse
import json
import os
import pathlib
import random
import shlex
import signal
import statistics
import subprocess
import sys
import time

from measuring import shared
from measuring.shared import flag, subcommand

LIMIT_SECONDS = 60
# A killed job's end, within which it is over.
END_SECONDS = 2
COMMAND = flag("command", "the program and its flags", nargs=argparse.REMAINDER)


@subcommand(flag("--kill", "kill a process of each run", False),
            flag("runs", "how many runs", type=shared.count), COMMAND)
def soak(options):
    """whether N runs in a row are right

    soak 200 bazel-bin/bench/cont_greedy uts --tree=T1 --ranks=4
    soak 50 mpirun -n 2 bazel-bin/bench/cont_greedy_mpi uts --tree=T1
    soak --kill 100 bazel-bin/bench/cont_greedy fib --n=30 --ranks=4 + fib --n=30 --ranks=4

    The programs check their own results; --json is added to the command. With --kill
    one process of each job, which runs the command's program, is killed at a random
    moment: all of the program's processes must then end within 2 s, a launcher aside,
    and the job with a status that is not 0 and with words (unless its first process
    is the one). Stops at the first run that fails or takes longer than 60 s, with
    status 1. Prints one JSON object: the number of right runs, and their figures.
    """
    if not options.command:
        options.refuse("COMMAND: must be a program and its flags")
    figures = (kill_all if options.kill else run_all)(options.runs, options.command)
    print(json.dumps({"command": shlex.join(options.command), "runs": options.runs, **figures}))


def run_all(runs, command):
    reports = []
    for number in range(1, runs + 1):
        shared.progress("%d of %d" % (number, runs))
        reports.append(shared.run(command + ["--json"], limit=LIMIT_SECONDS, which="run %d: " % number))
    shared.progress("")
    median, _, most = shared.extremes([report["seconds"] for report in reports])
    return {"right": len(reports), "seconds_median": median, "seconds_max": most,
            "steals_ok": sum(report["metrics"]["steals_ok"] for report in reports)}


def processes_of(mark):
    """Numbers of the processes that have inherited the job's variable, but for launchers and the dead."""
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if mark in (entry / "environ").read_bytes().split(b"\0"):
                if not (entry / "comm").read_text().startswith(("mpi", "hydra", "orte", "prte")):
                    found.append(int(entry.name))
        except OSError:
            pass  # it has ended
    return sorted(found)


def kill_one(command, job, after):
    """Kills a process of a job; returns whether it was the job's first process, and the seconds to the job's end, or
    None if the job had ended before."""
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
                sys.exit("left behind: %s, after %d of %s was killed" % (processes_of(mark), victim, victims))
        seconds = time.monotonic() - begin
        words = process.stderr.read()
        status = process.wait()
    is_first = victim == process.pid
    if status == 0 or seconds > END_SECONDS or not (words or is_first):
        sys.exit("status %d after %.2f s; %d of %s was killed, %.3f s after the start: %s" % (
            status, seconds, victim, victims, after, words))
    return is_first, seconds


def kill_all(runs, command):
    begin = time.monotonic()
    shared.printed(command, limit=LIMIT_SECONDS)
    whole = time.monotonic() - begin
    ends, jobs = [], 0
    while len(ends) < runs:
        jobs += 1
        end = kill_one(command, "%d.%d" % (os.getpid(), jobs), random.uniform(0, whole))
        ends += [end] if end else []
        shared.progress("%d of %d" % (len(ends), runs))
    shared.progress("")
    firsts, seconds = zip(*ends)
    return {"killed": len(ends), "first_processes": sum(firsts), "whole_seconds": round(whole, 3),
            "end_seconds_median": round(statistics.median(seconds), 3), "end_seconds_max": round(max(seconds), 3)}


def children_of(pid):
    found = []
    with open("/proc/%d/task/%d/children" % (pid, pid)) as children:
        for child in map(int, children.read().split()):
            found += [child] + children_of(child)
    return found


def processor_ns(pid):
    """The processor time that all threads of a process have taken."""
    return sum(int((thread / "schedstat").read_text().split()[0])
               for thread in pathlib.Path("/proc/%d/task" % pid).iterdir())


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


@subcommand(flag("--after", "seconds from the start until it is measured", "2", type=float),
            flag("--seconds", "for how long it is measured", "8", type=float), COMMAND)
def cores(options):
    """how much of a core each process of a job takes

    cores bazel-bin/bench/pool_glb_hybrid nqueens --n=17 --cutoff=11 --ranks=3

    The command should run for longer than both times; then the job is ended. Prints
    the processor time of each process in percent of a core, in the order in which the
    processes were started: on shared memory rank by rank, after the process that
    waits for them. Exits with status 1 if the job ends too soon.
    """
    if not options.command or options.after < 0 or options.seconds <= 0:
        options.refuse("--after=%g --seconds=%g %s: must be 0 or more, above 0, and a command" % (
            options.after, options.seconds, shlex.join(options.command)))
    job = subprocess.Popen(options.command, stdout=subprocess.DEVNULL, start_new_session=True)
    try:
        found = shares(job, options.after, options.seconds)
    finally:
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGTERM)
            job.wait()
    if found is None:
        sys.exit("the job has ended before its time")
    for pid, share in found:
        print("process %d: %.2f %%" % (pid, share))
