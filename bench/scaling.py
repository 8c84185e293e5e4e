#!/usr/bin/env python3
"""Tells how a program scales on a simulated machine.

Usage: bench/scaling.py --net=NAME --ranks=N,N,... [--program="uts --tree=T1L"]
                        [--binary=bazel-bin/bench/cont_greedy_sim]
                        [--serial=bazel-bin/bench/serial_sim] [--out=FILE]

Run from the repository root, after
`bazel build //bench:cont_greedy_sim //bench:serial_sim`. For the papers' UTS:
--program="uts --tree=T1L --fork=every_child".

Times are the simulated machine's, and the same in every run and on every
computer; only `real s` is this computer's. Efficiency is relative to one rank:
seconds on one rank / (ranks * seconds). The overhead is the time beyond ideal:
the seconds less (the serial program's seconds / ranks), in milliseconds and as
a share of the seconds. Exits with status 1 when a run
fails, 2 for bad flags.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time

ROW = "{:>8} {:>12} {:>10} {:>11} {:>12} {:>8} {:>9} {:>11} {:>9} {:>8}"


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--net", required=True)
    parser.add_argument("--ranks", required=True)
    parser.add_argument("--program", default="uts --tree=T1L")
    parser.add_argument("--binary", default="bazel-bin/bench/cont_greedy_sim")
    parser.add_argument("--serial", default="bazel-bin/bench/serial_sim")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    options.ranks = ranks_of(parser, options.ranks)
    return options


def ranks_of(parser, text):
    try:
        ranks = [int(n) for n in text.split(",")]
        if min(ranks) < 1:
            raise ValueError
    except ValueError:
        parser.error("--ranks=%s is not a list of numbers from 1, as in 36,144" % text)
    return ranks


def check_counts(parser, options, *names):
    for name in names:
        if getattr(options, name) < 1:
            parser.error("--%s=%d is not a number from 1" % (name, getattr(options, name)))


def command_of(binary, program, net, ranks):
    return [binary] + shlex.split(program) + ["--net=" + net, "--ranks=%d" % ranks, "--json"]


def printed(command):
    """What the command prints; the end of this script, in words, where it fails."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit("%s: exit status %d" % (shlex.join(command), done.returncode))
    return done.stdout


def run(command):
    """One run: what the program printed, with the real time it took."""
    begin = time.monotonic()
    report = json.loads(printed(command))
    report["command"] = shlex.join(command)
    report["real_seconds"] = round(time.monotonic() - begin, 2)
    return report


def overhead(report, serial):
    """Returns the seconds beyond ideal."""
    return report["seconds"] - serial["seconds"] / report["ranks"]


def row(report, one, serial):
    ranks, seconds = report["ranks"], report["seconds"]
    metrics = report["metrics"]
    nodes = report["result"].get("nodes", metrics["spawns"])
    return ROW.format(
        ranks, "%.6f" % seconds, "%.1f" % (nodes / seconds / 1e6),
        "%.1f %%" % (100 * one["seconds"] / (ranks * seconds)),
        "%.3f" % (1000 * overhead(report, serial)), "%.1f %%" % (100 * overhead(report, serial) / seconds),
        metrics["steals_ok"], metrics["steals_failed"],
        "%.2f" % (metrics["steal_latency_ns"] / 1000) if metrics["steals_ok"] else "-",
        "%.1f" % report["real_seconds"])


def main(arguments):
    options = parse(arguments)
    print("%s on %s" % (options.program, options.net))
    print(ROW.format("ranks", "seconds", "M nodes/s", "efficiency", "overhead ms", "share", "steals",
                     "failed", "us/steal", "real s"))
    serial = run(command_of(options.serial, options.program, options.net, 1))
    one = run(command_of(options.binary, options.program, options.net, 1))
    print(row(one, one, serial), flush=True)
    reports = [one]
    for ranks in options.ranks:
        if ranks == 1:
            continue
        reports.append(run(command_of(options.binary, options.program, options.net, ranks)))
        print(row(reports[-1], one, serial), flush=True)
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": shlex.join(["bench/scaling.py"] + arguments), "serial": serial,
                       "runs": reports}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
