"""The report's figures: what each is made of, after one of a paper, and the words below it."""

import dataclasses
import itertools
import os
import shlex

import menu
import plots
from figures import cluster22, hybrid_glb_apgas18, icpp21, model, steals, store
from figures.model import Panel, Row, Run, seeded

# Number of simulated runs of each point, each with another choice of victims.
SEEDS = 3
BARS = "Points are medians of %d simulated runs with other choices of victims, bars their range." % SEEDS
T1 = "uts --tree=T1"
# Names of panels to which claims refer.
EFFICIENCY, WAITS = "parallel efficiency, %", "wait of an outstanding join, us"
THROUGHPUT, STACKS = "million nodes/s", "stacks in a rank's region, bytes"
PHASES, RATIO, SPEEDUP = "% of a steal's time", "SWS's time by SDC's", "speed-up over pool_serial"


@dataclasses.dataclass
class Figure(model.Figure):
    """A plot of simulated or of real runs, after that of a paper that `where` names."""
    # Names of programs of the menu; the figure belongs to what was asked for if one of them does.
    programs: tuple = ()
    # Whether its runs take real time, and so no others run beside them.
    alone: bool = False

    def runs(self):
        return list(dict.fromkeys(run for row in self.rows("") for run in row.runs()))

    def commands(self):
        return [run.command() for run in self.runs()]


def log_log(name, x, y=None):
    return {name: Panel(x, y or name, log_x=True, log_y=True)}


def efficiency(net, runtimes):
    def rows(_):
        for n in (512, 1024, 2048, 4096):
            serial = Run("serial_sim", "pfor --recursive --n=%d" % n, net, 1)
            for name in runtimes:
                runs = seeded(name + "_sim", serial.program, net, 144, SEEDS)
                yield Row(EFFICIENCY, name, n, [(run, serial) for run in runs], store.efficiency)
                yield Row(WAITS, name, n, runs, lambda record: store.metric(record, "outstanding_join_time_ns") / 1e3)

    return Figure("efficiency", "", "Efficiency of RecPFor by its size", "cluster22, Fig. 6 and Table II", {
        EFFICIENCY: Panel("N", EFFICIENCY, log_x=True), **log_log(WAITS, "N")}, rows,
        "RecPFor on 144 simulated ranks of %s, beside plain calls. %s" % (net, BARS), programs=("recpfor",))


def throughput(net, runtimes):
    def rows(_):
        serial, nodes = Run("serial_sim", T1, net, 1), store.throughput("nodes")
        for ranks in (36, 144, 576):
            yield Row(THROUGHPUT, "ideal", ranks, [serial], lambda record, ranks=ranks: ranks * nodes(record))
            for name in runtimes:
                runs = seeded(name + "_sim", T1, net, ranks, SEEDS)
                yield Row(THROUGHPUT, name, ranks, runs, nodes)
                if name == "cont_greedy":
                    yield Row(STACKS, name, ranks, runs, lambda record: store.metric(record, "region_bytes_max"))

    return Figure("throughput", "", "Throughput of UTS T1 by the number of ranks", "cluster22, Figs. 8 and 9", {
        **log_log(THROUGHPUT, "ranks"), STACKS: Panel("ranks", "bytes", log_x=True)}, rows,
        "T1 has 4.1 million nodes, a small tree beside the papers', on simulated ranks of %s. %s" % (net, BARS),
        programs=("uts",))


def timeline(net, runtimes, folder):
    def rows(_):
        for name in runtimes:
            path = os.path.join(folder, "timeline_%s.csv" % name)
            run = Run(name + "_sim", "pfor --recursive --n=4096 --timeline=" + shlex.quote(path), net, 144)
            yield Row("", name, "share of busy ranks", [run], cluster22.busy_share)

    return Figure("timeline", "", "Busy ranks, and outstanding joins that could go on, over time", "cluster22, Fig. 7",
                  {}, rows, "RecPFor, N = 4096, on 144 simulated ranks of %s, one run each. With child stealing a task "
                  "that could go on waits until its own rank has time for it; with greedy join whoever comes last goes "
                  "on." % net, programs=("recpfor",),
                  draw=lambda *figure: cluster22.draw_timelines(*figure, plots.WIDTH))


