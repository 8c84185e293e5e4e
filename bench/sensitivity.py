#!/usr/bin/env python3
"""Tells how much the figures matter that a simulated machine only assumes.

Usage: bench/sensitivity.py [--nets=ito_a,wisteria_o] [--ranks=N,N,...]
                            [--keys=KEY,KEY,...] [--seeds=1] [--jobs=2]
                            [--out=FILE] [--resume]
                            [--program="uts --tree=T1L --fork=every_child"]
                            [--binary=bazel-bin/bench/cont_greedy_sim]
                            [--serial=bazel-bin/bench/serial_sim]

Run from the repository root, after
`bazel build //bench:cont_greedy_sim //bench:serial_sim`. Runs the program with
each key of --net that no paper prints, and with the back-off, 20 % less and
20 % more, and prints the change of the overhead beyond ideal: the seconds less
(the serial program's seconds / ranks). Total time would hide this change.

The last row changes only --victim_seed: changes that are not larger than those
of this row have no meaning. With --seeds=N each number is the mean of N seeds.
Without --ranks, ito_a has 576 and 2304 ranks, wisteria_o 1728 and 6912. Times
are the simulated machine's, and the same on every computer. FILE is written
after every run; --resume takes from FILE the runs of a program that has not
changed since. Exits with status 1 when a run fails, 2 for bad flags.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import time

import scaling

RANKS = {"ito_a": [576, 2304], "wisteria_o": [1728, 6912]}
# Keys of --net that a paper or the network's maker prints for these two machines,
# or that follow from such figures (common/rma/sim/machine/presets.cc), and keys
# that are no figures. All others are assumed.
PRINTED = {"latency", "bandwidth", "link_bandwidth", "adapter_bandwidth", "node_size", "spawn", "join", "node"}
CHOICES = {"node_atomic", "atomic_server", "topology"}
# Flags of the runtime that no paper prints.
FLAGS = ["backoff"]
CHANGES = [80, 120]
# This number times --seeds.
OTHER_SEEDS = [1, 2]


class Variant:
    """A variant of the program's run: the change, and the flag for it."""

    def __init__(self, figure, change, net="", flags="", other_seeds=0):
        self.figure, self.change, self.net, self.flags = figure, change, net, flags
        self.other_seeds = other_seeds


def variants(help_text, figures):
    """The unchanged run first."""
    found = [Variant("", "")]
    for figure in figures:
        for percent in CHANGES:
            change = "%+d %%" % (percent - 100)
            if figure in FLAGS:
                value = max(1, round(percent / 100 * default_of(help_text, figure)))
                found.append(Variant(figure, change, flags=" --%s=%d" % (figure, value)))
            else:
                found.append(Variant(figure, change, net=",%s=%d%%" % (figure, percent)))
    return found + [Variant("chance", "other seeds", other_seeds=n) for n in OTHER_SEEDS]


def default_of(help_text, flag):
    return int(re.search(r"--%s=N\b[^(]*\([^()]*default: (\d+)\)" % flag, help_text)[1])


def keys_of(help_text):
    """Returns the keys of --net, as --help lists them."""
    return re.search(r"Changes: ([a-z_, ]+)\.", help_text)[1].split(", ")


def help_of(options):
    command = [options.binary, shlex.split(options.program)[0], "--help"]
    return " ".join(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout.split())


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nets", default=",".join(RANKS))
    parser.add_argument("--ranks")
    parser.add_argument("--keys")
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--program", default="uts --tree=T1L --fork=every_child")
    parser.add_argument("--binary", default="bazel-bin/bench/cont_greedy_sim")
    parser.add_argument("--serial", default="bazel-bin/bench/serial_sim")
    parser.add_argument("--out")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args(arguments)
    options.known = known_runs(parser, options.out) if options.resume else {}
    scaling.check_counts(parser, options, "seeds", "jobs")
    given = scaling.ranks_of(parser, options.ranks) if options.ranks is not None else None
    options.ranks = {}
    for net in options.nets.split(","):
        if given is None and net not in RANKS:
            parser.error("--nets=%s: which ranks? Without --ranks one of %s" % (net, ", ".join(RANKS)))
        options.ranks[net] = given or RANKS[net]
    options.help = help_of(options)
    known = [key for key in keys_of(options.help) if key not in CHOICES] + FLAGS
    options.figures = [key for key in known if key not in PRINTED]
    if options.keys is not None:
        options.figures = options.keys.split(",")
        for key in options.figures:
            if key not in known:
                parser.error("--keys=%s is not one of %s" % (key, ", ".join(known)))
    return options


