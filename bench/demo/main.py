#!/usr/bin/env python3
"""Runs the papers' programs under every runtime and pool, prints a table of each, and writes a report with plots.

Usage: ./demo [FLAGS]

  --backend=B      shm: processes of this machine, the default; mpi: the same under
                   MPI's launcher; sim: a simulated machine
  --net=NAME       the simulated machine (default: ito_a), as in
                   bazel-bin/bench/cont_greedy_sim uts --help
  --ranks=N,N,...  numbers of ranks, each a table of its own beside one rank
                   (default: the number of cores, at least 2; simulated: 576)
  --programs=A,B   which programs; `all` for those that the default leaves out, too
  --runtimes=A,B   which runtimes and pools (default: all but variants); NAME=BINARY
                   is one of your own, linked with //bench:programs or
                   //bench:pool_main and with the network of --backend:
                   //common/rma:shm, mpi or sim
  --repeat=N       runs of each configuration, medians count (default: 6); simulated
                   ones differ by the seed of the choice of victims
  --out=DIR        where runs and the report go (default: demo_out)
  --no_plots       prints tables alone: nothing more is simulated, and no report

Programs:
{programs}
Runtimes:
{fork_join}
Pools:
{pools}
Variants of these, which reproduce a figure or a detail of a paper or are tuned
(runtimes/README.md):
{variants}

The report's figures are simulated, but for one half of one, whatever --backend is.
Their sizes and ranks are fixed, and so is how many runs a point is the median of,
whatever --repeat is: words below each figure say it.
Figures have no runtime that --runtimes leaves out, and none of your own. A figure
of which nothing is left, or none of whose programs --programs names, is left out.

Relative paths are those of the folder in which you call ./demo.

Examples:
  ./demo --programs=uts,fib --runtimes=cont_greedy,child_full --repeat=15
  ./demo --backend=sim --net=wisteria_o --ranks=1728 --programs=uts
  ./demo --backend=mpi --programs=uts
  ./demo --programs=fib --runtimes=cont_greedy,mine=bazel-bin/mine/programs_shm --no_plots

An interruption (Ctrl-C or SIGTERM) leaves the tables that are complete and, without
--no_plots, a report of these. Exits with status 0 if every result was right, 1 if
not, 2 if packages are missing and may not be installed or a flag is wrong, 130 if
it was interrupted.
"""

import argparse
import importlib.util
import os
import shlex
import subprocess
import sys
import textwrap

import claims
import flags
import jobs
import menu
import page
import plots
import progress
import runs
import simulations
import tables
from figures import model


def figures_of(options):
    return [] if options.no_plots else simulations.figures(options)


def drawn_ones(options):
    """The runtimes of which bench/explain draws events: those of the menu that steal."""
    return [each for each in options.runtimes if each in menu.MENU and not each.serial and not options.no_plots]


def tables_of(options):
    """(program, runtimes, ranks, commands) of each table."""
    return [(program, runtimes, ranks, [
        command for runtime in runtimes for each in ([1] if runtime.serial else sorted({1, ranks}))
        for command in menu.commands_of(program, runtime, options.backend, each, options.net, options.repeat)])
        for program, runtimes in flags.pairs(options) for ranks in options.ranks]


def targets(options):
    """What Bazel has to build."""
    wanted = [command for *_, commands in tables_of(options) for command in commands]
    wanted += [command for figure in figures_of(options) for command in figure.commands()]
    binaries = {part for command in wanted for part in command if part.startswith(menu.BINARIES)}
    binaries |= {menu.binary_of(each, "sim") for each in drawn_ones(options)}
    binaries -= {each.own_binary for each in options.runtimes}
    return sorted(binary.replace(menu.BINARIES, "//bench:").replace(":microbenchmarks/", "/microbenchmarks:")
                  for binary in binaries)


