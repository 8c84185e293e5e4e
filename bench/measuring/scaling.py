"""scaling: runtimes on more and more ranks of simulated machines."""

import concurrent.futures
import os

from measuring import shared
from measuring.shared import OUT, flag, spread, subcommand

HEAD = ["ranks", "runtime", "seconds", "M nodes or tasks/s", "efficiency, %", "overhead, ms", "share, %", "steals", "failed",
        "us a steal", "steal, ms", "search, ms", "joins a steal", "us a join", "stacks", "real s"]


def overhead(report, serial):
    """The seconds beyond ideal."""
    return report["seconds"] - serial["seconds"] / report["ranks"]


def row(runs, one, serial):
    """`one` is the same runtime's run on one rank."""
    ranks = runs[0]["ranks"]

    def cell(form, value_of):
        """Blank where runs have no such number: a pool has no joins, one rank no steals."""
        try:
            return spread([value_of(run, run["metrics"]) for run in runs], form)
        except (KeyError, ZeroDivisionError):
            return ""

    return [str(ranks), runs[0]["runtime"],
            cell("{:.6f}", lambda run, _: run["seconds"]),
            cell("{:.2f}", lambda run, metrics: run["result"].get("nodes", metrics["spawns"]) / run["seconds"] / 1e6),
            cell("{:.1f}", lambda run, _: 100 * one["seconds"] / (ranks * run["seconds"])),
            cell("{:.3f}", lambda run, _: 1000 * overhead(run, serial)),
            cell("{:.1f}", lambda run, _: 100 * overhead(run, serial) / run["seconds"]),
            cell("{}", lambda _, metrics: metrics["steals_ok"]),
            cell("{}", lambda _, metrics: metrics["steals_failed"]),
            cell("{:.2f}", lambda _, metrics: 1e6 * metrics["steal_time_s"] / metrics["steals_ok"]),
            cell("{:.3f}", lambda _, metrics: 1000 * metrics["steal_time_s"] / ranks),
            cell("{:.3f}", lambda _, metrics: 1000 * metrics["search_time_s"] / ranks),
            cell("{:.2f}", lambda _, metrics: metrics["outstanding_joins"] / metrics["steals_ok"]),
            cell("{:,.1f}", lambda _, metrics: metrics["outstanding_join_time_ns"] / 1000),
            cell("{}", lambda _, metrics: metrics["stacks_max"]),
            "%.1f" % sum(run["real_seconds"] for run in runs)]


def serial_of(runtime):
    return "pool_serial" if runtime.rsplit("/", 1)[-1].startswith("pool_") else "serial"


def simulated(options, runtime, program, net, ranks):
    """The report of a run under a runtime, which may also be given as the path of a program."""
    binary = runtime if "/" in runtime else "%s/%s_sim" % (options.binaries, runtime)
    return shared.run(shared.command_of(binary, program, net, ranks))


def scaled(options, net):
    """Prints the table of one machine; returns all its runs."""
    print("%s on %s\n" % (options.program, net))
    shared.print_head(HEAD)
    serials = {name: simulated(options, name, options.program, net, 1)
               for name in dict.fromkeys(serial_of(runtime) for runtime in options.runtimes.split(","))}
    ones, all_runs = {}, list(serials.values())
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for ranks in [1] + [ranks for ranks in options.ranks if ranks > 1]:
            seeds = range(1, (options.seeds if ranks > 1 else 1) + 1)
            for runtime in options.runtimes.split(","):
                runs = list(pool.map(
                    lambda seed: simulated(options, runtime, "%s --victim_seed=%d" % (options.program, seed), net,
                                           ranks), seeds))
                one = ones.setdefault(runtime, runs[0])
                shared.print_row(row(runs, one, serials[serial_of(runtime)]))
                all_runs += runs
    print()
    return all_runs


@subcommand(flag("--net", "the simulated machines", required=True, nargs="+", metavar="NET"),
            flag("--ranks", "numbers of ranks, as in 36,144", required=True, type=shared.counts),
            flag("--program", "the program and its flags", "uts --tree=T1L"),
            flag("--runtimes", "names of runtimes, or paths of programs", "cont_greedy"),
            flag("--seeds", "how many values of --victim_seed, from 1", 1), shared.BINARIES, OUT)
def scaling(options):
    """speed, efficiency and overhead on more and more simulated ranks

    scaling --net=ito_a --ranks=36,144 --program="uts --tree=T1L --fork=every_child"
    scaling --net=lotus --ranks=48,192 --runtimes=pool_sdc,pool_sws --seeds=7
    scaling --net ito_a ito_a,message=80% ito_a,message=120% --ranks=2304
    scaling --net=ito_a --ranks=576 --program="pfor --recursive --n=131072" --runtimes=cont_greedy,child_rtc

    Efficiency is relative to one rank of the same runtime: seconds on one rank /
    (ranks * seconds). The overhead is the time beyond ideal: the seconds less (the
    serial program's seconds / ranks), in milliseconds and as a share of the seconds.
    Steal and search time are for each rank; joins are outstanding ones, and stacks
    the most that a rank had in use. With --seeds=N each cell is the median
    over the seeds, with the least and the most: whether one runtime is faster than
    another, or was luckier. Only `real s` is this computer's time.
    """
    shared.save(options, runs=[run for net in options.net for run in scaled(options, net)])
