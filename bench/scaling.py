#!/usr/bin/env python3
"""How a program scales on a simulated machine.

Usage: bench/scaling.py --net=NAME --ranks=N,N,... [--program="uts --tree=T1L"]
                        [--binary=bazel-bin/bench/cont_greedy_sim] [--out=FILE]

Run from the repository root, after `bazel build //bench:cont_greedy_sim`.
Times are the simulated machine's, and the same in every run and on every
computer; only `real s` is this computer's. Efficiency is that against one
rank: seconds on one rank / (ranks * seconds). Exits with status 1 when a run
fails, 2 for bad flags.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time

ROW = "{:>8} {:>12} {:>11} {:>11} {:>9} {:>11} {:>9} {:>8}"


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--program", default="uts --tree=T1L")
    parser.add_argument("--binary", default="bazel-bin/bench/cont_greedy_sim")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    try:
        ranks = [int(n) for n in options.ranks.split(",")]
        if min(ranks) < 1:
            raise ValueError
    except ValueError:
        parser.error("--ranks=%s is not a list of numbers from 1, as in 36,144" % options.ranks)
    options.ranks = ranks
    return options


def run(options, ranks):
    """One run: what the program printed, with the real time it took."""
    command = [options.binary] + shlex.split(options.program)
    command += ["--net=" + options.net, "--ranks=%d" % ranks, "--json"]
    begin = time.monotonic()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit status %d" % (shlex.join(command), done.returncode))
    report = json.loads(done.stdout)
    report["command"] = shlex.join(command)
    report["real_seconds"] = round(time.monotonic() - begin, 2)
    return report


def row(report, one):
    ranks, seconds = report["ranks"], report["seconds"]
    metrics = report["metrics"]
    nodes = report["result"].get("nodes", metrics["spawns"])
    return ROW.format(
        ranks, "%.6f" % seconds, "%.1f" % (nodes / seconds / 1e6),
        "%.1f %%" % (100 * one["seconds"] / (ranks * seconds)),
        metrics["steals_ok"], metrics["steals_failed"],
        "%.2f" % (metrics["steal_latency_ns"] / 1000) if metrics["steals_ok"] else "-",
        "%.1f" % report["real_seconds"])


def main(arguments):
    options = parse(arguments)
    print("%s on %s" % (options.program, options.net))
    print(ROW.format("ranks", "seconds", "M nodes/s", "efficiency", "steals",
                     "failed", "us/steal", "real s"))
    one = run(options, 1)
    print(row(one, one), flush=True)
    reports = [one]
    for ranks in options.ranks:
        if ranks == 1:
            continue
        reports.append(run(options, ranks))
        print(row(reports[-1], one), flush=True)
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": shlex.join(["bench/scaling.py"] + arguments), "runs": reports},
                      out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