def known_runs(parser, path):
    """{command: run} of the file that an earlier call has left."""
    try:
        with open(path or "") as file:
            return {run["command"]: {"command": run["command"], "ranks": run["ranks"], "seconds": run["seconds"]}
                    for run in json.load(file)["runs"]}
    except (OSError, ValueError, TypeError, KeyError):
        parser.error("--resume: --out=%s is no file of an earlier call" % (path or ""))


def cases_of(options, all_variants):
    """{(net, ranks, index of the variant, seed): command}; the serial program has ranks and seed 0."""
    cases = {}
    for net, ranks in options.ranks.items():
        for i, variant in enumerate(all_variants):
            machine = net + variant.net
            if i == 0 or variant.net:
                cases[net, 0, i, 0] = scaling.command_of(options.serial, options.program, machine, 1)
            first = variant.other_seeds * options.seeds + 1
            for n in ranks:
                for seed in range(first, first + options.seeds):
                    program = "%s%s --victim_seed=%d" % (options.program, variant.flags, seed)
                    cases[net, n, i, seed] = scaling.command_of(options.binary, program, machine, n)
    return cases


def run_all(options, all_variants, save):
    """{case: report}. Calls save(reports) after each run, and before with the known ones."""
    cases = cases_of(options, all_variants)
    begin = time.monotonic()
    reports = {case: options.known[shlex.join(command)] for case, command in cases.items()
               if shlex.join(command) in options.known}
    if options.resume:
        print("%d of %d runs are in %s" % (len(reports), len(cases), options.out), file=sys.stderr, flush=True)
        save(reports)
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        futures = {pool.submit(scaling.run, command): case
                   for case, command in cases.items() if case not in reports}
        try:
            for future in concurrent.futures.as_completed(futures):
                reports[futures[future]] = future.result()
                save(reports)
                print("%d of %d runs, %.0f s: %s" % (
                    len(reports), len(cases), time.monotonic() - begin, future.result()["command"]),
                    file=sys.stderr, flush=True)
        finally:
            pool.shutdown(cancel_futures=True)
    return reports


def write(path, arguments, all_variants, reports):
    """The runs so far, in the order of their cases."""
    runs = [{"net": net, "ranks": reports[case]["ranks"], "figure": all_variants[i].figure,
             "change": all_variants[i].change, "seed": seed, "seconds": reports[case]["seconds"],
             "command": reports[case]["command"]}
            for case in sorted(reports) for net, _, i, seed in [case]]
    with open(path + ".part", "w") as out:
        json.dump({"command": shlex.join(["bench/sensitivity.py"] + arguments), "runs": runs}, out, indent=1)
        out.write("\n")
    os.replace(path + ".part", path)


def overheads(all_variants, reports):
    """{(net, ranks, index of the variant, seed): seconds}."""
    return {(net, n, i, seed): scaling.overhead(report, reports[net, 0, i if all_variants[i].net else 0, 0])
            for (net, n, i, seed), report in reports.items() if n > 0}


def means(found):
    """{(net, ranks, index of the variant): seconds}."""
    by_variant = {}
    for case, seconds in found.items():
        by_variant.setdefault(case[:-1], []).append(seconds)
    return {case: statistics.mean(seconds) for case, seconds in by_variant.items()}


def print_table(options, all_variants, mean, net):
    """Prints two columns for each number of ranks: its overhead, and how the changes alter it."""
    ranks = options.ranks[net]
    print("\n%s on %s" % (options.program, net))
    print("%-18s" % "overhead" + "".join(
        "%22s" % ("%d: %.3f ms" % (n, 1000 * mean[net, n, 0])) for n in ranks))
    print("%-18s" % "" + "".join("%11s" % ("%+d %%" % (p - 100)) for _ in ranks for p in CHANGES))
    for i in range(1, len(all_variants), 2):
        # Adding 0 to -0 makes it 0.
        cells = ["%+.1f %%" % (round(100 * (mean[net, n, j] / mean[net, n, 0] - 1), 1) + 0)
                 for n in ranks for j in (i, i + 1)]
        print("%-18s" % all_variants[i].figure + "".join("%11s" % cell for cell in cells))


def main(arguments):
    options = parse(arguments)
    all_variants = variants(options.help, options.figures)
    arguments = [argument for argument in arguments if argument != "--resume"]

    def save(reports):
        if options.out:
            write(options.out, arguments, all_variants, reports)

    found = overheads(all_variants, run_all(options, all_variants, save))
    for net in options.ranks:
        print_table(options, all_variants, means(found), net)


if __name__ == "__main__":
    main(sys.argv[1:])
