"""Demos of runs that never were, for tests."""

import contextlib
import io
import itertools
import json
import os
import pathlib
import re
import unittest
from unittest import mock

import flags
import main
import menu
import runs
from program_checks import folder_of, run_main

HERE = os.path.dirname(os.path.realpath(__file__))
ANSWERS = {tuple(program.flags): program.answer for program in menu.PROGRAMS}
OPERATIONS = {name: {"operations": 10 * place, "bytes": 80} for place, name in
              enumerate(("flush", "get", "put", "fetch_add"), 1)}


def made_up_report(command):
    """One second on one rank, half of it on two, and so on."""
    if command[0] == menu.EXPLAIN:
        runtime, folder = (part.partition("=")[2] for part in command[2:])
        return {"result": {"%s/steal_%s.html" % (folder, runtime): "Steal <%s>" % runtime}}
    ranks = menu.ranks_of(command)
    if "steal_volume" in command[0]:
        return {"result": {"steals": [{"task_bytes": size, "tasks": tasks, "sdc_ns": 90, "sws_ns": 80}
                                      for size in (24, 192) for tasks in (2**i for i in range(11))]}}
    for part in command:
        if part.startswith("--timeline="):
            with open(part.partition("=")[2], "w") as file:
                file.write("begin_ns,end_ns,busy_ranks,ready_joins\n0,1024,1.5,0\n1024,2048,2,0.5\n")
        if part.startswith("--trace="):
            spans = [("run", 0, 100), ("suspend", 0, 1), ("steal", 1, 93), ("lock", 1, 23), ("take item", 24, 70),
                     ("resume", 94, 6)]
            with open(part.partition("=")[2], "w") as file:
                json.dump({"traceEvents": [{"ph": "X", "tid": 1, "name": name, "ts": begin, "dur": length, "args": {
                    "events_dropped": 0}} for name, begin, length in spans]}, file)
    answer = next((answer for flags, answer in ANSWERS.items()
                   if all(flag in command for flag in flags)), 1)
    return {"ranks": ranks, "runtime": re.sub("_(sim|mpi)$", "", command[0].rpartition("/")[2]),
            "seconds": 1 / ranks, "result": {"nodes": answer},
            "metrics": {"spawns": 1000, "steals_ok": 5 if ranks > 1 else 0, "steal_latency_ns": 2500.0,
                        "outstanding_joins": 3, "outstanding_join_time_ns": 1500.0, "region_bytes_max": 4096,
                        "rma": OPERATIONS}}

# A program of a user's own, linked with a network, that has a program.
OWN = """#!/bin/sh
echo "Benchmark programs on the mine runtime over the %s network."
echo "Programs:"
echo "  %s   a program"
"""


class Terminal(io.StringIO):
    def isatty(self):
        return True


@contextlib.contextmanager
def made_up_runs(report=made_up_report, others=0):
    """Builds nothing, and takes reports from a function instead of a program, while others take a share of the time."""
    with mock.patch.object(runs.jobs.Jobs, "run", lambda _, command: report(command)), \
            mock.patch.object(runs.jobs, "processor_time", side_effect=((n, n * others) for n in itertools.count())), \
            mock.patch.object(main, "build") as build:
        yield build


class DemoCase(unittest.TestCase):
    """A test with a folder for --out."""

    def setUp(self):
        self.folder = str(folder_of(self))

    def own(self, name="mine", text=OWN % ("shm", "fib")):
        """The path of a user's own program."""
        path = pathlib.Path(self.folder, name)
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    def demo(self, *given, report=made_up_report, cores=2, packages=True, others=0):
        """(status, lines printed, lines of errors) of a demo whose runs are made up and that builds nothing."""
        self.commands = []

        def run_one(command):
            self.commands.append(command)
            return report(command)

        with made_up_runs(run_one, others) as build, mock.patch.object(flags, "cores", return_value=cores), \
                mock.patch.object(main.importlib.util, "find_spec", return_value=packages or None):
            status, output, errors = run_main(main.main, "--out=" + self.folder, *given)
        self.built = [target for call in build.call_args_list for target in call.args[0]]
        return status, output.splitlines(), errors.splitlines()

    def rows(self, lines):
        """{name: cells} of the rows of the last table with each name."""
        return {line.split()[0]: line.split()[1:] for line in lines if line[:1].islower() and "  " in line}

    def on_terminal(self, *given, **environment):
        """What a terminal is sent, and the lines that then stand there, one of each bar."""
        with made_up_runs(), mock.patch.dict(os.environ, environment), \
                contextlib.redirect_stderr(Terminal()) as terminal, contextlib.redirect_stdout(terminal):
            self.assertEqual(main.main(["--out=" + self.folder, *given]), 0)
        text = terminal.getvalue()
        return text, [line.rstrip() for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text))]
