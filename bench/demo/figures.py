"""The report's figures: what each is made of, what it shows, and the words below it.

Words that depend on what was measured are made of the reports.
"""

import os
import statistics
import typing

import menu
import plot
import plots

# Number of simulated runs of each point, each with another choice of victims.
SEEDS = 3
BARS = "Points are medians of %d simulated runs with other choices of victims, bars their range." % SEEDS
T1 = "uts --tree=T1"


class Figure(typing.NamedTuple):
    """A plot of simulated or of real runs, after one of a paper."""
    name: str
    title: str
    # The figure of the paper that it is like.
    after: str
    # Names of programs of the menu; the figure belongs to what was asked for if one of them does.
    programs: tuple
    # {label: [command, ...]}
    series: dict
    # draw(axes, {label: [report, ...]})
    draw: typing.Callable
    # says({label: [report, ...]}): what there is to see, in words that these reports bear out.
    says: typing.Callable
    # Whether its runs take real time, and so no others run beside them.
    alone: bool = False

    def commands(self):
        return [command for commands in self.series.values() for command in commands]


def sim(binary, program, net, ranks, *more):
    return [menu.BINARIES + binary + "_sim"] + program.split() + ["--net=" + net, "--ranks=%d" % ranks, *more, "--json"]


def seeds_of(*arguments):
    """The commands of a point of a line: the same run with several choices of victims."""
    return [sim(*arguments, "--victim_seed=%d" % seed) for seed in range(1, SEEDS + 1)]


def by_point(places, reports, figure):
    """For each point of a line, figure(place, report) of its reports."""
    return [[figure(place, report) for report in reports[SEEDS * index:SEEDS * (index + 1)]]
            for index, place in enumerate(places)]


def medians(places, reports, figure):
    return [statistics.median(each) for each in by_point(places, reports, figure)]


def seconds(_, report):
    return report["seconds"]


def from_to(values, form):
    """The least and the most of {label: value} in words."""
    least, most = min(values, key=values.get), max(values, key=values.get)
    if form % values[least] == form % values[most]:
        return form % values[least]
    return "from %s (%s) to %s (%s)" % (form % values[least], least, form % values[most], most)


def efficiency_by_size(sizes, ranks, net, runtimes):
    def program(n):
        return "pfor --recursive --n=%d" % n

    def ideal_s(reports):
        return [report["seconds"] / ranks for report in reports["serial"]]

    def efficiency(ideal, report):
        return ideal / report["seconds"]

    def draw(axes, reports):
        for runtime in runtimes:
            plots.line(axes, [ideal * 1e3 for ideal in ideal_s(reports)],
                       by_point(ideal_s(reports), reports[runtime], efficiency), runtime)
        plots.decades(axes.set_xscale, axes.xaxis)
        axes.set_ylim(0, 1.05)
        axes.set_xlabel("ideal time on %d ranks, ms" % ranks)
        axes.set_ylabel("efficiency")
        axes.legend()

    def says(reports):
        reached = {runtime: medians(ideal_s(reports), reports[runtime], efficiency) for runtime in runtimes}
        return "Efficiency at N = %d: %s; at N = %d: %s. %s" % (
            sizes[0], from_to({name: values[0] for name, values in reached.items()}, "%.2f"),
            sizes[-1], from_to({name: values[-1] for name, values in reached.items()}, "%.2f"), BARS)

    series = {"serial": [sim("serial", program(n), net, 1) for n in sizes]}
    series.update({runtime: [command for n in sizes for command in seeds_of(runtime, program(n), net, ranks)]
                   for runtime in runtimes})
    return Figure("efficiency", "Efficiency of RecPFor by its size", "cluster22, Fig. 6", ("recpfor",), series, draw,
                  says)


