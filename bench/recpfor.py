#!/usr/bin/env python3
"""Runs the recursive loops of cluster22 §IV-C under several runtimes, and prints a table.

Usage: bench/recpfor.py --n=131072,524288 [--seeds=3] [--net=ito_a] [--ranks=576]
                        [--binaries=bazel-bin/bench/child_full_tuned_sim,...] [--table=FILE] [--out=FILE]

Run from the repository root, after `bazel build` of the binaries. Prints for
each N and runtime the medians over the seeds of --victim_seed, with the least
and the most of the seconds in parentheses: the columns of the paper's Table II.
With --table= it runs nothing and prints a file that --out= has written before.
Times are the simulated machine's, and the same on every computer. Programs run
one at a time; those of N = 4194304 take some hours. Exits with status 1 when a
run fails, 2 for bad flags.
"""

import argparse
import json
import shlex
import statistics
import sys

import scaling

HEAD = ["N", "", "seconds", "steals", "outstanding joins a steal", "us each", "us a steal", "stacks"]
BINARIES = ",".join("bazel-bin/bench/%s_sim" % runtime
                    for runtime in ("cont_greedy", "child_full_tuned", "child_full_system", "child_full", "child_rtc"))


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--n", default="131072")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--net", default="ito_a")
    parser.add_argument("--ranks", default="576")
    parser.add_argument("--binaries", default=BINARIES)
    parser.add_argument("--table")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    scaling.check_counts(parser, options, "seeds")
    [options.ranks] = scaling.ranks_of(parser, options.ranks)
    options.n = scaling.ranks_of(parser, options.n)
    return options


def told(values, form):
    return form.format(statistics.median(values))


def row(runs):
    metrics = [run["metrics"] for run in runs]
    seconds = [run["seconds"] for run in runs]
    spread = " ({:.4g} to {:.4g})".format(min(seconds), max(seconds)) if len(runs) > 1 else ""
    steals = [m["steals_ok"] for m in metrics]
    return [str(runs[0]["params"]["n"]), "`%s`" % runs[0]["runtime"], told(seconds, "{:.4g}") + spread,
            told(steals, "{:,.0f}"),
            told([m["outstanding_joins"] / max(m["steals_ok"], 1) for m in metrics], "{:.2f}"),
            told([m["outstanding_join_time_ns"] / 1000 for m in metrics], "{:,.1f}"),
            told([m["steal_latency_ns"] / 1000 for m in metrics], "{:.1f}"),
            told([m.get("stacks_max", 0) for m in metrics], "{:.0f}")]


def print_row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def runs_of(options, n):
    """A list of runs for each binary."""
    for binary in options.binaries.split(","):
        yield [scaling.run(scaling.command_of(
            binary, "pfor --recursive --n=%d --victim_seed=%d" % (n, seed), options.net, options.ranks))
            for seed in range(1, options.seeds + 1)]


def main(arguments):
    options = parse(arguments)
    print_row(HEAD)
    print_row(["---"] * len(HEAD))
    rows = []
    if options.table:
        with open(options.table) as file:
            rows = json.load(file)["runs"]
        for runs in rows:
            print_row(row(runs))
        return
    for n in options.n:
        for runs in runs_of(options, n):
            rows.append(runs)
            print_row(row(runs))
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"command": shlex.join(["bench/recpfor.py"] + arguments), "runs": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