def build(wanted, what):
    print("demo: building %s ..." % what, file=sys.stderr, flush=True)
    if wanted and subprocess.call(["bazel", "build"] + wanted, stdin=subprocess.DEVNULL) != 0:
        print("demo: the build failed", file=sys.stderr)
        sys.exit(1)


def measure(options, store, runner, show):
    """Carries out all runs of the tables, and shows each table when its runs are there."""
    for program, runtimes, ranks, commands in tables_of(options):
        title = "%s, %s" % (program.title, options.backend)
        notes = ["%s is left out: it %s." % (each.name, menu.obstacle(program, each))
                 for each in options.runtimes if menu.obstacle(program, each)]
        if options.backend == "sim":
            runner.at_once(title, commands)
        else:
            runner.in_turns(title, commands, options.repeat)
            if runner.others > 0.05:
                notes.append("Other programs took %.0f %% of the processors' time meanwhile: on a quiet machine "
                             "times are shorter." % (100 * runner.others))
        show(tables.table_of(program, runtimes, options.backend, ranks, options.net, options.repeat, store,
                             runner.failures, notes))


def first_table(options):
    """A first table, of two runtimes and two programs, before the others are built."""
    first = argparse.Namespace(**vars(options))
    first.programs = [program for program in options.programs if program.name in ("uts", "fib")]
    first.runtimes = [runtime for runtime in options.runtimes if runtime.name in menu.FIRST]
    first.repeat, first.no_plots = min(3, options.repeat), True
    if options.backend != "shm" or not flags.pairs(first):
        return
    build(targets(first), " and ".join(dict.fromkeys(
        runtime.name for _, runtimes in flags.pairs(first) for runtime in runtimes)))
    store = runs.Store(os.devnull)
    preview = "Preview, %d run%s each. " % (first.repeat, "s"[:first.repeat != 1])
    with progress.Progress(steps(first)) as shown:
        measure(first, store, runs.Runner(store, shown), lambda table: shown.prints(
            tables.print_table, table._replace(title=preview + table.title)))


def steps(options):
    """The number of runs that are wanted, for the progress display."""
    repeat = 1 if options.backend == "sim" else options.repeat
    return repeat * sum(len(commands) for *_, commands in tables_of(options)) + sum(
        len(figure.commands()) for figure in figures_of(options)) + len(drawn_ones(options))


def events_of(options):
    """{runtime: the command by which bench/explain draws its events}."""
    return {each.name: [menu.EXPLAIN, "--all", "--runtime=" + each.name, "--html=" + os.path.join(options.out, "events")]
            for each in drawn_ones(options)}


def draw(options, store):
    """The figures whose runs are all there, and words on the others."""
    pyplot = plots.import_pyplot()
    drawn, left_out = [], []
    for figure in figures_of(options):
        records = {run.key(): store.of(run.command())[0] for run in figure.runs() if store.of(run.command())}
        if len(records) == len(figure.runs()):
            results = model.results_of(figure.rows(""), records)
            found = list(claims.of_figure(figure.name, results))
            svgs = [plots.draw_claim(pyplot, each, "claim-%s-%d" % (figure.name, place))
                    for place, each in enumerate(found)]
            drawn.append(page.Drawn(figure, plots.draw_figure(pyplot, figure, results, records), list(zip(found, svgs))))
        else:
            left_out.append("The figure \"%s\" is left out: of its %d runs %d are there." % (
                figure.caption, len(figure.runs()), len(records)))
    return drawn, left_out


def write_report(options, arguments, store, shown, failures):
    """Writes the page; returns its path, and words on the figures that it lacks."""
    drawn, left_out = draw(options, store)
    pyplot = plots.import_pyplot()
    drawn_tables = [(table, plots.draw_speedups(pyplot, table) if any(row.speedup for row in table.rows) else "")
                    for table in shown]
    pages = {name: report["result"] for name, command in events_of(options).items() for report in store.of(command)}
    path = os.path.join(options.out, "report.html")
    with open(path, "w", encoding="utf-8") as file:
        file.write(page.page(shlex.join(["./demo"] + arguments), options, flags.all_of(options), drawn_tables, drawn,
                             pages, flags.left_out(options) + left_out, failures))
    for claim in (claim for each in drawn for claim, _ in each.claims):
        print("%s, %s: %s\n    %s" % ("confirmed" if claim.holds else "NOT confirmed", claim.papers, claim.claim,
                                      claim.seen))
    return path, left_out


