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


def lines_of(names, places, reports, value):
    """{name: at each place value(place, report) of its reports}."""
    return {name: [[value(place, report) for report in reports[name][SEEDS * index:SEEDS * (index + 1)]]
                   for index, place in enumerate(places)] for name in names}


def medians(lines, point):
    """{name: median} of each line's point of that number."""
    return {name: statistics.median(values[point]) for name, values in lines.items()}


def draw_lines(axes, places, lines, what, value, ideal=()):
    for name, values in lines.items():
        plots.line(axes, places, values, name)
    if ideal:
        axes.plot(places, ideal, ":", color=plots.OTHER, label="ideal")
    axes.set_xlabel(what)
    axes.set_ylabel(value)
    axes.legend()


def from_to(values, form):
    """The least and the most of {label: value} in words."""
    least, most = min(values, key=values.get), max(values, key=values.get)
    if form % values[least] == form % values[most]:
        return form % values[least]
    return "from %s (%s) to %s (%s)" % (form % values[least], least, form % values[most], most)


def efficiency_by_size(sizes, ranks, net, runtimes):
    def program(n):
        return "pfor --recursive --n=%d" % n

    def efficiencies(reports):
        """(ideal seconds of each size, efficiencies by them)."""
        ideals = [report["seconds"] / ranks for report in reports["serial"]]
        return ideals, lines_of(runtimes, ideals, reports, lambda ideal, report: ideal / report["seconds"])

    def draw(axes, reports):
        ideals, lines = efficiencies(reports)
        draw_lines(axes, [1e3 * ideal for ideal in ideals], lines, "ideal time on %d ranks, ms" % ranks, "efficiency")
        plots.decades(axes.set_xscale, axes.xaxis)
        axes.set_ylim(0, 1.05)

    def says(reports):
        _, lines = efficiencies(reports)
        return "Efficiency at N = %d: %s; at N = %d: %s. %s" % (
            sizes[0], from_to(medians(lines, 0), "%.2f"), sizes[-1], from_to(medians(lines, -1), "%.2f"), BARS)

    series = {"serial": [sim("serial", program(n), net, 1) for n in sizes]}
    series.update({runtime: [command for n in sizes for command in seeds_of(runtime, program(n), net, ranks)]
                   for runtime in runtimes})
    return Figure("efficiency", "Efficiency of RecPFor by its size", "cluster22, Fig. 6", ("recpfor",), series, draw,
                  says)


def throughput_by_ranks(counts, net, runtimes):
    def draw(axes, reports):
        def throughput(_, report):
            return report["result"]["nodes"] / report["seconds"] / 1e6

        draw_lines(axes, counts, lines_of(runtimes, counts, reports, throughput), "simulated ranks of " + net,
                   "million nodes a second", [count * throughput(1, reports["serial"][0]) for count in counts])
        axes.set_xscale("log", base=2)
        plots.decades(axes.set_yscale, axes.yaxis)
        plots.ticks(axes, counts)

    def says(reports):
        ms = lines_of(runtimes, counts, reports, lambda _, report: 1e3 * report["seconds"])
        most, fewer = medians(ms, -1), medians(ms, -2)
        return "T1 has %.1f million nodes, a small tree beside the papers'. It takes %s on %d ranks, which " \
            "are %s times as fast as %d. %s" % (
                reports["serial"][0]["result"]["nodes"] / 1e6, from_to(most, "%.1f ms"), counts[-1],
                from_to({name: fewer[name] / most[name] for name in most}, "%.2f"), counts[-2], BARS)

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

    def speedups(reports):
        serial_s = reports["pool_serial"][0]["seconds"]
        return lines_of(pools, places, reports, lambda _, report: serial_s / report["seconds"])

    def draw(axes, reports):
        draw_lines(axes, counts, speedups(reports), "workers, %d a place, simulated on %s" % (workers, net), "speed-up",
                   counts)
        axes.set_xticks(counts)

    def says(reports):
        most = medians(speedups(reports), -1)
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
