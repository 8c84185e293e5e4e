"""The report's plots: what each is made of, and how it is drawn.

Needs matplotlib. A plot is SVG without a size of its own, so that a page may
scale it; the same runs give the same text.
"""

import io
import os
import re
import statistics
import sys

import menu

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), ".."))
import trace_file

COLOURS = {"cont_greedy": "#1b6ca8", "cont_greedy_sws": "#56a3d9", "cont_stalling": "#7b52ab", "child_full": "#c0392b",
           "child_rtc": "#e08e0b", "pool_sws": "#1e8449", "pool_sdc": "#76b041", "pool_glb": "#8e6e53",
           "pool_glb_hybrid": "#d35487"}
OTHER = "#777777"
# Number of simulated runs of each point, each with another choice of victims.
SEEDS = 3


class Figure:
    """A plot of simulated or of real runs, after one of a paper."""

    def __init__(self, name, title, after, says, series, draw, alone=False):
        self.name = name
        self.title = title
        # The figure of the paper that it is like.
        self.after = after
        # What there is to see in it.
        self.says = says
        # {label: [command, ...]}
        self.series = series
        # draw(axes, {label: [report, ...]})
        self.draw = draw
        # Whether its runs take real time, and so no others run beside them.
        self.alone = alone

    def commands(self):
        return [command for commands in self.series.values() for command in commands]


def sim(binary, program, net, ranks, *more):
    return [menu.BINARIES + binary + "_sim"] + program.split() + ["--net=" + net, "--ranks=%d" % ranks, *more, "--json"]


def seeds_of(*arguments):
    """The commands of a point of a line: the same run with several choices of victims."""
    return [sim(*arguments, "--victim_seed=%d" % seed) for seed in range(1, SEEDS + 1)]


def line(axes, places, reports, figure, label):
    """A line through the medians of figure(place, report), with the range over the seeds."""
    values = [[figure(place, report) for report in reports[SEEDS * index:SEEDS * (index + 1)]]
              for index, place in enumerate(places)]
    medians = [statistics.median(each) for each in values]
    ranges = [[median - min(each) for median, each in zip(medians, values)],
              [max(each) - median for median, each in zip(medians, values)]]
    axes.errorbar(places, medians, ranges, marker="o", markersize=4, capsize=2, label=label,
                  color=COLOURS.get(label, OTHER))


def efficiency_by_size(sizes, ranks, net, runtimes):
    def program(n):
        return "pfor --recursive --n=%d" % n

    def draw(axes, reports):
        ideal = [report["seconds"] / ranks * 1e3 for report in reports["serial"]]
        for runtime in runtimes:
            line(axes, ideal, reports[runtime], lambda ideal_ms, report: ideal_ms / 1e3 / report["seconds"], runtime)
        axes.set_xscale("log")
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("ideal time on %d ranks, ms" % ranks)
        axes.set_ylabel("efficiency")
        axes.legend(frameon=False)

    series = {"serial": [sim("serial", program(n), net, 1) for n in sizes]}
    series.update({runtime: [command for n in sizes for command in seeds_of(runtime, program(n), net, ranks)]
                   for runtime in runtimes})
    return Figure("efficiency", "Efficiency of RecPFor by its size", "cluster22, Fig. 6",
                  "Points are medians of %d runs with other choices of victims, bars their range. The larger the problem, "
                  "the less a steal weighs." % SEEDS,
                  series, draw)


def throughput_by_ranks(counts, net, runtimes):
    def draw(axes, reports):
        for runtime in runtimes:
            line(axes, counts, reports[runtime],
                 lambda _, report: report["result"]["nodes"] / report["seconds"] / 1e6, runtime)
        one = reports["serial"][0]
        axes.plot(counts, [count * one["result"]["nodes"] / one["seconds"] / 1e6 for count in counts], ":",
                  color=OTHER, label="ideal")
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_xticks(counts, [str(count) for count in counts])
        axes.set_xlabel("simulated ranks of " + net)
        axes.set_ylabel("million nodes a second")
        axes.legend(frameon=False)

    series = {"serial": [sim("serial", "uts --tree=T1", net, 1)]}
    series.update({runtime: [command for count in counts for command in seeds_of(runtime, "uts --tree=T1", net, count)]
                   for runtime in runtimes})
    return Figure("throughput", "Throughput of UTS T1 by the number of ranks", "cluster22, Figs. 8 and 9",
                  "T1 has 4 million nodes, a thousandth of the papers' trees: it takes 4 ms on 576 ranks, and there "
                  "is no more to gain from there on.", series, draw)


def busy_over_time(n, ranks, net, runtimes, folder):
    def timeline(runtime):
        return os.path.join(folder, "timeline_%s.csv" % runtime)

    def draw(axes, reports):
        figure = axes.figure
        axes.remove()
        for index, (runtime, axes) in enumerate(zip(runtimes, figure.subplots(len(runtimes), 1, sharex=True))):
            rows = trace_file.load_timeline(timeline(runtime))
            times = [(row["begin_ns"] + row["end_ns"]) / 2e6 for row in rows]
            axes.fill_between(times, [row["busy_ranks"] for row in rows], step="mid", color="#1e8449", alpha=0.5)
            axes.set_ylim(0, ranks * 1.02)
            axes.set_ylabel("busy ranks", color="#1e8449")
            axes.set_title(runtime, loc="left", fontsize="medium")
            right = axes.twinx()
            right.plot(times, [row["ready_joins"] for row in rows], color="#7b52ab", linewidth=0.8)
            right.set_ylim(0)
            right.set_ylabel("ready joins", color="#7b52ab")
        axes.set_xlabel("ms")

    series = {runtime: [sim(runtime, "pfor --recursive --n=%d" % n, net, ranks, "--timeline=" + timeline(runtime))]
              for runtime in runtimes}
    return Figure("timeline", "Busy ranks, and outstanding joins that could go on, over time", "cluster22, Fig. 7",
                  "RecPFor, N = %d, on %d simulated ranks of %s. With child stealing a task that could go on waits "
                  "until its own rank has time for it; with greedy join whoever comes last goes on." % (n, ranks, net),
                  series, draw)


