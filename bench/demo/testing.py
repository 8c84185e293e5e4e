"""Demos whose runs are made up, in this process or on a terminal of their own: for tests."""

import contextlib
import fcntl
import itertools
import os
import pty
import re
import struct
import subprocess
import sys
import termios
import unittest
from unittest import mock

import flags
import made_up
import main
import runs
from program_checks import folder_of, run_main

HERE = os.path.dirname(os.path.realpath(__file__))
# A program that runs a demo whose runs are made up.
PROGRAM = """
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, %r)
import testing
sys.exit(testing.made_up_demo(sys.argv[1:]))
""" % HERE


@contextlib.contextmanager
def made_up_runs(report=made_up.report, others=0):
    """Builds nothing, and takes reports from a function instead of a program, while others take a share of the time."""
    with mock.patch.object(runs.Runner.__init__, "__defaults__", (report,)), \
            mock.patch.object(runs.jobs, "processor_time", side_effect=((n, n * others) for n in itertools.count())), \
            mock.patch.object(main, "build") as build:
        yield build


def made_up_demo(arguments):
    with made_up_runs():
        return main.main(arguments)


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


def lines_of(text):
    """What stands between the ends of lines, and between the beginnings of bars, in what a terminal was sent."""
    return [line.rstrip() for line in re.split(r"[\r\n]+", re.sub(r"\x1b\[[?\d;]*[A-Za-z]", "", text))]


def on_terminal(arguments, columns=120, term="xterm", output=None):
    """Runs a made-up demo on a terminal, but for its output if that is a file; (status, all that was written to it)."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    environment = dict(os.environ, TERM=term, PYTHONIOENCODING="utf-8")
    environment.pop("COLUMNS", None)
    demo = subprocess.Popen([sys.executable, "-c", PROGRAM] + arguments, stdin=theirs, stdout=output or theirs,
                            stderr=theirs, env=environment, start_new_session=True)
    os.close(theirs)
    text = b""
    with contextlib.suppress(OSError):  # The end of a terminal.
        while True:
            part = os.read(ours, 1 << 16)
            if not part:
                break
            text += part
    os.close(ours)
    return demo.wait(), text.decode()
