"""cluster22: Distributed Continuation Stealing is More Scalable than You Might Think."""

import math

import table2

from figures import draw, published
from figures.model import Figure, Other, Panel, Row, Run, seeded

TITLE = "cluster22: Distributed Continuation Stealing is More Scalable than You Might Think"
ARTIFACT = "medians of the paper's artifact (`bench/published`)"
# Of each series of Fig. 6 our runtime, and the build of the paper's system.
SERIES = {"greedy join": ("cont_greedy", "greedy_gc"), "local collection": ("cont_stalling_turns", "waitq_gc"),
          "baseline": ("cont_baseline", "waitq"), "child (Full)": ("child_full_rotation", "child_stealing_ult"),
          "child (RtC)": ("child_rtc", "child_stealing")}
# Ranks of each machine, and what an iteration takes there by the paper's own measurement.
LOOPS = {"ito_a": (576, 10115), "wisteria_o": (1728, 10139)}
# (N, seeds) of each panel of Fig. 6 by size.
SIZES = {
    "page": {("pfor", "ito_a"): [(2**16, 3), (2**17, 3), (2**18, 1), (2**20, 1)],
             ("recpfor", "ito_a"): [(2**15, 3), (2**16, 3), (2**17, 3)],
             ("pfor", "wisteria_o"): [(147456, 1), (589824, 1), (2359296, 1)],
             ("recpfor", "wisteria_o"): [(65536, 1), (131072, 1)]},
    "small": {("pfor", "ito_a"): [(2**16, 1)], ("recpfor", "ito_a"): [(2**15, 1)]},
    "full": {("pfor", "ito_a"): [(2**i, 3) for i in range(16, 26)],
             ("recpfor", "ito_a"): [(2**i, 3) for i in range(15, 23)],
             ("pfor", "wisteria_o"): [(147456 * 2**i, 3) for i in range(10)],
             ("recpfor", "wisteria_o"): [(2**i, 3) for i in range(16, 24)]}}
NAMES = {"pfor": "PFor", "recpfor": "RecPFor"}


def loop(runtime, benchmark, machine, n, seeds=1, also="", flags=" --backoff=1"):
    ranks, iteration = LOOPS[machine]
    return seeded(runtime + "_sim", "%s --n=%d --iteration_ns=%d%s"
                  % (table2.PROGRAMS[benchmark], n, iteration, flags), machine, ranks, seeds, also)


def ideal(benchmark, machine, n):
    """T1 / P: five loops, in RecPFor at each level, and N iterations at its leaves."""
    ranks, iteration = LOOPS[machine]
    return (5 * n * (math.log2(n) if benchmark == "recpfor" else 1) + (n if benchmark == "recpfor" else 0)) \
        * iteration * 1e-9 / ranks


def efficiency_rows(size):
    for (benchmark, machine), sizes in SIZES[size].items():
        for n, seeds in sizes:
            for series, (runtime, build) in SERIES.items():
                if runtime == "child_rtc" and n == 2**17 and machine == "wisteria_o" and size == "page":
                    continue  # Takes as long as all the others.
                best = ideal(benchmark, machine, n)
                raw = published.loops(machine, benchmark, n, build).get("unprofiled_seconds")
                yield Row("%s, %s" % (NAMES[benchmark], machine), series, round(best, 5),
                          tuple((run,) for run in loop(runtime, benchmark, machine, n, seeds)),
                          lambda record, best=best: best / record["seconds"], raw and best / raw)


def gain(slow, fast):
    """By how much less time than the first the second takes, percent of its own."""
    return 100 * (slow["seconds"] / fast["seconds"] - 1)


def gain_rows(size):
    """What the text says of the gains that are largest, which are those of the smallest N."""
    for benchmark, machine, slow, fast, percent in (
            ("pfor", "ito_a", "baseline", "local collection", 40),
            ("recpfor", "ito_a", "baseline", "local collection", 27),
            ("recpfor", "ito_a", "baseline", "greedy join", 37),
            ("recpfor", "wisteria_o", "child (Full)", "greedy join", 30)):
        if (benchmark, machine) in SIZES[size]:
            n, seeds = SIZES[size][(benchmark, machine)][0]
            runs = [loop(SERIES[series][0], benchmark, machine, n, seeds) for series in (slow, fast)]
            yield Row("gain at the smallest N, %", "%s over %s" % (fast, slow), "%s, %s" % (NAMES[benchmark], machine),
                      tuple(zip(*runs)), gain, percent)