def steal_time_by_volume():
    binaries = menu.BINARIES + "microbenchmarks/"
    series = {"two processes of this machine": [[binaries + "steal_volume", "--ranks=2", "--json"]],
              "simulated, lotus": [[binaries + "steal_volume_sim", "--ranks=2", "--net=lotus,node_size=1", "--json"]]}

    def draw(axes, reports):
        figure = axes.figure
        axes.remove()
        for axes, (where, [report]) in zip(figure.subplots(1, 2), reports.items()):
            for size, style in ((24, "-"), (192, "--")):
                steals = [steal for steal in report["result"]["steals"] if steal["task_bytes"] == size]
                for queue in ("sdc", "sws"):
                    axes.plot([steal["tasks"] for steal in steals], [steal[queue + "_ns"] / 1e3 for steal in steals],
                              style, color=COLOURS["pool_" + queue], label="%s, %d bytes" % (queue.upper(), size))
            axes.set_xscale("log", base=2)
            axes.set_yscale("log")
            axes.set_title(where, fontsize="medium")
            axes.set_xlabel("tasks a steal")
        figure.axes[0].set_ylabel("us a steal")
        figure.axes[0].legend(frameon=False, fontsize="small")

    return Figure("volume", "Time of a steal by the number of tasks that it takes", "icpp21, Fig. 6",
                  "An SWS steal waits for two operations and an SDC steal for five, so that it takes half the time "
                  "while few tasks are taken.", series, draw, alone=True)


def speedup_by_places(places, workers, net, pools):
    program = "uts_any --tree=T1"

    def draw(axes, reports):
        serial_s = reports["pool_serial"][0]["seconds"]
        counts = [place * workers for place in places]
        for pool in pools:
            line(axes, counts, reports[pool], lambda _, report: serial_s / report["seconds"], pool)
        axes.plot(counts, counts, ":", color=OTHER, label="ideal")
        axes.set_xticks(counts)
        axes.set_xlabel("workers, %d a place, simulated on %s" % (workers, net))
        axes.set_ylabel("speed-up")
        axes.legend(frameon=False)

    series = {"pool_serial": [sim("pool_serial", program, net, 1)]}
    for pool in pools:
        managed = "hybrid" in pool
        series[pool] = [command for count in places for command in seeds_of(
            pool, program, net, count * (workers + managed),
            *(["--workers_per_place=%d" % workers] if managed else []))]
    return Figure("places", "Speed-up of pools and of lifelines by the number of places",
                  "hybrid_glb_apgas18, Figs. 1 to 3", "UTS T1, up to 511 nodes a task: a small tree, of which the "
                  "lifelines' beginning and end are a larger part than of the paper's.", series, draw)


def figures(folder, net):
    """All plots that are made of runs of their own."""
    return [
        efficiency_by_size((512, 1024, 2048, 4096), 144, net,
                           ("cont_greedy", "cont_stalling", "child_full", "child_rtc")),
        throughput_by_ranks((36, 72, 144, 288, 576), net,
                            ("cont_greedy", "cont_stalling", "child_full", "child_rtc", "pool_sws", "pool_sdc")),
        busy_over_time(4096, 144, net, ("cont_greedy", "child_full"), folder),
        steal_time_by_volume(),
        speedup_by_places((1, 2, 4, 8, 12), 12, "kassel", ("pool_sws", "pool_glb", "pool_glb_hybrid")),
    ]


# ------------------------------------------------------------------------------------------------------------- drawing


def import_pyplot():
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def as_svg(pyplot, figure, name):
    """The figure as SVG text; `name` keeps its names apart from those of other plots on the page."""
    import matplotlib
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    width = re.search(r' width="([\d.]+)pt"', svg)[1]
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r' id="([^"]+)"', r' id="%s-\1"' % name, svg)
    svg = re.sub(r'(href="#|url\(#)', r"\1%s-" % name, svg)
    return svg.replace("<svg", '<svg role="img" style="width:100%%;min-width:30rem;max-width:%spt"' % width, 1)


def draw_figure(pyplot, figure, reports):
    """SVG of a Figure; reports: {label: [report, ...]}."""
    drawn, axes = pyplot.subplots(figsize=(7, 4.2))
    axes.grid(alpha=0.25)
    figure.draw(axes, reports)
    return as_svg(pyplot, drawn, figure.name)


def draw_speedups(pyplot, table):
    """SVG of a table's speed-ups, with their confidence intervals."""
    rows = [row for row in table.rows if row.speedup]
    drawn, axes = pyplot.subplots(figsize=(7, 0.8 + 0.26 * len(rows)))
    for place, row in enumerate(rows):
        axes.barh(place, row.speedup, color=COLOURS.get(row.runtime, OTHER), alpha=0.75)
        if row.speedup_interval:
            axes.plot(row.speedup_interval, (place, place), color="black", linewidth=1.5)
    axes.axvline(1, color=OTHER, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row.runtime for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.25)
    axes.set_xlabel("speed-up of %d ranks over %s" % (table.ranks, table.program.baseline))
    return as_svg(pyplot, drawn, "speedup-" + table.program.name)
