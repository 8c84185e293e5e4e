"""table2 and recpfor: Tables II and III of cluster22, and its RecPFor under more runtimes."""

import json
import pathlib
import statistics

from measuring import shared
from measuring.shared import OUT, SEEDS, TABLE, flag, spread, subcommand

PUBLISHED = pathlib.Path(__file__).resolve().parent.parent / "published" / "cluster22_ito_a.json"
# For each runtime the build of the paper's system with which it is compared.
BUILDS = {"cont_greedy": "greedy_gc", "cont_stalling": "waitq_gc", "cont_stalling_system": "waitq_gc",
          "cont_baseline": "waitq", "child_full_tuned": "child_stealing_ult", "child_full": "child_stealing_ult",
          "child_full_system": "child_stealing_ult", "child_rtc": "child_stealing"}
PROGRAMS = {"recpfor": "pfor --recursive", "pfor": "pfor", "lcs": "lcs"}
# For each column its name in the artifact (none: Magpie's alone), its head, and its form.
COLUMNS = [("seconds", "s", "{:.4g}"),
           (None, "outstanding joins, ours", "{:,.0f}"), (None, "us each", "{:,.1f}"),
           ("outstanding_joins", "theirs", "{:,.0f}"), ("outstanding_join_us", "us each", "{:,.1f}"),
           ("steals", "steals", "{:,.0f}"), ("steal_us", "us each", "{:.1f}"),
           ("failed_steals", "failed", "{:,.0f}"), ("failed_steal_us", "us each", "{:.1f}"),
           ("stolen_bytes", "bytes", "{:,.0f}"), ("task_copy_us", "us a copy", "{:.2f}")]
FAR = 0.15
MACHINE = [flag("--net", "the simulated machine", "ito_a"), flag("--ranks", "number of ranks", 576)]


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


def key_of(run):
    return benchmark_of(run), run["params"]["n"], run["runtime"], run.get("machine"), run.get("ranks")


def published(rows, run):
    """The row of that run, or an empty one."""
    key = [benchmark_of(run), run["params"]["n"], BUILDS.get(run["runtime"])]
    return next((row for row in rows if [row["benchmark"], row["n"], row["build"]] == key), {})


def cells_of(values):
    return ["" if value is None else form.format(value) for value, (_, _, form) in zip(values, COLUMNS)]


def compared(cell, value, reference):
    """The cell with its difference to the published one."""
    if not reference or value is None:
        return cell
    off = value / reference - 1
    form = "{} ({:+.0f} %)" if abs(off) <= FAR else "{} (**{:+.0f} %**)"
    return form.format(cell, 100 * off)


def rows(runs, there):
    """The rows of one benchmark, N and runtime."""
    raw, printed = published(there["raw"], runs[0]), published(there["printed"], runs[0])
    head = ["%s %d" % (benchmark_of(runs[0]), runs[0]["params"]["n"]), "`%s`" % runs[0]["runtime"]]
    found = [head + [name] + cells_of([row.get(column) for column, _, _ in COLUMNS])
             for name, row in (("raw", raw), ("printed", printed)) if row]
    if "unprofiled_seconds" in raw:
        found[0][3] += " (without profile {:.4g})".format(raw["unprofiled_seconds"])
    values = [None if None in column else statistics.median(column)
              for column in zip(*(simulated(run) for run in runs))]
    cells = cells_of(values)
    cells[0] = spread([run["seconds"] for run in runs], COLUMNS[0][2])
    reference = [raw.get(column) or printed.get(column) for column, _, _ in COLUMNS]
    return found + [head + ["simulated"] + [compared(*cell) for cell in zip(cells, values, reference)]]


def runtime_compared(text):
    for runtime in text.split(","):
        if runtime not in BUILDS:
            raise shared.Refused("=%s: must be some of %s" % (text, ",".join(BUILDS)))
    return text.split(",")