def joins_experiments():
    for net in ("ito_a", "ito_a,message=80%", "ito_a,message=120%"):
        for series in ("baseline", "child (RtC)"):
            runtime, build = SERIES[series]
            [run] = loop(runtime, "recpfor", "ito_a", 2**15)
            yield Row("ms of RecPFor 2^15", series, net, ((Run(run.binary, run.program, net, run.ranks),),),
                      lambda record: 1000 * record["seconds"],
                      1000 * published.loops("ito_a", "recpfor", 2**15, build)["unprofiled_seconds"])
        pair = [loop(SERIES[series][0], "pfor", "ito_a", 2**16)[0] for series in ("baseline", "local collection")]
        yield Row("gain in PFor 2^16, %", "local collection over baseline", net,
                  (tuple(Run(run.binary, run.program, net, run.ranks) for run in pair),), gain, 40)


FIGURE_6 = Figure(
    "cluster22.6", "Fig. 6", "How near PFor and RecPFor come to their ideal time, by problem size, with three ways to "
    "join and two of child stealing. 576 cores of ITO-A, 1728 of Wisteria-O.", ARTIFACT + "; gains: §V-A and B",
    {"%s, %s" % (NAMES[benchmark], machine): Panel("ideal time T1/P, s", "parallel efficiency", log_x=True)
     for benchmark, machine in SIZES["page"]},
    lambda size: list(efficiency_rows(size)) + list(gain_rows(size)),
    says="The order of the five and the gaps between them are the paper's: in RecPFor greedy join first, the baseline "
    "behind both ways with local collection, RtC far behind; in PFor the first two tie.",
    why="What is off most is child stealing, RtC more than Full. It waits for adapters, and what one message takes of "
    "one is a single number for all five: less of it brings one series nearer and takes another one away.",
    experiments=lambda: list(joins_experiments()),
    smaller="The largest N of the paper take hours; `--full` has them.")


def busy_share(record):
    rows = record["timeline"]
    return sum(row[1] for row in rows) / len(rows) / record["ranks"]


def ready_joins(record):
    rows = record["timeline"]
    return sum(row[2] for row in rows) / len(rows)


