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
  --runtimes=A,B   which runtimes and pools (default: all); NAME=BINARY is one of
                   your own, linked with //bench:programs or //bench:pool_main
  --repeat=N       runs of each configuration, medians count (default: 7); simulated
                   ones differ by the seed of the choice of victims
  --out=DIR        where runs and the report go (default: demo_out)
  --resume         keeps the runs that --out has already, as after an interruption
  --no_plots       prints tables alone: nothing more is simulated, and no report

Examples:
  ./demo --programs=uts,fib --runtimes=cont_greedy,child_full --repeat=15
  ./demo --backend=sim --net=wisteria_o --ranks=1728 --programs=uts
  ./demo --backend=mpi --programs=uts

An interruption (Ctrl-C) keeps what was measured. Exits with status 0 if every
result was right, 1 if not, 2 if packages are missing and may not be installed
or a flag is wrong, 130 if it was interrupted.
"""

import argparse
import datetime
import os
import shlex
import subprocess
import sys

import menu
import runs
import tables


def refuse(words):
    print("demo: " + words, file=sys.stderr)
    sys.exit(2)


class Parser(argparse.ArgumentParser):
    """Refuses bad flags in one line."""

    def error(self, message):
        refuse(message + "; ./demo --help shows all flags")


def count(flag, text, most):
    try:
        value = int(text)
    except ValueError:
        value = 0
    if not 1 <= value <= most:
        refuse("--%s=%s: a whole number from 1 to %d" % (flag, text, most))
    return value


def cores():
    return len(os.sched_getaffinity(0))


def parse(arguments):
    parser = Parser(usage=__doc__, add_help=False, allow_abbrev=False)
    for flag, default in (("backend", "shm"), ("net", "ito_a"), ("ranks", ""), ("programs", ",".join(menu.USUAL)), ("runtimes", ""),
                          ("repeat", "7"), ("out", "demo_out")):
        parser.add_argument("--" + flag, default=default)
    for flag in ("resume", "no_plots", "check", "targets"):
        parser.add_argument("--" + flag, action="store_true")
    options = parser.parse_args(arguments)
    if options.backend not in menu.SUFFIXES:
        refuse("--backend=%s: one of %s" % (options.backend, ", ".join(menu.SUFFIXES)))
    names = [program.name for program in menu.PROGRAMS]
    try:
        chosen = names if options.programs == "all" else menu.choose("programs", options.programs, names)
        options.runtimes = menu.runtimes_of(options.runtimes)
    except menu.Refusal as refusal:
        refuse(str(refusal))
    options.programs = [program for program in menu.PROGRAMS if program.name in chosen]
    default = "576" if options.backend == "sim" else str(max(2, cores()))
    options.ranks = [count("ranks", text, 1 << 20) for text in (options.ranks or default).split(",")]
    options.repeat = count("repeat", options.repeat, 999)
    return options


def pairs(options):
    """The (program, runtimes) that are asked for and fit each other."""
    chosen = [(program, menu.runtimes_for(program, options.runtimes)) for program in options.programs]
    return [(program, runtimes) for program, runtimes in chosen
            if any(each in options.runtimes for each in runtimes)]


def figures_of(options):
    if options.no_plots:
        return []
    import plots
    return plots.figures(options.out, options.net)


def targets(options):
    """What Bazel has to build."""
    wanted = {menu.target_of(runtime, options.backend) for _, runtimes in pairs(options) for runtime in runtimes}
    for figure in figures_of(options):
        wanted |= {"//bench:" + command[0][len(menu.BINARIES):] for command in figure.commands()}
    return sorted(target.replace(":microbenchmarks/", "/microbenchmarks:") for target in wanted if target)


def build(wanted, what):
    print("demo: building %s ..." % what, file=sys.stderr)
    if wanted and subprocess.run(["bazel", "build"] + wanted, stdin=subprocess.DEVNULL).returncode != 0:
        print("demo: the build failed", file=sys.stderr)
        sys.exit(1)


def commands_of(program, runtimes, options, ranks):
    """The commands of a table."""
    return [command for runtime in runtimes for each in ([1] if runtime.serial else sorted({1, ranks}))
            for command in menu.commands_of(program, runtime, options.backend, each, options.net, options.repeat)]


def measure(options, store, runner, show):
    """Carries out all runs of the tables, and shows each table when its runs are there."""
    for program, runtimes in pairs(options):
        for ranks in options.ranks:
            commands = commands_of(program, runtimes, options, ranks)
            title = "%s, %s" % (program.title, options.backend)
            if options.backend == "sim":
                runner.at_once(title, commands)
            else:
                runner.in_turns(title, commands, options.repeat)
            left_out = ["%s is left out: it %s." % (each.name, program.without[each.name])
                        for each in options.runtimes if each.name in program.without]
            show(tables.table_of(program, runtimes, options.backend, ranks, options.net, options.repeat, store,
                                 runner.failures, left_out))


def first_table(options):
    """A first table, of two runtimes and two programs, before the others are built."""
    first = argparse.Namespace(**vars(options))
    first.programs = [program for program in options.programs if program.name in ("uts", "fib")]
    first.runtimes = [runtime for runtime in options.runtimes if runtime.name in menu.FIRST]
    first.repeat, first.no_plots = min(3, options.repeat), True
    if options.backend != "shm" or not pairs(first):
        return
    build(targets(first), "serial and cont_greedy")
    store = runs.Store(os.path.join(options.out, "first.jsonl"), resume=False)
    with runs.Progress(steps(first)) as progress:
        measure(first, store, runs.Runner(store, progress), tables.print_table)


def steps(options):
    """The number of runs that are wanted, for the progress display."""
    repeat = 1 if options.backend == "sim" else options.repeat
    of_tables = sum(len(commands_of(program, runtimes, options, ranks)) * repeat
                    for program, runtimes in pairs(options) for ranks in options.ranks)
    return of_tables + sum(len(figure.commands()) for figure in figures_of(options))


def run_figures(options, runner):
    for figure in figures_of(options):
        if figure.alone:
            runner.in_turns(figure.title, figure.commands(), 1)
        else:
            runner.at_once(figure.title, figure.commands())


def has_report_packages():
    """Installs what plots need, where it is missing; returns whether it is there."""
    return subprocess.run(["third_party/setup.sh", "report"]).returncode == 0


def write_report(options, arguments, store, shown):
    """Writes the page; returns its path."""
    import page
    import plots
    pyplot = plots.import_pyplot()
    drawn = []
    for figure in figures_of(options):
        reports = {label: [store.of(command)[0] for command in commands if store.of(command)]
                   for label, commands in figure.series.items()}
        if all(len(reports[label]) == len(commands) for label, commands in figure.series.items()):
            drawn.append((figure, plots.draw_figure(pyplot, figure, reports)))
    svgs = [plots.draw_speedups(pyplot, table) if any(row.speedup for row in table.rows) else "" for table in shown]
    path = os.path.join(options.out, "report.html")
    when = datetime.date.today().isoformat()
    with open(path, "w") as file:
        file.write(page.page(shlex.join(["./demo"] + arguments), when, shown, svgs, drawn))
    return path


def demo(options, arguments):
    os.makedirs(options.out, exist_ok=True)
    first_table(options)
    build(targets(options), "all that is asked for: some minutes the first time")
    store, shown, interrupted = runs.Store(os.path.join(options.out, "runs.jsonl"), options.resume), [], False

    def show(table):
        shown.append(table)
        tables.print_table(table)

    with runs.Progress(steps(options)) as progress:
        runner = runs.Runner(store, progress)
        try:
            measure(options, store, runner, show)
            print(tables.LEGEND)
            run_figures(options, runner)
        except KeyboardInterrupt:
            interrupted = True
    for command, words in runner.failures.items():
        print("demo: failed: %s: %s" % (command, words), file=sys.stderr)
    if not options.no_plots:
        if not has_report_packages():
            return 2
        print("Report: " + write_report(options, arguments, store, shown))
    if interrupted:
        again = shlex.join(["./demo"] + [each for each in arguments if each != "--resume"] + ["--resume"])
        print("demo: interrupted; what was measured is kept: %s goes on" % again, file=sys.stderr)
        return 130
    return 1 if runner.failures or any(row.fault for table in shown for row in table.rows) else 0


def main(arguments):
    if "-h" in arguments or "--help" in arguments:
        print(__doc__.strip())
        return 0
    options = parse(arguments)
    if options.check:
        return 0
    if options.targets:
        print("\n".join(targets(options)))
        return 0
    return demo(options, arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