@subcommand(*(flag("--" + benchmark, "sizes N of the benchmark; empty: none", sizes, type=lambda text: shared.counts(text) if text else [])
              for benchmark, sizes in (("recpfor", "32768"), ("pfor", "65536"), ("lcs", ""))),
            SEEDS,
            flag("--runtimes", "names of runtimes", type=runtime_compared, default="cont_greedy,cont_stalling,"
                 "cont_stalling_system,cont_baseline,child_full_system,child_rtc"),
            flag("--flags", "flags of the programs", "--backoff=1"),
            flag("--iteration_ns", "what an iteration of a loop takes", 10115),
            *MACHINE, shared.BINARIES, TABLE, OUT)
def table2(options):
    """Tables II and III of cluster22, simulated beside published

    table2 --seeds=3
    table2 --table=bench/results/table2_ito_a_576.json

    Prints for each benchmark, N and runtime the columns of Table II:

      raw        medians of 100 runs in the paper's artifact, from
                 bench/published/cluster22_ito_a.json (see extract.py there), of
                 builds that profile; beside them the seconds of builds that do not
      printed    the figures that the paper prints, if it has that N
      simulated  medians over the seeds of --victim_seed; in parentheses the
                 difference to raw (else to printed), in bold beyond 15 %

    Outstanding joins are counted twice, as Magpie does (`ours`) and as the paper's
    system does (`theirs`). With greedy join that system counts those where the
    joined thread came last, from after its fetch-and-add; with stalling join those
    whose thread ended on another rank than its entry's, here with the mean time of
    all. With child stealing both count the latter. Failed steals of that system
    include those in the barriers around a run, which are not simulated; its task
    copies of children are a part of the steal here.

    By default the runtimes run as the paper's system does: without back-off, with
    iterations of 10.115 us. --table also reads the output of programs with --json, a
    line for each run. One run at a time.
    """
    there = json.loads(PUBLISHED.read_text())

    def groups():
        for benchmark, program in PROGRAMS.items():
            flags = "" if benchmark == "lcs" else " --iteration_ns=%d" % options.iteration_ns
            for n in getattr(options, benchmark):
                for runtime in options.runtimes:
                    yield shared.run_seeds(options, runtime, "%s --n=%d%s %s" % (program, n, flags, options.flags),
                                           options.ranks)

    shared.print_groups(options, ["", "", ""] + [name for _, name, _ in COLUMNS], groups(),
                        lambda runs: rows(runs, there), key_of)


def recpfor_rows(runs):
    metrics = [run["metrics"] for run in runs]

    def middle(form, value_of):
        return form.format(statistics.median(value_of(m) for m in metrics))

    yield [str(runs[0]["params"]["n"]), "`%s`" % runs[0]["runtime"],
           spread([run["seconds"] for run in runs], "{:.4g}"),
           middle("{:,.0f}", lambda m: m["steals_ok"]),
           middle("{:.2f}", lambda m: m["outstanding_joins"] / max(m["steals_ok"], 1)),
           middle("{:,.1f}", lambda m: m["outstanding_join_time_ns"] / 1000),
           middle("{:.1f}", lambda m: m["steal_latency_ns"] / 1000),
           middle("{:.0f}", lambda m: m.get("stacks_max", 0))]


@subcommand(flag("--n", "sizes N, as in 131072,524288", "131072", type=shared.counts), SEEDS,
            *MACHINE, shared.flag_of_runtimes("cont_greedy,child_full_tuned,child_full_system,child_full,child_rtc"),
            shared.BINARIES, TABLE, OUT)
def recpfor(options):
    """the recursive loops of cluster22 IV-C under several runtimes, simulated

    Prints for each N and runtime medians over the seeds: columns of Table II, and how
    many stacks were in use. One run at a time; those of N = 4194304 take hours.
    """
    groups = (shared.run_seeds(options, runtime, "pfor --recursive --n=%d" % n, options.ranks)
              for n in options.n for runtime in options.runtimes)
    shared.print_groups(
        options, ["N", "", "seconds", "steals", "outstanding joins a steal", "us each", "us a steal", "stacks"], groups,
        recpfor_rows, key_of)