def check_machine(options):
    """Refuses changes of --net that the simulator does not know, before all runs fail of them."""
    simulated = [target for target in targets(options) if target.startswith("//bench:") and target.endswith("_sim")]
    if not simulated or "," not in options.net:
        return
    binary = menu.BINARIES + simulated[0].partition(":")[2]
    done = subprocess.run([binary, "uts", "--tree=T3", "--ranks=1", "--net=" + options.net], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    if done.returncode == 2:
        flags.refuse("--net=%s: %s" % (options.net, done.stderr.partition("\n")[0].rpartition("--net: ")[2]))


def run_all(options, store, runner, shown):
    """Carries out all runs and prints the tables; returns whether it was interrupted."""
    def show(table):
        shown.append(table)
        runner.progress.prints(tables.print_table, table)

    try:
        measure(options, store, runner, show)
        for words in flags.left_out(options):
            runner.progress.prints(print, words + "\n")
        for figure in figures_of(options):
            if figure.alone:
                runner.in_turns(figure.caption, figure.commands(), 1)
            else:
                runner.at_once(figure.caption, figure.commands())
        if drawn_ones(options):
            runner.at_once("events of each runtime", events_of(options).values())
    except KeyboardInterrupt:
        return True
    return False


def demo(options, arguments):
    if not options.no_plots and importlib.util.find_spec("matplotlib") is None:
        flags.refuse("plots need matplotlib (third_party/setup.sh report); --no_plots does without")
    tables.print_legend(flags.all_of(options), options)
    first_table(options)
    build(targets(options), "all that is asked for: some minutes the first time")
    check_machine(options)
    store, shown = runs.Store(os.path.join(options.out, "runs.jsonl")), []
    with progress.Progress(steps(options)) as display:
        runner = runs.Runner(store, display)
        interrupted = run_all(options, store, runner, shown)
    for command, words in runner.failures.items():
        print("demo: failed: %s: %s" % (command, words), file=sys.stderr)
    if not options.no_plots:
        path, left_out = write_report(options, arguments, store, shown, runner.failures)
        print("\n".join(left_out + ["Report: " + path]))
    if interrupted:
        raise KeyboardInterrupt
    return 1 if runner.failures or any(row.fault for table in shown for row in table.rows) else 0


def usage():
    """All flags, programs and runtimes."""
    def names(runtimes, facades=(menu.FORK_JOIN, menu.POOL)):
        return textwrap.fill(", ".join(each.name for each in runtimes if each.facade in facades), 80,
                             initial_indent="  ", subsequent_indent="  ")

    programs = "".join("  %-15s  %s%s\n" % (each.name, each.about.partition(" (")[0],
                                          "" if each.name in menu.USUAL else "; not by default")
                       for each in menu.PROGRAMS)
    return __doc__.strip().format(programs=programs, fork_join=names(menu.MENU, (menu.FORK_JOIN,)),
                                  pools=names(menu.MENU, (menu.POOL,)), variants=names(menu.VARIANTS))


def main(arguments):
    try:
        if "-h" in arguments or "--help" in arguments:
            print(usage())
            return 0
        options = flags.parse(arguments)
        if options.check:
            return 0
        if options.targets:
            print("\n".join(targets(options)))
            return 0
        return demo(options, arguments)
    except KeyboardInterrupt:
        print("\ndemo: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    jobs.listen()
    sys.exit(main(sys.argv[1:]))
