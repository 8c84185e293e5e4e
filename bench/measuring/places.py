"""places: speed-ups of lifeline pools, simulated, beside those of hybrid_glb_apgas18."""

import statistics

from measuring import shared
from measuring.shared import OUT, TABLE, flag, spread, subcommand

# The paper has UTS with the tree of T1L, but of depth 17, not 13, with some 670
# times as many nodes; 17 queens, 8 times the work; BC of 2^17 vertices, 256 times
# the work; TSP of the same number of cities.
SIZES = {"UTS": "uts_any --tree=T1L", "NQueens": "nqueens --n=16 --cutoff=10", "BC": "bc --scale=13 --sources=2",
         "TSP": "tsp --cities=25 --seed=1"}
# Speed-up over serial, 144 workers, and the worst deviation in Fig. 2, percent.
PUBLISHED = {"UTS": (100, 18.27), "NQueens": (105, 18.95), "BC": (None, 14.78), "TSP": (83, 40.22)}
POOLS = ["pool_glb_hybrid", "pool_glb_hybrid_sdc", "pool_glb", "pool_sws", "pool_sdc"]
HEAD = ["", "", "seconds", "over serial", "over one place", "from linear", "manager"]


def measured(options, program):
    """The runs of one program: serial, and with each pool on one place and on all places, with each seed."""
    def run(pool, ranks_of_place, places, flags):
        return shared.simulated(options, pool, program + flags, "%s,node_size=%d" % (options.net, ranks_of_place),
                                ranks_of_place * places)

    runs = [shared.simulated(options, "pool_serial", program, "%s,node_size=%d" % (options.net, options.workers), 1)]
    for pool in POOLS:
        ranks = options.workers + (1 if "hybrid" in pool else 0)
        runs += [run(pool, ranks, places, " --victim_seed=%d" % seed)
                 for places in (1, options.places) for seed in range(1, options.seeds + 1)]
    return runs


def rows(runs):
    program = next(name for name in SIZES if runs[0]["program"].startswith(name.lower()))
    over_serial, from_linear = PUBLISHED[program]
    yield [program, "the paper", "", str(over_serial or ""), "", "%s %%" % from_linear, ""]
    serial, *others = runs
    for of_pool in shared.grouped(others, lambda run: run["runtime"]):
        fewest, most = (f(run["ranks"] for run in of_pool) for f in (min, max))
        places = most // fewest
        one_place = statistics.median(run["seconds"] for run in of_pool if run["ranks"] == fewest)
        on_all = [run for run in of_pool if run["ranks"] == most]
        seconds = [run["seconds"] for run in on_all]
        yield [program, "`%s`" % of_pool[0]["runtime"], spread(seconds, "{:.4g}"),
               spread([serial["seconds"] / s for s in seconds], "{:.1f}"),
               spread([one_place / s for s in seconds], "{:.2f}"),
               spread([100 * (1 - one_place / s / places) for s in seconds], "{:.1f} %"),
               spread([100 * run["metrics"]["manager_ns"] * 1e-9 / run["seconds"] / places for run in on_all],
                      "{:.2g} %") if "hybrid" in of_pool[0]["runtime"] else ""]


@subcommand(flag("--seeds", "how many values of --victim_seed, from 1", 3),
            *(flag("--" + program.lower(), "the program and its flags; empty: it is left out", size)
              for program, size in SIZES.items()),
            flag("--places", "number of places", 12), flag("--workers", "workers of a place", 12),
            flag("--net", "the simulated machine", "kassel"), shared.BINARIES, TABLE, OUT)
def places(options):
    """speed-ups of lifeline pools, simulated, beside those of hybrid_glb_apgas18

    Prints, for each program and pool, medians over the seeds of --victim_seed with
    the least and the most in parentheses:

      serial     the speed-up over pool_serial
      one place  the speed-up over the same pool on one place, and its difference to
                 the number of places (the paper's Fig. 2, "deviation")
      manager    the share of a core that a manager uses: it has a core of its own
                 here, and none in the paper, so times may be wrong by that share

    beside the paper's figures for 12 places of 12 workers. pool_glb_hybrid has one
    more rank for each place, the manager; the other pools have one rank for each
    worker. Three of the problems are smaller than the paper's.
    """
    programs = [getattr(options, name.lower()) for name in SIZES]
    for name, program in zip(SIZES, programs):
        if program and not program.startswith(name.lower()):
            options.refuse("--%s=%s: must begin with %s" % (name.lower(), program, name.lower()))
    shared.print_groups(options, HEAD, (measured(options, program) for program in programs if program), rows,
                        lambda run: run["program"])
