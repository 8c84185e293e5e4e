"""The demo's tables: what runs of a program told, by runtime."""

import shlex
import statistics
import typing

import menu
import runs

HEAD = ("\nruntime", "1 rank,\nms", "ns a\nspawn", "all,\nms", "95 %\nfrom", "\nto", "speed-\nup", "effi-\nciency",
        "\nsteals", "us\neach", "\njoins", "us\neach", "RMA ops\na steal")
# What the columns mean, below the last table.
LEGEND = """\
All: the time on all ranks. Times are medians; 95 %: the interval that holds the median with that confidence, from six
runs on. Speed-up: the time of the first row on one rank, divided by this one on all; efficiency: that divided by the
number of ranks. ns a spawn: time on one rank beyond the first row's, divided by the number of tasks. Steals: attempts
that took something. Joins: outstanding ones, and how long each waited after both sides had come. RMA ops a steal: all
one-sided operations of the run, those of failed attempts included, divided by the number of steals.
"""


class Row(typing.NamedTuple):
    """One runtime's figures for a program."""
    runtime: str
    one_s: float = None
    # (from, to) on one rank.
    one_interval: tuple = None
    ns_per_spawn: float = None
    many_s: float = None
    interval: tuple = None
    speedup: float = None
    speedup_interval: tuple = None
    efficiency: float = None
    steals: float = None
    steal_us: float = None
    joins: float = None
    join_us: float = None
    ops_per_steal: float = None
    # Words where a run failed or was wrong; "" where all were right.
    fault: str = ""


class Table(typing.NamedTuple):
    title: str
    program: menu.Program
    ranks: int
    rows: list
    # A command of the first row's runtime and one of the last one's, for those who want to see more.
    commands: list
    # Words on each runtime that is left out.
    left_out: list


def middle(reports, figure):
    return statistics.median(figure(report["metrics"]) for report in reports)


def operations(metrics):
    return sum(each["operations"] for name, each in metrics["rma"].items() if name != "flush")


def of_many(row, reports, ranks, serial_s):
    """The row, with what the runs on several ranks say."""
    many_s, interval = runs.median([report["seconds"] for report in reports])
    row = row._replace(many_s=many_s, interval=interval, steals=middle(reports, lambda m: m["steals_ok"]))
    if serial_s:
        row = row._replace(
            speedup=serial_s / many_s, efficiency=serial_s / many_s / ranks,
            speedup_interval=interval and (serial_s / interval[1], serial_s / interval[0]))
    if row.steals:
        row = row._replace(
            steal_us=middle(reports, lambda m: m["steal_latency_ns"]) / 1e3,
            ops_per_steal=middle(reports, lambda m: operations(m) / max(m["steals_ok"], 1)))
    if "outstanding_joins" in reports[0]["metrics"]:
        row = row._replace(joins=middle(reports, lambda m: m["outstanding_joins"]))
        if row.joins:
            row = row._replace(join_us=middle(reports, lambda m: m["outstanding_join_time_ns"]) / 1e3)
    return row


def row_of(program, runtime, one, many, ranks, serial_s, fault):
    """The row of the reports `one` of one rank and `many` of `ranks`."""
    row = Row(runtime.name, fault=fault)
    if any(program.answer not in runs.numbers(report["result"]) for report in one + many):
        row = row._replace(fault="WRONG")
    if one:
        one_s, interval = runs.median([report["seconds"] for report in one])
        spawns = middle(one, lambda m: m["spawns"])
        row = row._replace(one_s=one_s, one_interval=interval)
        if program.fine and serial_s is not None and runtime.name != program.baseline:
            row = row._replace(ns_per_spawn=(one_s - serial_s) / spawns * 1e9)
    return of_many(row, many, ranks, serial_s) if many else row


def table_of(program, runtimes, backend, ranks, net, repeat, store, failures, left_out=()):
    """The table of a program on `ranks` ranks, beside one."""
    rows, serial_s, commands = [], None, []
    for runtime in runtimes:
        one, many = (menu.commands_of(program, runtime, backend, each, net, repeat) for each in (1, ranks))
        commands.append((one if runtime.serial else many)[0])
        of_one, of_many_ranks = ([report for command in each for report in store.of(command)] for each in (one, many))
        if runtime.name == program.baseline and of_one:
            serial_s = statistics.median(report["seconds"] for report in of_one)
        words = [failures[shlex.join(command)] for command in one + many if shlex.join(command) in failures]
        if of_one or of_many_ranks or words:
            rows.append(row_of(program, runtime, of_one, [] if runtime.serial else of_many_ranks, ranks, serial_s,
                               "failed" if words else ""))
    where = {"shm": "processes of this machine", "mpi": "MPI processes of this machine",
             "sim": "simulated ranks of %s" % net}[backend]
    title = "%s on %d %s: %s" % (program.title, ranks, where, ("%d %s" % (program.answer, program.unit)).strip())
    return Table(title, program, ranks, rows, [commands[0], commands[-1]], left_out)


def number(value, digits):
    """A number with at most `digits` behind the point, and three in all; a blank where there is no value."""
    if value is None:
        return ""
    before = len(str(int(abs(value))))
    return "{:,.{}f}".format(value, max(0, min(digits, 3 - before)))


def ms(seconds):
    return number(None if seconds is None else seconds * 1e3, 2)


def cells(row):
    """A row's figures as texts, in the order of HEAD."""
    begin, end = row.interval or (None, None)
    return [row.runtime, ms(row.one_s), number(row.ns_per_spawn, 1), ms(row.many_s), ms(begin), ms(end),
            number(row.speedup, 2), number(row.efficiency, 2), number(row.steals, 0), number(row.steal_us, 1),
            number(row.joins, 0), number(row.join_us, 1), number(row.ops_per_steal, 0)]


def print_table(table):
    """Prints a table; columns in which no row has a value are left out."""
    from rich import console
    from rich.table import Table as Grid
    texts = [cells(row) for row in table.rows]
    shown = [column for column in range(len(HEAD)) if any(line[column] for line in texts)]
    grid = Grid(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for column in shown:
        grid.add_column(HEAD[column], justify="right" if column else "left", no_wrap=True)
    if any(row.fault for row in table.rows):
        grid.add_column("", style="red")
    for row, line in zip(table.rows, texts):
        grid.add_row(*[line[column] for column in shown], *([row.fault] if row.fault else []))
    screen = console.Console(highlight=False)
    if not screen.is_terminal:
        screen = console.Console(highlight=False, width=160)
    screen.print(table.title, style="bold", markup=False)
    screen.print(grid)
    for words in table.left_out:
        screen.print(words, markup=False, soft_wrap=True)
    screen.print()