def share(phases):
    return lambda record: 100 * steals.kilocycles(1, *phases)(record) / steals.kilocycles(1, *steals.ALL)(record)


def steal(runtime, folder):
    def rows(_):
        for net in ("fx10", "tsubame25"):
            path = os.path.join(folder, "steals_%s.json" % net)
            run = Run(runtime + "_sim", "%s --trace=%s" % (T1, shlex.quote(path)), net + ",node_size=1", 16)
            for part, phases in steals.PARTS.items():
                if part != "all":
                    yield Row(PHASES, net, part, [run], share(phases))

    return Figure("steal", "", "Phases of a steal", "hpdc15, Fig. 10, and jip16, Fig. 13", {}, rows,
                  "UTS T1 on 16 simulated ranks, each on a node of its own, means of all steals.", programs=("uts",))


def volume(queues):
    runs = {"two processes of this machine": Run("microbenchmarks/steal_volume", "", "", 2),
            "simulated, lotus": Run("microbenchmarks/steal_volume_sim", "", "lotus,node_size=1", 2)}

    def rows(_):
        for (where, run), size, tasks in itertools.product(runs.items(), (24, 192), (2**i for i in range(11))):
            us = {queue: icpp21.steal_ns(queue + "_ns", size, tasks) for queue in queues}
            for queue in queues:
                yield Row("us a steal, " + where, "%s, %d bytes" % (queue.upper(), size), tasks, [run], us[queue])
            if len(queues) == 2:
                yield Row(RATIO, "%s, %d bytes" % (where, size), tasks, [run],
                          lambda record, us=us: us["sws"](record) / us["sdc"](record))

    panels = {panel: value for where in runs for panel, value in log_log("us a steal, " + where, "tasks a steal").items()}
    return Figure("volume", "", "Time of a steal by the number of tasks that it takes", "icpp21, Fig. 6", {
        **panels, RATIO: Panel("tasks a steal", "ratio", log_x=True)}, rows,
        "An SWS steal waits for two operations and an SDC steal for five. Each point is the median of the steals of one "
        "run.", programs=tuple(each.name for each in menu.PROGRAMS if menu.POOL in each.facades), alone=True)


def places(pools):
    def rows(_):
        serial = Run("pool_serial_sim", "uts_any --tree=T1", "kassel", 1)
        for count in (1, 2, 4, 8, 12):
            yield Row(SPEEDUP, "ideal", 12 * count, [serial], lambda _, count=count: 12 * count)
            for pool in pools:
                runs = hybrid_glb_apgas18.hybrid(serial.program, 12, count, SEEDS) if "hybrid" in pool else \
                    seeded(pool + "_sim", serial.program, "kassel", 12 * count, SEEDS)
                yield Row(SPEEDUP, pool, 12 * count, [(run, serial) for run in runs], hybrid_glb_apgas18.speed_up)

    return Figure("places", "", "Speed-up of pools and of lifelines by the number of workers",
                  "hybrid_glb_apgas18, Figs. 1 to 3", {SPEEDUP: Panel("workers", "speed-up")}, rows,
                  "UTS T1, up to 511 nodes a task, simulated on kassel. A place of a hybrid pool has a manager beside its "
                  "12 workers, which has a core of its own here; the paper's shared a node of 12 cores with its workers. "
                  + BARS, programs=("uts", "uts_any"))


def figures(options):
    """The figures of the flags: of the programs that were asked for by name, or of all, with the chosen runtimes."""
    chosen = [runtime.name for runtime in options.runtimes if not runtime.own_binary]
    programs = {program.name for program in options.programs}
    made = []
    for of, names in (
            (lambda names: efficiency(options.net, names), "cont_greedy cont_stalling child_full child_rtc"),
            (lambda names: throughput(options.net, names),
             "cont_greedy cont_stalling child_full child_rtc pool_sws pool_sdc"),
            (lambda names: timeline(options.net, names, options.out), "cont_greedy child_full"),
            (lambda names: steal(names[0], options.out), "cont_greedy"),
            (lambda names: volume([name[len("pool_"):] for name in names]), "pool_sdc pool_sws"),
            (places, "pool_sws pool_glb pool_glb_hybrid")):
        names = [name for name in names.split() if name in chosen]
        made += [of(names)] if names else []
    return [figure for figure in made if not options.named or programs & set(figure.programs)]
