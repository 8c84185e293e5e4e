#!/usr/bin/env python3
"""Runs the demo's programs and prints its table; started by ./demo."""

import argparse
import json
import statistics
import subprocess
import sys

# Title, flags, and the known answer, which must be among the result's numbers.
PROGRAMS = [
    ("UTS T1", ["uts", "--tree=T1"], 4130071, "nodes"),
    ("fib(34)", ["fib", "--n=34"], 5702887, ""),
]
# Title, binary, flags.
SYSTEMS = [
    ("serial", "bazel-bin/bench/serial", []),
    ("cont_greedy, 1 rank", "bazel-bin/bench/cont_greedy", ["--ranks=1"]),
    ("cont_greedy, 2 ranks", "bazel-bin/bench/cont_greedy", ["--ranks=2"]),
]
ONE_RANK = 1
# The same program on a machine that is not here.
SIMULATED = ["bazel-bin/bench/cont_greedy_sim", "uts", "--tree=T1", "--net=ito_a", "--json"]
SIMULATED_RANKS = 576
ROW = "{:<10}{:<22}{:>9}{:>12}{:>13}{:>10}   {}"


def numbers(result):
    """Every number in a result, which may be one, or an object of them."""
    if isinstance(result, dict):
        return [n for value in result.values() for n in numbers(value)]
    if isinstance(result, list):
        return [n for value in result for n in numbers(value)]
    return [result]


def run(command):
    """The JSON object that a program prints; ends the demo if it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        sys.exit("demo: exit status %d from: %s" % (done.returncode, " ".join(command)))
    return json.loads(done.stdout)


def progress(text):
    """Shows what runs now: in place on a terminal, else not at all."""
    if sys.stderr.isatty():
        print("\r\033[K" + text, end="", file=sys.stderr, flush=True)


def measure(program, repeat):
    """Per system, the runs of a program; systems take turns."""
    title, flags, _, _ = program
    runs = [[] for _ in SYSTEMS]
    for turn in range(repeat):
        for index, (system, binary, more) in enumerate(SYSTEMS):
            progress("running %s, %s (%d of %d) ..." % (title, system, turn + 1, repeat))
            runs[index].append(run([binary] + flags + more + ["--json"]))
    progress("")
    return runs


def rows(program, runs):
    """Table rows of one program, and whether every run was right."""
    title, _, answer, unit = program
    medians = [statistics.median(r["seconds"] for r in each) for each in runs]
    all_right = True
    for index, (system, _, _) in enumerate(SYSTEMS):
        right = all(answer in numbers(r["result"]) for r in runs[index])
        steals = statistics.median(r["metrics"].get("steals_ok", 0) for r in runs[index])
        all_right = all_right and right
        yield ROW.format(
            title if index == 0 else "",
            system,
            "%.3f" % medians[index],
            "%.2f" % (medians[0] / medians[index]),
            "%.2f" % (medians[ONE_RANK] / medians[index]) if index >= ONE_RANK else "",
            "%d" % steals if index > ONE_RANK else "",
            ("%d %s" % (answer, unit)).strip() if right else "WRONG",
        ), all_right


def simulate():
    """A line about a run on a simulated machine, and whether it was right."""
    progress("simulating %d ranks ..." % SIMULATED_RANKS)
    one, many = (run(SIMULATED + ["--ranks=%d" % ranks]) for ranks in (1, SIMULATED_RANKS))
    progress("")
    _, _, answer, unit = PROGRAMS[0]
    right = all(answer in numbers(r["result"]) for r in (one, many))
    return "UTS T1 on %d simulated ranks of ito_a (cluster22): %.2f ms, %.0f times one rank, %s %s" % (
        SIMULATED_RANKS, many["seconds"] * 1e3, one["seconds"] / many["seconds"],
        answer if right else "WRONG", unit), right


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=3)
    repeat = parser.parse_args().repeat
    print(ROW.format("program", "runtime", "seconds", "vs serial", "vs one rank", "steals", "result"))
    right = True
    for program in PROGRAMS:
        for row, right_so_far in rows(program, measure(program, repeat)):
            print(row, flush=True)
        right = right and right_so_far
    print("Medians of %d runs." % repeat)
    line, right_too = simulate()
    print(line)
    print("More: README.md.")
    return 0 if right and right_too else 1


if __name__ == "__main__":
    sys.exit(main())
