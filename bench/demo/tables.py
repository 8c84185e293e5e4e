"""The demo's tables: what runs of a program told, by runtime."""

import re
import shlex
import shutil
import statistics
import sys
import textwrap
import typing

import menu
import runs

HEAD = ("\nruntime", "1 rank,\nms", "ns a\nspawn", "all,\nms", "\nfrom", "\nto", "speed-\nup", "effi-\nciency", "\nsteals",
        "us a\nsteal", "\njoins", "us a\njoin", "RMA ops\na steal")
# Most digits behind the point, of all columns but the first.
DIGITS = (2, 1, 2, 2, 2, 2, 2, 0, 1, 0, 1, 0)
# What the columns mean, before the first table.
LEGEND = """\
All: the time on all ranks. Runs of each: %d. Times are their medians%s. Speed-up: the time of the first row on one
rank, divided by this one on all; efficiency: that divided by the number of ranks. ns a spawn: time on one rank beyond the first row's, divided by
the number of tasks. Steals: attempts that took something. Joins: outstanding ones, and how long each waited after both
sides had come. RMA ops a steal: all one-sided operations of the run, those of failed attempts included, divided by the
number of steals. Blank: a row has no such number, or it is lost in noise.
"""
INTERVAL = "; from, to: %s of these times, between which the median lies with %.1f %% confidence"
MANAGERS = """\
A row of a pool with places of several workers (%s) has one process more than its table says: a manager, which runs no
tasks.
"""
# Columns, more than any table has.
WIDEST = 160


def confidence(repeat):
    """What lies between from and to after so many runs; "" where there are too few."""
    cut, within = runs.interval(repeat)
    ends = "the shortest and the longest" if cut == 1 else "number %d from either end" % cut
    return INTERVAL % (ends, 100 * within) if cut else ""


def legend(runtimes, options):
    """The paragraphs of what the columns and rows of tables of these runtimes mean."""
    managed = [each.name for each in runtimes if each.managed and options.backend != "sim" and max(options.ranks) > 1]
    return [" ".join(text.split()) for text in [LEGEND % (options.repeat, confidence(options.repeat))] + (
        [MANAGERS % ", ".join(managed)] if managed else [])]


class Row(typing.NamedTuple):
    """One runtime's figures for a program."""
    runtime: str
    # In the order of HEAD; None where there is none.
    figures: list
    # On all ranks beside the first row, and between which it lies; None where there is none.
    speedup: float
    speedup_interval: tuple
    # Words where a run failed or was wrong; "" where all were right.
    fault: str


class Table(typing.NamedTuple):
    title: str
    program: menu.Program
    ranks: int
    rows: list
    # A command of the first row's runtime and one of the last one's, for those who want to see more.
    commands: list
    # Sentences below the table: on runtimes that are left out, and on a busy machine.
    notes: list


def middle(reports, name):
    """The median of a metric; None where there is no such metric, or no run."""
    values = [report["metrics"][name] for report in reports if name in report["metrics"]]
    return statistics.median(values) if values else None


def operations_per_steal(metrics):
    operations = sum(each["operations"] for name, each in metrics["rma"].items() if name != "flush")
    return operations / max(metrics["steals_ok"], 1)


def row_of(program, runtime, one, many, ranks, serial_s, fault):
    """The row of the reports `one` of one rank and `many` of `ranks`, of either of which there may be none."""
    if any(program.answer not in runs.numbers(report["result"]) for report in one + many):
        fault = "WRONG"
    one_s, _ = runs.median([report["seconds"] for report in one]) if one else (None, None)
    many_s, interval = runs.median([report["seconds"] for report in many]) if many else (None, None)
    least, most = interval or (None, None)
    speedup = serial_s / many_s if many and serial_s else None
    # Less than nothing is noise, and shows as a blank.
    is_told = one and program.fine and serial_s is not None and runtime.name != program.baseline and one_s >= serial_s
    steals, joins = middle(many, "steals_ok"), middle(many, "outstanding_joins")
    return Row(runtime.name, [
        1e3 * one_s if one else None, (one_s - serial_s) / middle(one, "spawns") * 1e9 if is_told else None,
        1e3 * many_s if many else None, interval and 1e3 * least, interval and 1e3 * most,
        speedup, speedup and speedup / ranks, steals,
        middle(many, "steal_latency_ns") / 1e3 if steals else None, joins,
        middle(many, "outstanding_join_time_ns") / 1e3 if joins else None,
        statistics.median(operations_per_steal(report["metrics"]) for report in many) if steals else None,
    ], speedup, speedup and interval and (serial_s / most, serial_s / least), fault)