def throughput_by_ranks(counts, net, runtimes):
    def draw(axes, reports):
        for runtime in runtimes:
            plots.line(axes, counts, by_point(counts, reports[runtime], lambda _, report:
                                              report["result"]["nodes"] / report["seconds"] / 1e6), runtime)
        one = reports["serial"][0]
        axes.plot(counts, [count * one["result"]["nodes"] / one["seconds"] / 1e6 for count in counts], ":",
                  color=plots.OTHER, label="ideal")
        axes.set_xscale("log", base=2)
        plots.decades(axes.set_yscale, axes.yaxis)
        plots.ticks(axes, counts)
        axes.set_xlabel("simulated ranks of " + net)
        axes.set_ylabel("million nodes a second")
        axes.legend()

    def says(reports):
        taken = {runtime: medians(counts, reports[runtime], seconds) for runtime in runtimes}
        return "T1 has %.1f million nodes, a small tree beside the papers'. It takes %s on %d ranks, which " \
            "are %s times as fast as %d. %s" % (
                reports["serial"][0]["result"]["nodes"] / 1e6,
                from_to({name: values[-1] * 1e3 for name, values in taken.items()}, "%.1f ms"), counts[-1],
                from_to({name: values[-2] / values[-1] for name, values in taken.items()}, "%.2f"), counts[-2], BARS)

    series = {"serial": [sim("serial", T1, net, 1)]}
    series.update({runtime: [command for count in counts for command in seeds_of(runtime, T1, net, count)]
                   for runtime in runtimes})
    return Figure("throughput", "Throughput of UTS T1 by the number of ranks", "cluster22, Figs. 8 and 9", ("uts",),
                  series, draw, says)


def busy_over_time(n, ranks, net, runtimes, folder):
    def draw(axes, reports):
        figure = axes.figure
        axes.remove()
        # One above the other, also where there is but one.
        for runtime, axes in zip(runtimes, figure.subplots(len(runtimes), 1, sharex=True, squeeze=False)[:, 0]):
            plot.draw_timeline(axes, reports[runtime][0]["timeline"])
            axes.set_title(runtime, loc="left", fontsize="medium")
        axes.set_xlim(0, max(report["timeline"][-1]["end_ns"] for [report] in reports.values()) / 1e6)
        axes.set_xlabel("ms")

    def says(_):
        return "RecPFor, N = %d, on %d simulated ranks of %s, one run each. With child stealing a task that could go " \
            "on waits until its own rank has time for it; with greedy join whoever comes last goes on." % (
                n, ranks, net)

    series = {runtime: [sim(runtime, "pfor --recursive --n=%d" % n, net, ranks,
                            "--timeline=" + os.path.join(folder, "timeline_%s.csv" % runtime))]
              for runtime in runtimes}
    return Figure("timeline", "Busy ranks, and outstanding joins that could go on, over time", "cluster22, Fig. 7",
                  ("recpfor",), series, draw, says)


def shares(report):
    """Percent of a steal's time that each of its phases takes, those left out that take none."""
    whole = sum(report["phases"].values())
    return {name: 100 * ns / whole for name, ns in report["phases"].items() if ns or name in ("suspend", "resume")}


def phases_of_a_steal(runtime, ranks, nets, folder):
    def draw(axes, reports):
        for place, (net, [report]) in enumerate(reports.items()):
            of = shares(report)
            axes.barh([row + 0.4 * place - 0.2 for row in range(len(of))], of.values(), 0.38, label=net)
            axes.set_yticks(range(len(of)), of)
        axes.invert_yaxis()
        axes.set_xlabel("% of a steal's time")
        axes.legend()

    def says(reports):
        return "UTS T1 on %d simulated ranks, each on a node of its own, means of all steals. With suspend and resume " \
            "one takes %s." % (ranks, " and ".join("%.1f us on %s" % (sum(report["phases"].values()) / 1e3, net)
                                                   for net, [report] in reports.items()))

    series = {net: [sim(runtime, T1, net + ",node_size=1", ranks,
                        "--trace=" + os.path.join(folder, "steals_%s.json" % net))] for net in nets}
    return Figure("steal", "Phases of a steal", "hpdc15, Fig. 10, and jip16, Fig. 13", ("uts",), series, draw, says)


