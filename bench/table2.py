#!/usr/bin/env python3
"""Prints Tables II and III of cluster22, simulated beside published, for all ways to join and to steal.

Usage: bench/table2.py [--recpfor=32768] [--pfor=65536] [--lcs=N,...] [--seeds=1] [--runtimes=cont_greedy,...]
                       [--flags="--backoff=1"] [--iteration_ns=10115] [--net=ito_a] [--ranks=576]
                       [--binaries=bazel-bin/bench] [--table=FILE] [--out=FILE]

Run from the repository root, after `bazel build` of bench/*_sim of the
runtimes. Prints for each benchmark, N and runtime the columns of Table II:

  raw        medians of 100 runs in the paper's artifact, from
             bench/published/cluster22_ito_a.json (see extract.py there), of
             builds that profile; beside them the seconds of builds that do not
  printed    the figures that the paper prints, if it has that N
  simulated  medians over the seeds of --victim_seed; in parentheses the
             difference to raw (else to printed), in bold beyond 15 %

Outstanding joins are counted twice, as Magpie does (`ours`) and as the paper's
system does (`as there`). With greedy join that system counts those where the
joined thread came last, from after its fetch-and-add; with stalling join those
whose thread ended on another rank than its entry's, here with the mean time of
all. With child stealing both count the latter. Failed steals of that system
include those in the barriers around a run, which are not simulated; its task
copies of children are a part of the steal here.

By default the runtimes run as the paper's system does: without back-off, with
iterations of 10.115 us. --recpfor=, --pfor= and --lcs= leave a benchmark out.
With --table= nothing is run: it prints files that --out= has written before, or
that hold the output of a program with --json, a line for each run, with commas
between the files. Times are the simulated machine's, and the same
on every computer. One run at a time. Exits with status 1 when a run fails, 2
for bad flags.
"""

import argparse
import itertools
import json
import pathlib
import shlex
import statistics
import sys

import recpfor
import scaling

PUBLISHED = pathlib.Path(__file__).resolve().parent / "published" / "cluster22_ito_a.json"
RUNTIMES = "cont_greedy,cont_stalling,cont_stalling_system,cont_baseline,child_full_system,child_rtc"
# For each runtime the build of the paper's system with which it is compared.
BUILDS = {"cont_greedy": "greedy_gc", "cont_stalling": "waitq_gc", "cont_stalling_system": "waitq_gc",
          "cont_baseline": "waitq", "child_full_tuned": "child_stealing_ult", "child_full": "child_stealing_ult",
          "child_full_system": "child_stealing_ult", "child_rtc": "child_stealing"}
PROGRAMS = {"recpfor": "pfor --recursive", "pfor": "pfor", "lcs": "lcs"}
# For each column its name in the artifact (none: Magpie's alone), its head, and its form.
COLUMNS = [("seconds", "s", "{:.4g}"),
           (None, "outstanding joins, ours", "{:,.0f}"), (None, "us each", "{:,.1f}"),
           ("outstanding_joins", "as there", "{:,.0f}"), ("outstanding_join_us", "us each", "{:,.1f}"),
           ("steals", "steals", "{:,.0f}"), ("steal_us", "us each", "{:.1f}"),
           ("failed_steals", "failed", "{:,.0f}"), ("failed_steal_us", "us each", "{:.1f}"),
           ("stolen_bytes", "bytes", "{:,.0f}"), ("task_copy_us", "us a copy", "{:.2f}")]
FAR = 0.15