def second_half_valleys(record):
    """The share of the second half of the time in which fewer than nine ranks of ten are busy."""
    rows = record["timeline"][len(record["timeline"]) // 2:]
    return sum(row[1] < 0.9 * record["ranks"] for row in rows) / len(rows)


def timeline_rows(size):
    n = {"page": 2**18, "small": 2**15, "full": 2**22}[size]
    for series in ("greedy join", "child (Full)"):
        runtime, build = SERIES[series]
        tries = tuple((run,) for run in loop(runtime, "recpfor", "ito_a", n, also="timeline"))
        raw = published.loops("ito_a", "recpfor", n, build)["seconds"]
        yield Row("RecPFor, N = %d" % n, series, "mean share of busy ranks", tries, busy_share,
                  ideal("recpfor", "ito_a", n) / raw)
        yield Row("RecPFor, N = %d" % n, series, "mean number of ready joins", tries, ready_joins)
        yield Row("RecPFor, N = %d" % n, series, "share of the second half with a tenth idle", tries,
                  second_half_valleys)


def draw_timelines(figure, results, pyplot):
    shown = {result.row.series: result.row.tries[0][0] for result in results}
    drawing, axes = pyplot.subplots(len(shown), 1, figsize=(8, 2.6 * len(shown)), squeeze=False)
    for axis, (series, run) in zip(axes[:, 0], shown.items()):
        rows = figure.records[run.key()]["timeline"]
        times = [row[0] for row in rows]
        axis.fill_between(times, [row[1] for row in rows], step="mid", color="tab:green", alpha=0.6, linewidth=0)
        axis.set_ylabel("busy ranks")
        axis.set_ylim(0)
        axis.set_title(series)
        right = axis.twinx()
        right.plot(times, [row[2] for row in rows], color="tab:purple", linewidth=0.8)
        right.set_ylabel("ready joins", color="tab:purple")
        right.set_ylim(0)
    axes[-1, 0].set_xlabel("ms")
    return drawing


FIGURE_7 = Figure(
    "cluster22.7", "Fig. 7", "Busy workers, and outstanding joins that were ready, over the time of RecPFor on 576 "
    "cores of ITO-A, with greedy join and with child stealing "
    "(Full).", "share of busy ranks: ideal time by measured time, "
    + ARTIFACT + ". There a worker is busy within a leaf, here whenever it runs a task", {},
    lambda size: list(timeline_rows(size)),
    says="As in the paper nearly all ranks are busy nearly all the time with greedy join and hardly a ready join "
    "waits, while with Full busy ranks fall into valleys in the second half and ready joins pile up.",
    draw=draw_timelines, smaller="N = 2^18 and not 2^22 (`--full`).")

COLUMNS = {"seconds": 0, "outstanding_joins": 3, "outstanding_join_us": 4, "steals": 5, "steal_us": 6,
           "failed_steals": 7,
           "stolen_bytes": 9, "task_copy_us": 10}
TABLE_SIZES = {
    "page": [("pfor", "ito_a", 2**25, ["greedy join"]),
             ("recpfor", "ito_a", 2**22, ["greedy join", "local collection"]),
             ("pfor", "ito_a", 2**17, None), ("recpfor", "ito_a", 2**17, None),
             ("pfor", "wisteria_o", 2359296, None), ("recpfor", "wisteria_o", 65536, None)],
    "small": [("recpfor", "ito_a", 2**15, ["greedy join"])],
    "full": [("pfor", "ito_a", 2**25, None), ("recpfor", "ito_a", 2**22, None),
             ("pfor", "wisteria_o", 75497472, None), ("recpfor", "wisteria_o", 2**23, None)]}


def printed_row(benchmark, machine, n, build):
    return published.printed(benchmark, n, build) if machine == "ito_a" else {}


def table_2_rows(size):
    for benchmark, machine, n, chosen in TABLE_SIZES[size]:
        for series in chosen or [name for name in SERIES if name != "baseline"]:
            runtime, build = SERIES[series]
            known = published.loops(machine, benchmark, n, build)
            seeds = 3 if machine == "ito_a" and n == 2**17 else 1
            flags = "" if size == "page" and n == 2**25 else " --backoff=1"  # as it was recorded
            runs = loop(runtime, benchmark, machine, n, seeds, flags=flags)
            for column, index in COLUMNS.items():
                if column == "task_copy_us" and runtime.startswith("child"):
                    continue  # Our descriptor comes with the queue's steal.
                for words, row in (("", known),
                                   (", as the paper prints it", printed_row(benchmark, machine, n, build))):
                    if row or not words:
                        yield Row("%s, %s, N = %d%s" % (NAMES[benchmark], machine, n, words), series,
                                  column.replace("_", " "),
                                  tuple((run,) for run in runs),
                                  lambda record, index=index: table2.simulated(record)[index], row.get(column), "")


def bytes_experiments():
    [run] = loop("cont_greedy", "recpfor", "ito_a", 2**15)
    for net in ("ito_a", "ito_a,bandwidth=35%,node_bandwidth=35%,adapter_bandwidth=35%"):
        tries = ((Run(run.binary, run.program, net, run.ranks),),)
        known = published.loops("ito_a", "recpfor", 2**15, "greedy_gc")
        yield Row("as if three times as many bytes were copied", "RecPFor 2^15, greedy join, ms", net, tries,
                  lambda record: 1000 * record["seconds"], 1000 * known["seconds"])
        yield Row("as if three times as many bytes were copied", "us a copy", net, tries,
                  lambda record: table2.simulated(record)[10], known["task_copy_us"])
    [run] = loop("cont_greedy", "pfor", "ito_a", 2**16)
    for net in ("ito_a", "ito_a,message=80%"):
        tries = ((Run(run.binary, run.program, net, run.ranks),),)
        known = published.loops("ito_a", "pfor", 2**16, "greedy_gc")
        for column in ("steals", "outstanding_join_us"):
            yield Row("a message takes a fifth less", "PFor 2^16, greedy join, " + column.replace("_", " "), net, tries,
                      lambda record, column=column: table2.simulated(record)[COLUMNS[column]], known[column])


TABLE_2 = Figure(
    "cluster22.T2", "Table II", "What joins and steals took: times, outstanding joins, steals, failed ones, bytes.",
    ARTIFACT +
    ", of builds that profile; and the paper's Table II, which is of another campaign than the artifact on ITO-A", {},
    lambda size: list(table_2_rows(size)),
    says="Seconds agree best, then steals, failed steals and outstanding joins; bytes of continuations do not.",
    why="Frames of our continuations are a third of the paper's, which matters little (the first experiment: as if "
    "nearly three times as many bytes were copied). Steals of PFor, and how long an outstanding join lasts, follow in "
    "part what a message takes of an adapter (the second). Their failed steals include those in the barriers before "
    "and after a run, half a million to a million, which are not simulated. A steal of RtC is shorter, since ours wait "
    "less for adapters (Fig. 6); the paper's own table is of a campaign with longer joins and more failed steals than "
    "its artifact's. That stalling joins wait shorter here is not explained "
    "([impl/greedy_join](../impl/greedy_join/README.md#tables-ii-and-iii-of-cluster22-simulated-beside-published) has "
    "what was tried in vain).",
    experiments=lambda: list(bytes_experiments()), draw=draw.draw_dots,
    smaller="The paper's N for continuation stealing on ITO-A (PFor as it was recorded when our frames were larger, "
    "with our back-off); else a smaller one, beside the artifact's of that N.")

UTS_SIZES = {"page": {"ito_a": [1, 36, 144, 576, 2304], "wisteria_o": [1, 48, 288, 1728, 6912]},
             "small": {"ito_a": [36], "wisteria_o": [48]}}
NODES = {"T1L": 102181082, "T1XXL": 4230646601, "T1WL": 270751679750}


def throughput(tree):
    return lambda record: NODES[tree] / record["seconds"] / 1e6


def uts_row(machine, series, system, tree, run):
    seconds = published.uts(machine, system, tree, run.ranks)
    return Row("UTS, " + machine, "%s, %s" % (series, tree), run.ranks, ((run,),), throughput(tree),
               seconds and NODES[tree] / seconds / 1e6, "", run.ranks == 1)


def uts_rows(machine, size):
    trees = ["T1L"] if size != "full" else ["T1L", "T1XXL", "T1WL"]
    ranks = UTS_SIZES.get(size, {}).get(machine) or [1, 36, 144, 576, 2304, 9216] if machine == "ito_a" else \
        UTS_SIZES.get(size, {}).get(machine) or [1, 48, 288, 1728, 6912, 27648, 110592]
    for tree in trees:
        for n in ranks:
            yield uts_row(machine, "greedy join", "madm", tree,
                          Run("cont_greedy_sim", "uts --tree=%s --fork=every_child" % tree, machine, n))
    yield Row("UTS, " + machine, "serial, T1L", 1,
              ((Run("serial_sim", "uts --tree=T1L --fork=every_child", machine, 1),),), throughput("T1L"),
              NODES["T1L"] / published.uts(machine, "serial", "T1L", 1) / 1e6, "", True)
    if machine == "ito_a":
        for n in ranks:
            yield uts_row(machine, "SWS", "saws", "T1L", Run("pool_sws_sim", "uts --tree=T1L", SAWS_NET, n))
        for n in ranks[:-1] or ranks:
            yield uts_row(machine, "lifelines", "x10", "T1L", Run("pool_glb_sim", X10_UTS, X10_NET, n))


# Both systems have another program than ours, with other times for a node on one core: 29.3 s and 4.60 s for T1L, where
# the serial program takes 19.4. The flags are those that their logs name.
SAWS_NET = "ito_a,node=151%"
X10_NET = "ito_a,node=24%"
X10_UTS = "uts_any --tree=T1L --nodes=511 --random_victims=2 --lifeline_radix=32 --lifeline_dimension=2"

def slower_messages():
    """X10's lifelines, if each operation took a message of X10's over MPI."""
    known = NODES["T1L"] / published.uts("ito_a", "x10", "T1L", 144) / 1e6
    for words, more in (("ito_a", ""), ("latency=20us,node_latency=20us", ",latency=20us,node_latency=20us"),
                        ("latency=100us,node_latency=100us", ",latency=100us,node_latency=100us")):
        yield Row("million nodes/s on 144 cores", "lifelines, T1L", words,
                  ((Run("pool_glb_sim", X10_UTS, X10_NET + more, 144),),), throughput("T1L"), known, "")


THROUGHPUT = {machine: {"UTS, " + machine: Panel("cores", "million nodes/s", log_x=True, log_y=True)}
              for machine in ("ito_a", "wisteria_o")}
FIGURE_8 = Figure(
    "cluster22.8", "Fig. 8", "Nodes of an unbalanced tree (T1L) that are counted in a second on more and more cores of "
    "ITO-A, by four systems: the paper's, SAWS, Charm++ and X10/GLB.", ARTIFACT, THROUGHPUT["ito_a"],
    lambda size: list(uts_rows("ito_a", size)),
    says="Greedy join is within a few percent of the paper's system at every number of cores, and SWS is near SAWS.",
    why="Lifelines here are not X10's: ours steal one-sided where X10 sends messages that its victims answer between "
    "tasks, so that ours go on scaling where X10 stops; operations of 100 us would bring ours near (experiments). "
    "Charm++ has no counterpart here. What a node takes of the other two is set to what their programs take on one "
    "core (`node=`).",
    experiments=lambda: list(slower_messages()),
    smaller="T1L, the smallest of three trees; T1XXL has 41 and T1WL 2,650 times its nodes (`--full`).")
FIGURE_9 = Figure(
    "cluster22.9", "Fig. 9", "The same on Wisteria-O with the paper's system.", ARTIFACT, THROUGHPUT["wisteria_o"],
    lambda size: list(uts_rows("wisteria_o", size)),
    says="Greedy join is within one percent of the paper's system at every number of cores.",
    smaller="T1L up to 6,912 cores; T1XXL and T1WL, on up to 110,592, take hours (`--full`).")

TABLE_3_LEAF_S = 0.340e-3


def of_serial_blocks(record):
    return record["seconds"] / ((record["params"]["n"] / 512) ** 2 * TABLE_3_LEAF_S)


def table_3_rows(size):
    n = 2**14 if size == "small" else 2**18
    sizes = [n] if size != "full" else [2**18, 2**22]
    for n in sizes:
        for series in ("greedy join", "local collection"):
            runtime, build = SERIES[series]
            flags = " --backoff=1" if series == "greedy join" or size == "full" else ""
            tries = seeded(runtime + "_sim", "lcs --n=%d%s" % (n, flags), "ito_a", 576, 1 if size == "small" else 3)
            yield Row("LCS, seconds", "stalling join" if series == "local collection" else series, n,
                      tuple((run,) for run in tries), lambda record: record["seconds"],
                      published.printed("lcs", n, build).get("seconds"))
    full = Run("child_full_rotation_sim", "lcs --n=16384 --backoff=1 --stack_bytes=64K", "ito_a", 576)
    yield Row("LCS, time by that of all blocks one after the other", "child (Full)", 2**14, ((full,),),
              of_serial_blocks,
              published.printed("lcs", 2**18,
                                "child_stealing_ult")["seconds"] / (2**18 / 512 * 2**18 / 512 * TABLE_3_LEAF_S))


def table_3_experiments():
    for words, flags in (("with our back-off", ""), ("without, as in the paper's system", " --backoff=1")):
        yield Row("seconds of 2^18", "greedy join", words,
                  tuple((run,) for run in seeded("cont_greedy_sim", "lcs --n=262144" + flags, "ito_a", 576, 3)),
                  lambda record: record["seconds"], published.printed("lcs", 2**18, "greedy_gc")["seconds"])
    for words, runtime in (("looks at a flag, brings in who is ready", "cont_stalling"),
                           ("resumes who is next, ready or not", "cont_stalling_turns")):
        yield Row("seconds of 2^18", "stalling join", words,
                  tuple((run,) for run in seeded(runtime + "_sim", "lcs --n=262144", "ito_a", 576, 3)),
                  lambda record: record["seconds"], published.printed("lcs", 2**18, "waitq_gc")["seconds"])


TABLE_3 = Figure(
    "cluster22.T3", "Table III", "Seconds of LCS with futures on 576 cores of ITO-A, by way to join and to steal.",
    "the paper's Table III", {}, lambda size: list(table_3_rows(size)),
    says="Greedy join is several times faster than stalling join, and child stealing does nearly all on one rank, as "
    "in the paper.",
    why="How long stalling join takes hangs on how soon who waits gives way, and on luck: seeds differ by a third, and "
    "the two orders in which it may look at who waits (experiments) by as much. The paper prints one figure.",
    experiments=lambda: list(table_3_experiments()),
    smaller="2^18 letters; 2^22 take hours, and so does child stealing of 2^18 (`--full`): it is told of 2^14.")

LCS_SIZES = {"page": [("ito_a", 2**18, [36, 144, 576, 2304]), ("wisteria_o", 2**18, [48, 288])],
             "small": [("ito_a", 2**16, [144])],
             "full": [("ito_a", 2**k, [36, 144, 576, 2304, 9216]) for k in (18, 20, 22)]
             + [("wisteria_o", 2**k, [48, 288, 1728, 6912, 27648]) for k in (18, 20, 22)]}
LEAF_S = {"ito_a": 0.340e-3, "wisteria_o": 0.872e-3}


def lcs_rows(size):
    for machine, n, ranks in LCS_SIZES[size]:
        for cores in ranks:
            run = Run("cont_greedy_sim", "lcs --n=%d --backoff=1" % n, machine, cores)
            yield Row("LCS, " + machine, "N = %d" % n, cores, ((run,),), lambda record: record["seconds"],
                      published.lcs(machine, n, cores))


def lcs_bound_rows(size):
    """By the greedy-scheduling theorem: time by T1/P + T_inf, which is at most 1 for an ideal greedy scheduler."""
    for machine, n, ranks in LCS_SIZES[size]:
        for cores in ranks:
            bound = (n / 512) ** 2 * LEAF_S[machine] / cores + (2 * n / 512 - 1) * LEAF_S[machine]
            yield Row("time by the upper bound T1/P + T_inf", "N = %d, %s" % (n, machine), cores,
                      ((Run("cont_greedy_sim", "lcs --n=%d --backoff=1" % n, machine, cores),),),
                      lambda record, bound=bound: record["seconds"] / bound)


FIGURE_12 = Figure(
    "cluster22.12", "Fig. 12", "Seconds of LCS with greedy join on more and more cores, beside the bounds of the "
    "greedy-scheduling theorem.", ARTIFACT,
    dict({"LCS, " + machine: Panel("cores", "seconds", log_x=True, log_y=True) for machine in LEAF_S},
         **{"time by the upper bound T1/P + T_inf": Panel("cores", "ours by the bound", log_x=True)}),
    lambda size: list(lcs_rows(size)) + list(lcs_bound_rows(size)),
    says="Times fall and then stay at the critical path as in the paper, and lie within the bounds or a trifle beyond.",
    smaller="2^18 letters on up to 2,304 cores; 2^20 and 2^22 on up to 27,648 take hours (`--full`).")

FIGURES = [
    Other("cluster22.1", "Fig. 1", "illustration", "Child and continuation stealing, as pseudocode and as time lines."),
    Other("cluster22.2", "Fig. 2", "illustration", "Stacks of uni-address threads."),
    Other("cluster22.3", "Fig. 3", "algorithm", "Stalling join over RDMA: `impl/greedy_join/stalling_join.h`."),
    Other("cluster22.4", "Fig. 4", "algorithm", "Greedy join over RDMA: `impl/greedy_join/greedy_join.h`."),
    Other("cluster22.T1", "Table I", "setup", "The two machines: `ito_a` and `wisteria_o` of `common/rma/sim`."),
    Other("cluster22.5", "Fig. 5", "algorithm", "PFor and RecPFor: `bench/programs/pfor.cc`."),
    FIGURE_6, FIGURE_7, TABLE_2, FIGURE_8, FIGURE_9,
    Other("cluster22.10", "Fig. 10", "illustration", "Who needs what in LCS."),
    Other("cluster22.11", "Fig. 11", "algorithm", "LCS by futures: `bench/programs/lcs.cc`."),
    TABLE_3, FIGURE_12]