def table_of(program, runtimes, backend, ranks, net, repeat, store, failures, notes=()):
    """The table of a program on `ranks` ranks, beside one."""
    rows, serial_s, commands = [], None, []
    for runtime in runtimes:
        one, many = (menu.commands_of(program, runtime, backend, each, net, repeat) for each in (1, ranks))
        commands.append((one if runtime.serial else many)[0])
        of_one, of_many_ranks = ([report for command in each for report in store.of(command)[:repeat]]
                                 for each in (one, many))
        if runtime.name == program.baseline and of_one:
            serial_s = statistics.median(report["seconds"] for report in of_one)
        words = [failures[shlex.join(command)] for command in one + many if shlex.join(command) in failures]
        if of_one or of_many_ranks or words:
            rows.append(row_of(program, runtime, of_one, [] if runtime.serial else of_many_ranks, ranks, serial_s,
                               "failed" if words else ""))
    where = {"shm": "process%s of this machine", "mpi": "MPI process%s of this machine",
             "sim": "simulated rank%%s of %s" % net.replace("%", "%%")}[backend]
    where %= "" if ranks == 1 else "s" if backend == "sim" else "es"
    title = "%s on %d %s: %s" % (program.title, ranks, where, ("%d %s" % (program.answer, program.unit)).strip())
    return Table(title, program, ranks, rows, [commands[0], commands[-1]], notes)


def number(value, digits):
    """A number with at most `digits` behind the point, and three in all; a blank where there is no value."""
    if value is None:
        return ""
    before = len(str(int(abs(value))))
    return "{:,.{}f}".format(value, max(0, min(digits, 3 - before)))


def filled(table):
    """(places of the columns in which a row has a value, the texts of each row, in the order of HEAD)."""
    texts = [[row.runtime, *map(number, row.figures, DIGITS)] for row in table.rows]
    return [column for column in range(len(HEAD)) if any(line[column] for line in texts)], texts


def grid_of(table):
    from rich.table import Table as Grid
    from rich.text import Text
    columns, texts = filled(table)
    grid = Grid(box=None, padding=(0, 1, 0, 0), pad_edge=False)
    for column in columns:
        grid.add_column(HEAD[column], justify="right" if column else "left", no_wrap=True)
    if any(row.fault for row in table.rows):
        grid.add_column("", style="red", no_wrap=True)
    for row, line in zip(table.rows, texts):
        grid.add_row(*[Text(line[column]) for column in columns], *([row.fault] if row.fault else []))
    return grid


def print_table(table):
    """Prints a table without the columns in which no row has a value."""
    from rich import console
    screen = console.Console(highlight=False)
    screen.print(table.title, style="bold", markup=False, soft_wrap=not sys.stdout.isatty())
    # Numbers are whole on any terminal, a dumb one too; one narrower than the table wraps its lines.
    console.Console(highlight=False, width=WIDEST, height=1).print(grid_of(table))
    for words in table.notes:
        screen.print(words, markup=False, soft_wrap=not sys.stdout.isatty())
    screen.print()


def print_legend(runtimes, options):
    """Prints what these runtimes are, and what the columns of their tables mean."""
    width = min(120, shutil.get_terminal_size().columns) if sys.stdout.isatty() else 120
    for each in runtimes:
        words = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", menu.about(each)).replace("`", "")
        print(textwrap.fill("%-15s %s" % (each.name, words), max(width, 40), subsequent_indent=" " * 16))
    for paragraph in legend(runtimes, options):
        print("\n" + textwrap.fill(paragraph, width))
    print(flush=True)