def steal_time_by_volume(queues):
    binaries = menu.BINARIES + "microbenchmarks/"
    series = {"two processes of this machine": [[binaries + "steal_volume", "--ranks=2", "--json"]],
              "simulated, lotus": [[binaries + "steal_volume_sim", "--ranks=2", "--net=lotus,node_size=1", "--json"]]}

    def draw(axes, reports):
        figure = axes.figure
        axes.remove()
        figure.set_figheight(5)
        for axes, (where, [report]) in zip(figure.subplots(len(reports), 1, sharex=True), reports.items()):
            for size, style in ((24, "-"), (192, "--")):
                steals = [steal for steal in report["result"]["steals"] if steal["task_bytes"] == size]
                for queue in queues:
                    axes.plot([steal["tasks"] for steal in steals], [steal[queue + "_ns"] / 1e3 for steal in steals],
                              style, color=plots.COLOURS["pool_" + queue], label="%s, %d bytes" % (queue.upper(), size))
            axes.set_xscale("log", base=2)
            plots.ticks(axes, [steal["tasks"] for steal in steals][::2])
            plots.decades(axes.set_yscale, axes.yaxis)
            axes.set_title(where, fontsize="medium")
            axes.set_ylabel("us a steal")
        axes.set_xlabel("tasks a steal")
        figure.axes[0].legend()

    def says(reports):
        words = ["An SWS steal waits for two operations and an SDC steal for five."]
        for where, [report] in reports.items():
            steals = report["result"]["steals"]
            words.append("Time of SWS divided by that of SDC, %s: %s." % (where, ", ".join(
                "%.2f for %d task%s of %d bytes" % (
                    each["sws_ns"] / each["sdc_ns"], each["tasks"], "s"[:each["tasks"] != 1], each["task_bytes"])
                for each in (steals[0], steals[-1]))))
        return " ".join(words + ["Each point is the median of the steals of one run."])

    return Figure("volume", "Time of a steal by the number of tasks that it takes", "icpp21, Fig. 6",
                  tuple(program.name for program in menu.PROGRAMS if menu.POOL in program.facades), series, draw, says,
                  alone=True)


def speedup_by_places(places, workers, net, pools):
    program = "uts_any --tree=T1"
    counts = [place * workers for place in places]

    def speedups(reports, pool):
        serial_s = reports["pool_serial"][0]["seconds"]
        return by_point(places, reports[pool], lambda _, report: serial_s / report["seconds"])

    def draw(axes, reports):
        for pool in pools:
            plots.line(axes, counts, speedups(reports, pool), pool)
        axes.plot(counts, counts, ":", color=plots.OTHER, label="ideal")
        axes.set_xticks(counts)
        axes.set_xlabel("workers, %d a place, simulated on %s" % (workers, net))
        axes.set_ylabel("speed-up")
        axes.legend()

    def says(reports):
        most = {pool: statistics.median(speedups(reports, pool)[-1]) for pool in pools}
        words = ["UTS T1, up to 511 nodes a task. Speed-up of %d workers: %s." % (counts[-1], from_to(most, "%.0f"))]
        if any("hybrid" in pool for pool in pools):
            words.append("A place of a hybrid pool has a manager beside its %d workers, which has a core of its own "
                         "here (node_size=%d); the paper's shared a node of %d cores with its workers." %
                         (workers, workers + 1, workers))
        return " ".join(words + [BARS])

    series = {"pool_serial": [sim("pool_serial", program, net, 1)]}
    for pool in pools:
        # A place is a node: one more rank, one more core.
        managed = "hybrid" in pool
        node = "%s,node_size=%d" % (net, workers + managed) if managed else net
        more = ["--workers_per_place=%d" % workers] if managed else []
        series[pool] = [command for count in places
                        for command in seeds_of(pool, program, node, count * (workers + managed), *more)]
    return Figure("places", "Speed-up of pools and of lifelines by the number of places",
                  "hybrid_glb_apgas18, Figs. 1 to 3", ("uts", "uts_any"), series, draw, says)


def figures(options):
    """The figures of the flags: of the programs that were asked for by name, or of all, with the chosen runtimes."""
    chosen = [runtime.name for runtime in options.runtimes if not runtime.own_binary]
    programs = [program.name for program in options.programs]

    def among(*names):
        return tuple(name for name in names if name in chosen)

    with_runtimes = [
        (among("cont_greedy", "cont_stalling", "child_full", "child_rtc"),
         lambda names: efficiency_by_size((512, 1024, 2048, 4096), 144, options.net, names)),
        (among("cont_greedy", "cont_stalling", "child_full", "child_rtc", "pool_sws", "pool_sdc"),
         lambda names: throughput_by_ranks((36, 144, 576), options.net, names)),
        (among("cont_greedy", "child_full"),
         lambda names: busy_over_time(4096, 144, options.net, names, options.out)),
        (among("cont_greedy"),
         lambda names: phases_of_a_steal(names[0], 16, ("fx10", "tsubame25"), options.out)),
        (among("pool_sdc", "pool_sws"),
         lambda names: steal_time_by_volume([name[len("pool_"):] for name in names])),
        (among("pool_sws", "pool_glb", "pool_glb_hybrid"),
         lambda names: speedup_by_places((1, 2, 4, 8, 12), 12, "kassel", names)),
    ]
    made = [figure(names) for names, figure in with_runtimes if names]
    return [figure for figure in made if "programs" not in options.named or set(programs) & set(figure.programs)]
