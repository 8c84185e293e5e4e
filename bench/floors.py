#!/usr/bin/env python3
"""Measures a fork and join under several runtimes, beside the least that it can take.

Usage: bench/floors.py [--repeat=N] [--instructions] [--out=FILE]

Run from the repository root, on a machine that does nothing else, after

  bazel build //bench:serial //bench:child_rtc //bench:cont_greedy //bench:cont_greedy_sws \\
    //bench/microbenchmarks:floor //tests/lto:cont_greedy //tests/lto:cont_greedy_sws

Runs bench/microbenchmarks:floor and fib(34) under each of these runtimes on one
rank, in turns, and prints two tables for a document: the floors, and for each
runtime its floor, its time, and the difference, by medians. With --instructions
also prints the number of instructions of a fork and join, by valgrind: from the
difference of fib(24) and fib(20). Exits with status 1 when a run fails, 2 for
bad flags.
"""

import argparse
import json
import re
import statistics
import subprocess
import sys

import compare

FLOOR = "bazel-bin/bench/microbenchmarks/floor"
CALLS = "plain calls"
# (runtime, binary, the floor below it).
RUNTIMES = [
    ("`serial`", "bazel-bin/bench/serial", CALLS),
    ("`child_rtc`", "bazel-bin/bench/child_rtc", "children in a THE queue, called when joined"),
    ("`cont_greedy`", "bazel-bin/bench/cont_greedy", "context switches, a THE queue, results in entries"),
    ("`cont_greedy`, `--config=lto`", "bazel-bin/tests/lto/cont_greedy",
     "context switches, a THE queue, results in entries"),
    ("`cont_greedy_sws`", "bazel-bin/bench/cont_greedy_sws", "context switches, a split queue, results in entries"),
    ("`cont_greedy_sws`, `--config=lto`", "bazel-bin/tests/lto/cont_greedy_sws",
     "context switches, a split queue, results in entries"),
]
N = 34


def forks(n):
    """The number of calls of fib(n) that do not return n."""
    counts = [0, 0]
    while len(counts) <= n:
        counts.append(1 + counts[-1] + counts[-2])
    return counts[n]


def floors(output):
    """{floor: nanoseconds} from the output of the floor program."""
    found = {what: float(ns) for ns, what in re.findall(r"^ *([\d.]+) ns  (.+)$", output, re.MULTILINE)}
    missing = [floor for _, _, floor in RUNTIMES if floor not in found]
    if missing:
        print("floors: %s prints no line of: %s" % (FLOOR, missing[0]), file=sys.stderr)
        sys.exit(1)
    return found


def text_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
    if done.returncode != 0:
        print("floors: exit status %d from: %s" % (done.returncode, " ".join(command)), file=sys.stderr)
        sys.exit(1)
    return done.stdout


def fib(binary, n):
    return [binary, "fib", "--n=%d" % n, "--ranks=1", "--json"]


def measure(repeat):
    """The nanoseconds of each floor and of each runtime, in each turn."""
    below, above = {}, {name: [] for name, _, _ in RUNTIMES}
    for turn in range(repeat):
        compare.progress("turn %d of %d ..." % (turn + 1, repeat))
        for what, ns in floors(text_of([FLOOR])).items():
            below.setdefault(what, []).append(ns)
        for name, binary, _ in RUNTIMES:
            above[name].append(compare.run(fib(binary, N))["seconds"] * 1e9 / forks(N))
    compare.progress("")
    return below, above


def instructions(binary):
    """valgrind counts each process of a job; the largest count is the rank's."""
    def collected(n):
        done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"] + fib(binary, n),
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        found = re.findall(r"Collected : (\d+)", done.stderr)
        if done.returncode != 0 or not found:
            print("floors: valgrind cannot run %s" % binary, file=sys.stderr)
            sys.exit(1)
        return max(map(int, found))

    return (collected(24) - collected(20)) / (forks(24) - forks(20))


def tables(below, above, counts):
    yield ["a floor, ns", "median", "least", "most"]
    for what, ns in below.items():
        yield [what] + ["%.1f" % f(ns) for f in (statistics.median, min, max)]
    yield None
    yield ["fib(%d), one rank: ns per fork and join" % N, "median", "least", "most", "its floor", "beyond it"] + (
        ["instructions"] if counts else [])
    for name, _, floor in RUNTIMES:
        ns, least = statistics.median(above[name]), statistics.median(below[floor])
        yield ([name] + ["%.1f" % value for value in (ns, min(above[name]), max(above[name]), least, ns - least)] +
               (["%.0f" % counts[name]] if counts else []))


def print_tables(rows):
    is_head = True
    for row in rows:
        print("| " + " | ".join(row) + " |" if row else "")
        if row and is_head:
            print("|" + "---|" * len(row))
        is_head = row is None


def main(arguments):
    parser = compare.Parser(prog="floors", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=9, help="turns (default 9)")
    parser.add_argument("--instructions", action="store_true", help="count instructions, too, which takes a minute")
    parser.add_argument("--out", metavar="FILE", help="file for all values, as JSON")
    options = parser.parse_args(arguments)
    if options.repeat < 1:
        parser.error("--repeat=%d: must be at least 1" % options.repeat)
    below, above = measure(options.repeat)
    counts = {name: instructions(binary) for name, binary, _ in RUNTIMES} if options.instructions else {}
    print_tables(tables(below, above, counts))
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": "bench/floors.py " + " ".join(arguments), "machine": compare.machine(),
                       "floors_ns": below, "fork_join_ns": above, "instructions": counts}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
