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
import concurrent.futures
import json
import os
import subprocess
import sys

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


def explore(binary, flags, seeds):
    def run(seed):
        return subprocess.run([binary, *flags, "--explore", "--seed=%d" % seed], capture_output=True, text=True)

    print(*flags, "--explore", "--seeds=%d..%d" % (seeds[0], seeds[-1]), flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for done in pool.map(run, seeds):
            if done.returncode != 0:
                sys.exit(done.stderr)
            yield json.loads(done.stdout)


def main(binary, seeds):
    seeds, total, runs = int(seeds), collections.Counter(), 0
    for name, size in PROGRAMS.items():
        for memory in MEMORY_MODELS:
            for part, ranks in enumerate(RANKS):
                flags = ["--scenario=" + name, "--n=%d" % size, "--ranks=%d" % ranks, "--memory=" + memory]
                each = max(seeds // len(RANKS), 1)
                for report in explore(binary, flags, range(part * each + 1, (part + 1) * each + 1)):
                    runs += 1
                    total.update({key: value for key, value in report.items() if isinstance(value, int)})
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
