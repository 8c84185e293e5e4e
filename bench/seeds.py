#!/usr/bin/env python3
"""Runs runtimes side by side on a simulated machine, each with several seeds.

Usage: bench/seeds.py --net=NAME --ranks=N,N,... [--program="uts --tree=T1L"]
                      [--binaries=bazel-bin/bench/pool_sdc_sim,bazel-bin/bench/pool_sws_sim]
                      [--seeds=7] [--jobs=2] [--out=FILE]

Run from the repository root, after `bazel build` of the binaries. Repeating a
simulated run gives the same times; other values of --victim_seed tell whether
one runtime is faster than another, or was luckier. Prints for each runtime and
number of ranks the median over the seeds and, in parentheses, the least and the
most: seconds; the efficiency relative to one rank of the same runtime; steal
and search time in milliseconds a rank; and the number of steals. Times are the
simulated machine's, and the same on every computer. Exits with status 1 when a
run fails, 2 for bad flags.
"""

import argparse
import concurrent.futures
import json
import os
import shlex
import statistics
import sys

import scaling

ROW = "{:>6} {:>12} {:>29} {:>22} {:>22} {:>22} {:>26}"
KEPT = ["steals_ok", "steals_failed", "steal_time_s", "search_time_s"]


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--program", default="uts --tree=T1L")
    parser.add_argument("--binaries", default="bazel-bin/bench/pool_sdc_sim,bazel-bin/bench/pool_sws_sim")
    parser.add_argument("--seeds", type=int, default=7)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    scaling.check_counts(parser, options, "seeds", "jobs")
    options.ranks = scaling.ranks_of(parser, options.ranks)
    options.binaries = options.binaries.split(",")
    return options


def run(options, binary, ranks, seed):
    """Returns the figures of one run that are kept."""
    program = "%s --victim_seed=%d" % (options.program, seed)
    report = scaling.run(scaling.command_of(binary, program, options.net, ranks))
    kept = {key: report[key] for key in ("command", "runtime", "ranks", "seconds")}
    return {**kept, "seed": seed, **{key: report["metrics"][key] for key in KEPT}}


def told(values, form):
    """The median of several, the least and the most."""
    return "%s (%s..%s)" % tuple(form % value for value in (statistics.median(values), min(values), max(values)))


def row(runs, one):
    ranks = runs[0]["ranks"]
    return ROW.format(
        ranks, runs[0]["runtime"], told([r["seconds"] for r in runs], "%.5f"),
        told([100 * one["seconds"] / (ranks * r["seconds"]) for r in runs], "%.1f"),
        *(told([1000 * r[key] / ranks for r in runs], "%.3f") for key in ("steal_time_s", "search_time_s")),
        told([r["steals_ok"] for r in runs], "%d"))


def main(arguments):
    options = parse(arguments)
    print("%s on %s, %d seeds" % (options.program, options.net, options.seeds))
    print(ROW.format("ranks", "runtime", "seconds", "efficiency, %", "steal, ms", "search, ms", "steals"))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        ones = [run(options, binary, 1, 1) for binary in options.binaries]
        reports = list(ones)
        for ranks in options.ranks:
            for binary, one in zip(options.binaries, ones):
                runs = list(pool.map(lambda seed: run(options, binary, ranks, seed), range(1, options.seeds + 1)))
                print(row(runs, one), flush=True)
                reports += runs
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": shlex.join(["bench/seeds.py"] + arguments), "runs": reports}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
