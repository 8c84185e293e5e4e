"""Demos whose runs are made up: for tests."""

import contextlib
import io
import itertools
import os
import re
import unittest
from unittest import mock

import flags
import made_up
import main
import runs
from program_checks import folder_of, run_main

HERE = os.path.dirname(os.path.realpath(__file__))


class Terminal(io.StringIO):
    def isatty(self):
        return True


@contextlib.contextmanager
def made_up_runs(report=made_up.report, others=0):
    """Builds nothing, and takes reports from a function instead of a program, while others take a share of the time."""
    with mock.patch.object(runs.Runner.__init__, "__defaults__", (report,)), \
            mock.patch.object(runs.jobs, "processor_time", side_effect=((n, n * others) for n in itertools.count())), \
            mock.patch.object(main, "build") as build:
        yield build


class DemoCase(unittest.TestCase):
    """A test with a folder for --out."""

    def setUp(self):
        self.folder = str(folder_of(self))

    def demo(self, *given, report=made_up.report, cores=2, packages=True, others=0):
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