def parse(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for benchmark, sizes in (("recpfor", "32768"), ("pfor", "65536"), ("lcs", "")):
        parser.add_argument("--" + benchmark, default=sizes)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--runtimes", default=RUNTIMES)
    parser.add_argument("--flags", default="--backoff=1")
    parser.add_argument("--iteration_ns", type=int, default=10115)
    parser.add_argument("--net", default="ito_a")
    parser.add_argument("--ranks", default="576")
    parser.add_argument("--binaries", default="bazel-bin/bench")
    parser.add_argument("--table")
    parser.add_argument("--out")
    options = parser.parse_args(arguments)
    scaling.check_counts(parser, options, "seeds")
    [options.ranks] = scaling.ranks_of(parser, options.ranks)
    for benchmark in PROGRAMS:
        sizes = getattr(options, benchmark)
        setattr(options, benchmark, scaling.ranks_of(parser, sizes) if sizes else [])
    options.runtimes = options.runtimes.split(",")
    for runtime in options.runtimes:
        if runtime not in BUILDS:
            parser.error("--runtimes=%s is none of %s" % (runtime, ", ".join(BUILDS)))
    return options


def simulated(run):
    """The columns of one run, in their order."""
    m = run["metrics"]
    ours = [m["outstanding_joins"], m["outstanding_join_time_ns"] / 1000]
    if run["runtime"] == "cont_greedy":
        as_there = [m["die_losers"], None]
        if "die_losers_ns" in m:  # older files lack it
            as_there[1] = m["die_losers_ns"] / max(m["die_losers"], 1) / 1000
    else:
        as_there = [m.get("outstanding_joins_elsewhere", ours[0]), ours[1]]
    steals, failed = m["steals_ok"], m["steals_failed"]
    # A descriptor comes with the queue's steal.
    copy = [m["stolen_bytes"] / max(steals, 1), m["task_copy_ns"] / 1000 or None]
    return [run["seconds"]] + ours + as_there + [
        steals, m["steal_latency_ns"] / 1000, failed, m["search_time_s"] * 1e6 / max(failed, 1)] + copy


def benchmark_of(run):
    return "recpfor" if run["params"].get("recursive") else run["program"]


def published(rows, run):
    """Returns the row of that run, or None."""
    key = [benchmark_of(run), run["params"]["n"], BUILDS[run["runtime"]]]
    for row in rows:
        if [row["benchmark"], row["n"], row["build"]] == key:
            return row
    return {}


def cells_of(values):
    return ["" if value is None else form.format(value) for value, (_, _, form) in zip(values, COLUMNS)]


def compared(cell, value, reference):
    """Returns the cell with its difference to the published one."""
    if not reference or value is None:
        return cell
    off = value / reference - 1
    form = "{} ({:+.0f} %)" if abs(off) <= FAR else "{} (**{:+.0f} %**)"
    return form.format(cell, 100 * off)


def lines_of(runs, there):
    """The lines of one benchmark, N and runtime, as lists of cells."""
    raw, printed = published(there["raw"], runs[0]), published(there["printed"], runs[0])
    head = ["%s %d" % (benchmark_of(runs[0]), runs[0]["params"]["n"]), "`%s`" % runs[0]["runtime"]]
    lines = [head + [name] + cells_of([row.get(column) for column, _, _ in COLUMNS])
             for name, row in (("raw", raw), ("printed", printed)) if row]
    if "unprofiled_seconds" in raw:
        lines[0][3] += " (without profile {:.4g})".format(raw["unprofiled_seconds"])
    values = [None if None in column else statistics.median(column)
              for column in zip(*(simulated(run) for run in runs))]
    reference = [raw.get(column) or printed.get(column) for column, _, _ in COLUMNS]
    cells = cells_of(values)
    if len(runs) > 1:
        seconds = [run["seconds"] for run in runs]
        cells[0] += " ({:.4g} to {:.4g})".format(min(seconds), max(seconds))
    cells = [compared(*cell) for cell in zip(cells, values, reference)]
    return lines + [head + ["simulated"] + cells]


def print_runs(runs, there):
    for line in lines_of(runs, there):
        recpfor.print_row(line)


def runs_of(options):
    """Makes the runs of each benchmark, N and runtime, with each seed."""
    for benchmark, program in PROGRAMS.items():
        flags = "" if benchmark == "lcs" else " --iteration_ns=%d" % options.iteration_ns
        for n in getattr(options, benchmark):
            for runtime in options.runtimes:
                yield [scaling.run(scaling.command_of(
                    "%s/%s_sim" % (options.binaries, runtime),
                    "%s --n=%d%s %s --victim_seed=%d" % (program, n, flags, options.flags, seed),
                    options.net, options.ranks)) for seed in range(1, options.seeds + 1)]


def recorded(files):
    """Reads a file that --out= has written, or lines that programs have printed."""
    for name in files.split(","):
        text = pathlib.Path(name).read_text()
        if '"runs"' in text:
            yield from json.loads(text)["runs"]
            continue
        runs = [json.loads(line) for line in text.splitlines()]
        for _, same in itertools.groupby(runs, lambda run: (benchmark_of(run), run["params"]["n"], run["runtime"])):
            yield list(same)


def main(arguments):
    options = parse(arguments)
    there = json.loads(PUBLISHED.read_text())
    head = ["", "", ""] + [name for _, name, _ in COLUMNS]
    recpfor.print_row(head)
    print("|" + "---|" * len(head), flush=True)
    rows = []
    for runs in recorded(options.table) if options.table else runs_of(options):
        print_runs(runs, there)
        rows.append(runs)
    if options.out:
        with open(options.out, "w") as file:
            json.dump({"command": shlex.join(["bench/table2.py"] + arguments), "runs": rows}, file, indent=1)
            file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1:])
