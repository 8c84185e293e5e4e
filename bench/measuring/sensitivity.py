"""sensitivity: how much the figures matter that a simulated machine only assumes."""

import concurrent.futures
import dataclasses
import pathlib
import re
import shlex
import statistics
import sys
import time

from measuring import shared
from measuring.scaling import overhead
from measuring.shared import OUT, flag, subcommand

RANKS = {"ito_a": [576, 2304], "wisteria_o": [1728, 6912]}
# Keys of --net that a paper or the network's maker prints for these two machines,
# or that follow from such figures (common/rma/sim/machine/presets.cc), and keys
# that are no figures. All others are assumed.
PRINTED = {"latency", "bandwidth", "link_bandwidth", "adapter_bandwidth", "node_size", "spawn", "join", "uts_node"}
CHOICES = {"node_atomic", "atomic_server", "topology"}
# Flags of the runtime that no paper prints.
FLAGS = ["backoff"]
CHANGES = [80, 120]
# This number times --seeds.
OTHER_SEEDS = [1, 2]


@dataclasses.dataclass
class Variant:
    """A variant of the program's run: the change, and the flag for it."""
    figure: str
    change: str
    net: str = ""
    flags: str = ""
    other_seeds: int = 0


def variants(help_text, figures):
    """The unchanged run first."""
    found = [Variant("", "")]
    for figure in figures:
        for percent in CHANGES:
            change = "%+d %%" % (percent - 100)
            if figure in FLAGS:
                default = int(re.search(r"--%s=N\b[^(]*\([^()]*default: (\d+)\)" % figure, help_text)[1])
                value = max(1, round(percent / 100 * default))
                found.append(Variant(figure, change, flags=" --%s=%d" % (figure, value)))
            else:
                found.append(Variant(figure, change, net=",%s=%d%%" % (figure, percent)))
    return found + [Variant("chance", "other seeds", other_seeds=n) for n in OTHER_SEEDS]


def help_of(options):
    program = shlex.split(options.program)[0]
    return " ".join(shared.printed([shared.path_of(options, options.runtime), program, "--help"]).split())


def figures_of(options, help_text):
    """What is changed: --keys, or all that is assumed of what --help lists as keys of --net, and the flags."""
    keys = re.search(r"Changes: ([a-z_, ]+)\.", help_text)[1].split(", ")
    known = [key for key in keys if key not in CHOICES] + FLAGS
    for key in options.keys or []:
        if key not in known:
            options.refuse("--keys=%s: must be some of %s" % (key, ",".join(known)))
    return options.keys or [key for key in known if key not in PRINTED]


def cases_of(options, ranks_of, all_variants):
    """{(net, ranks, index of the variant, seed): command}; the serial program has ranks and seed 0."""
    cases = {}
    for net, ranks in ranks_of.items():
        for i, variant in enumerate(all_variants):
            machine = net + variant.net
            if i == 0 or variant.net:
                cases[net, 0, i, 0] = shared.command_of(
                    shared.path_of(options, options.serial), options.program, machine, 1)
            first = variant.other_seeds * options.seeds + 1
            for n in ranks:
                for seed in range(first, first + options.seeds):
                    program = "%s%s --victim_seed=%d" % (options.program, variant.flags, seed)
                    cases[net, n, i, seed] = shared.command_of(
                        shared.path_of(options, options.runtime), program, machine, n)
    return cases


def run_all(options, cases, known, save):
    """{case: report}. Calls save(reports) after each run, and before with the known ones."""
    begin = time.monotonic()
    reports = {case: known[shlex.join(command)] for case, command in cases.items() if shlex.join(command) in known}
    if options.resume:
        print("%d of %d runs are in %s" % (len(reports), len(cases), options.out), file=sys.stderr, flush=True)
        save(reports)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        futures = {pool.submit(shared.run, command): case for case, command in cases.items() if case not in reports}
        try:
            for future in concurrent.futures.as_completed(futures):
                reports[futures[future]] = future.result()
                save(reports)
                print("%d of %d runs, %.0f s: %s" % (len(reports), len(cases), time.monotonic() - begin,
                                                     future.result()["command"]), file=sys.stderr, flush=True)
        finally:
            pool.shutdown(cancel_futures=True)
    return reports


