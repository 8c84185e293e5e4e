#!/usr/bin/env python3
"""Speed-ups of lifeline pools, simulated, beside those of hybrid_glb_apgas18.

Usage: bench/places.py [--seeds=3] [--uts="uts_any --tree=T1L"] [--nqueens=...] [--bc=...] [--tsp=...] [--places=12]
                       [--workers=12] [--net=kassel] [--binaries=bazel-bin/bench] [--table=FILE] [--out=FILE]

Run from the repository root, after `bazel build` of bench/*_sim of the pools.
Prints, for each program and pool, medians over the seeds of --victim_seed with
the least and the most in parentheses:

  serial     the speed-up over pool_serial
  one place  the speed-up over the same pool on one place, and its difference to
             the number of places (the paper's Fig. 2, "deviation")
  manager    the share of a core that a manager uses: it has a core of its own
             here, and none in the paper, so times may be wrong by that share

beside the paper's figures for 12 places of 12 workers. pool_glb_hybrid has one
more rank for each place, the manager; the other pools have one rank for each
worker. Three of the problems are smaller than the paper's (SIZES). A program
with an empty flag, as in --bc=, is left out. With --table= nothing is run: it
prints a file that --out= has written before. Times are the simulated machine's,
and the same on every computer. Exits with status 1 when a run fails, 2 for bad
flags.
"""

import argparse
import json
import shlex
import statistics
import sys

import recpfor
import scaling

# The paper has UTS with the tree of T1L, but of depth 17, not 13, with some 670
# times as many nodes; 17 queens, 8 times the work; BC of 2^17 vertices, 256 times
# the work; TSP of the same number of cities.
SIZES = {"UTS": "uts_any --tree=T1L", "NQueens": "nqueens --n=16 --cutoff=10", "BC": "bc --scale=13 --sources=2",
         "TSP": "tsp --cities=25 --seed=1"}
# Speed-up over serial, 144 workers, and the worst deviation in Fig. 2, percent.
PUBLISHED = {"UTS": (100, 18.27), "NQueens": (105, 18.95), "BC": (None, 14.78), "TSP": (83, 40.22)}
POOLS = ["pool_glb_hybrid", "pool_glb_hybrid_sdc", "pool_glb", "pool_sws", "pool_sdc"]
HEAD = ["", "", "seconds", "over serial", "over one place", "from linear", "manager"]


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    for program, size in SIZES.items():
        parser.add_argument("--" + program.lower(), default=size)
    parser.add_argument("--places", type=int, default=12)
    parser.add_argument("--workers", type=int, default=12)
    parser.add_argument("--net", default="kassel")
    parser.add_argument("--binaries", default="bazel-bin/bench")
    parser.add_argument("--table")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    scaling.check_counts(parser, options, "seeds", "places", "workers")
    sizes = {program: getattr(options, program.lower()) for program in SIZES}
    options.sizes = {program: size for program, size in sizes.items() if size}
    return options


def run(options, pool, program, places, seed):
    ranks = options.workers + (1 if "hybrid" in pool else 0)
    net = "%s,node_size=%d" % (options.net, ranks)
    flags = "" if pool == "pool_serial" else " --victim_seed=%d" % seed
    return scaling.run(scaling.command_of("%s/%s_sim" % (options.binaries, pool), options.sizes[program] + flags, net,
                                          1 if pool == "pool_serial" else ranks * places))


def measure(options, program):
    """Runs one program: serial, and with each pool on one place and on all places, with each seed."""
    seeds = range(1, options.seeds + 1)
    return {"program": program, "places": options.places, "serial": run(options, "pool_serial", program, 1, 1),
            "pools": {pool: {"one": [run(options, pool, program, 1, seed) for seed in seeds],
                             "all": [run(options, pool, program, options.places, seed) for seed in seeds]}
                      for pool in POOLS}}


def told(values, form):
    middle = form % statistics.median(values)
    if len(values) == 1:
        return middle
    return "%s (%s to %s)" % (middle, form % min(values), form % max(values))


def manager_share(one, places):
    return 100 * one["metrics"]["manager_ns"] * 1e-9 / one["seconds"] / places


def rows(measured):
    program, places = measured["program"], measured["places"]
    over_serial, from_linear = PUBLISHED[program]
    yield [program, "the paper", "", str(over_serial or ""), "", "%s %%" % from_linear, ""]
    for pool, runs in measured["pools"].items():
        seconds = [one["seconds"] for one in runs["all"]]
        one_place = statistics.median(one["seconds"] for one in runs["one"])
        share = told([manager_share(one, places) for one in runs["all"]], "%.2g %%") if "hybrid" in pool else ""
        yield [program, "`%s`" % pool, told(seconds, "%.4g"),
               told([measured["serial"]["seconds"] / s for s in seconds], "%.1f"),
               told([one_place / s for s in seconds], "%.2f"),
               told([100 * (1 - one_place / s / places) for s in seconds], "%.1f %%"), share]


def main(arguments):
    options = parse(arguments)
    recpfor.print_row(HEAD)
    print("|" + "---|" * len(HEAD), flush=True)
    if options.table:
        with open(options.table) as table:
            measured = json.load(table)["runs"]
    else:
        measured = (measure(options, program) for program in options.sizes)
    kept = []
    for one in measured:
        kept.append(one)
        for row in rows(one):
            recpfor.print_row(row)
    if options.out:
        with open(options.out, "w") as out:
            json.dump({"command": shlex.join(["bench/places.py"] + arguments), "runs": kept}, out, indent=1)
            out.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
