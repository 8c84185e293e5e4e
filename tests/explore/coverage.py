#!/usr/bin/env python3
"""Counts the transitions that explored runs of continuation stealing with greedy join take.

Usage: coverage.py SCENARIOS SEEDS

Explores the programs of //tests/fork_join in which much is joined far from
where it was spawned, SEEDS of each under each memory model, in equal parts on 2
to 5 ranks; adds up the counts of the runs' reports, and prints how often each
transition was taken. Fails if a run fails, or a transition was not taken once
in a thousand runs. SCENARIOS is a binary over //common/rma:sim.
"""

import collections
import os
import subprocess
import sys
import tempfile

# "shared" has futures with 1, 2, 3 and 4 consumers, one after the other.
PROGRAMS = {"shared": 24, "all_wait": 2, "wavefront": 1, "dag": 30, "in_closure": 10, "discard": 10}
MEMORY_MODELS = ["tso", "pso"]
RANKS = [2, 3, 4, 5]


def transitions(total):
    """How often each was taken, from the sums of the reports' numbers."""
    stolen = total["steals_ok"] - total["ready_threads_stolen"]
    return {
        "a thread takes its parent back": total["spawns"] - stolen,
        "a thread's parent was stolen": stolen,
        "the thread ends before its consumer comes": stolen - total["die_losers"] - total["join_losers"],
        "the consumer comes first: the thread resumes it": total["die_losers"],
        "the consumer loses the race, and stays": total["join_losers"],
        "one of several that became ready at once goes on on that rank": total["ready_threads_here"],
        "one of several that became ready at once is stolen": total["ready_threads_stolen"],
        "a thread ends while ready threads are in the queue": total["ready_threads_passed"],
    }


def explore(binary, flags, seeds, output):
    command = [binary, *flags, "--explore", "--seeds=%d..%d" % seeds, "--seeds_output=" + output]
    print(" ".join(command[1:-1]), flush=True)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with open(output) as lines:
        return [{name: int(number) for name, number in (word.split("=") for word in line.split()[1:])} for line in lines]


def main(binary, seeds):
    seeds, total, runs = int(seeds), collections.Counter(), 0
    with tempfile.TemporaryDirectory() as folder:
        for name, size in PROGRAMS.items():
            for memory in MEMORY_MODELS:
                for part, ranks in enumerate(RANKS):
                    flags = ["--scenario=" + name, "--n=%d" % size, "--ranks=%d" % ranks, "--memory=" + memory]
                    each = max(seeds // len(RANKS), 1)
                    reports = explore(binary, flags, (part * each + 1, (part + 1) * each), os.path.join(folder, "all"))
                    runs += len(reports)
                    for report in reports:
                        total.update(report)
    print("%d runs went well" % runs)
    taken = transitions(total)
    for what, times in taken.items():
        print("%12d  %s" % (times, what))
    missed = [what for what, times in taken.items() if times * 1000 < runs]
    if missed:
        sys.exit("not taken once in a thousand runs: " + "; ".join(missed))


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit(__doc__)
    main(*sys.argv[1:])