def overheads(all_variants, reports):
    """{(net, ranks, index of the variant): mean seconds over the seeds}."""
    found = {}
    for (net, n, i, _), report in reports.items():
        if n > 0:
            serial = reports[net, 0, i if all_variants[i].net else 0, 0]
            found.setdefault((net, n, i), []).append(overhead(report, serial))
    return {case: statistics.mean(seconds) for case, seconds in found.items()}


def print_table(program, all_variants, mean, net, ranks):
    """Prints two columns for each number of ranks: its overhead, and how the changes alter it."""
    print("\n%s on %s\n" % (program, net))
    shared.print_head(["overhead"] + [
        cell for n in ranks for cell in ("%d: %.3f ms" % (n, 1000 * mean[net, n, 0]), "")])
    shared.print_row([""] + ["%+d %%" % (percent - 100) for _ in ranks for percent in CHANGES])
    for i in range(1, len(all_variants), 2):
        # Adding 0 to -0 makes it 0.
        shared.print_row([all_variants[i].figure] + [
            "%+.1f %%" % (round(100 * (mean[net, n, j] / mean[net, n, 0] - 1), 1) + 0)
            for n in ranks for j in (i, i + 1)])


@subcommand(flag("--nets", "the simulated machines", ",".join(RANKS), type=shared.names),
            flag("--ranks", "numbers of ranks (default: ito_a 576,2304, wisteria_o 1728,6912)", type=shared.counts),
            flag("--keys", "keys of --net, backoff (default: all that no paper prints)", type=shared.names),
            shared.SEEDS, flag("--jobs", "runs at a time", 2),
            flag("--program", "the program and its flags", "uts --tree=T1L --fork=every_child"),
            flag("--runtime", "name of the runtime, or path of its program", "cont_greedy"),
            flag("--serial", "the runtime without parallelism, likewise", "serial"), shared.BINARIES, OUT,
            flag("--resume", "take from --out's file the runs of a program that has not changed since", False))
def sensitivity(options):
    """how the overhead follows figures of a machine that no paper prints; hours

    Runs the program with each key of --net that no paper prints, and with the
    back-off, 20 % less and 20 % more, and prints the change of the overhead beyond
    ideal: the seconds less (the serial program's seconds / ranks). Total time would
    hide this change.

    The last row changes only --victim_seed: changes that are not larger than those of
    this row have no meaning. With --seeds=N each number is the mean of N seeds.
    --out's file is written after every run.
    """
    known = {}
    options.command_line = options.command_line.replace(" --resume", "")
    if options.resume:
        try:
            known = {report["command"]: {name: report[name] for name in ("command", "ranks", "seconds")}
                     for report in shared.read(pathlib.Path(options.out or ""))}
        except (OSError, ValueError, KeyError):
            pass
        if not known:
            options.refuse("--resume: --out=%s must be the file of an earlier call" % (options.out or ""))
    for net in options.nets:
        if not options.ranks and net not in RANKS:
            options.refuse("--nets=%s: must be of %s, or --ranks be given" % (net, ",".join(RANKS)))
    ranks_of = {net: options.ranks or RANKS[net] for net in options.nets}
    help_text = help_of(options)
    all_variants = variants(help_text, figures_of(options, help_text))

    def save(reports):
        """The runs so far, in the order of their cases."""
        shared.save(options, runs=[
            {"net": net, "ranks": reports[case]["ranks"], "figure": all_variants[i].figure,
             "change": all_variants[i].change, "seed": seed, "seconds": reports[case]["seconds"],
             "command": reports[case]["command"]}
            for case in sorted(reports) for net, _, i, seed in [case]])

    reports = run_all(options, cases_of(options, ranks_of, all_variants), known, save)
    for net, ranks in ranks_of.items():
        print_table(options.program, all_variants, overheads(all_variants, reports), net, ranks)
