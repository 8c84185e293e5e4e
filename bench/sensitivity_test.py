#!/usr/bin/env python3
"""Tests sensitivity.py: the figures that it varies, its arithmetic, its refusals, and a small run of the program."""

import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import sensitivity

HELP = ("Changes: latency, node_size, overhead, atomic_server, idle, node. More --backoff=N longest pause "
        "(1 to 1048576; default: 10) --x=N (1 to 2; default: 7)")


def fake_run(command):
    """The serial program takes 8 s. On R ranks it is 8 s / R and 1 s of overhead, of which tenths are in
    proportion to `overhead`, to `idle` and to the back-off, and a hundredth more with each seed of victims."""

    text = " ".join(command)

    def number(pattern, default):
        found = re.search(pattern, text)
        return int(found[1]) if found else default

    ranks = number("--ranks=([0-9]+)", 0)
    seconds = 8 * number(",node=([0-9]+)%", 100) / 100 / ranks
    if "serial" not in command[0]:
        seconds += 0.7 + (number(",overhead=([0-9]+)%", 100) + number(",idle=([0-9]+)%", 100)) / 1000
        seconds += number("--backoff=([0-9]+)", 10) / 100 + (number("--victim_seed=([0-9]+)", 1) - 1) / 100
    return {"ranks": ranks, "seconds": seconds, "command": text}


def table(arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()):
        sensitivity.main(arguments)
    return [line.split() for line in output.getvalue().splitlines()]


class ArithmeticTest(unittest.TestCase):
    def setUp(self):
        for patch in (mock.patch("scaling.run", fake_run), mock.patch("sensitivity.help_of", lambda options: HELP)):
            patch.start()
            self.addCleanup(patch.stop)

    def test_all_that_is_assumed(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            rows = table(["--nets=ito_a", "--program=fib", "--out=" + path])
            with open(path) as file:
                runs = json.load(file)["runs"]
        self.assertEqual(rows[1:3], [["fib", "on", "ito_a"],
                                     ["overhead", "576:", "1000.000", "ms", "2304:", "1000.000", "ms"]])
        # Overheads in proportion to a tenth of the figure.
        tenth = ["-2.0", "%", "+2.0", "%"] * 2
        self.assertEqual(rows[4:], [["overhead"] + tenth, ["idle"] + tenth, ["backoff"] + tenth,
                                    ["chance"] + ["+1.0", "%", "+2.0", "%"] * 2])
        # Runs with those of the serial program: unchanged, and on four changed machines.
        self.assertEqual(len(runs), 2 * 9 + 5)
        self.assertEqual({run["figure"] for run in runs}, {"", "overhead", "idle", "backoff", "chance"})
        for run in runs:
            if run["change"] == "-20 %" and run["seed"] > 0:
                self.assertAlmostEqual(run["seconds"], 0.98 + 8 / run["ranks"])
                self.assertRegex(run["command"], "--backoff=8 " if run["figure"] == "backoff" else "=80%")

    def test_others_where_they_are_asked_for(self):
        # The serial program runs on the changed machine, too.
        rows = table(["--nets=fx10,lotus", "--ranks=2", "--keys=node", "--program=fib", "--jobs=1"])
        self.assertEqual(rows[4], ["node", "+0.0", "%", "+0.0", "%"])
        self.assertEqual([row for row in rows if "on" in row], [["fib", "on", "fx10"], ["fib", "on", "lotus"]])

    def test_means(self):
        # 1, 1.01 and 1.02 s; then 1.03 to 1.05 and 1.06 to 1.08.
        rows = table(["--nets=ito_a", "--ranks=10", "--seeds=3", "--keys=idle", "--program=fib"])
        self.assertEqual(rows[2], ["overhead", "10:", "1010.000", "ms"])
        self.assertEqual(rows[4:], [["idle", "-2.0", "%", "+2.0", "%"], ["chance", "+3.0", "%", "+5.9", "%"]])

    def test_goes_on(self):
        arguments = ["--nets=ito_a", "--ranks=10", "--keys=idle", "--program=fib", "--jobs=1"]
        with tempfile.TemporaryDirectory() as directory:
            out = ["--out=" + os.path.join(directory, "out.json")]
            left = [5]

            def fails_in_the_end(command):
                left[0] -= 1
                if left[0] < 0:
                    sys.exit("no more")
                return fake_run(command)

            with mock.patch("scaling.run", fails_in_the_end), self.assertRaises(SystemExit):
                table(arguments + out)
            with mock.patch("scaling.run", side_effect=fake_run) as run:
                rows = table(arguments + out + ["--resume"])
            # One run of the serial program and one on 10 ranks, twice for idle; two more seeds.
            self.assertEqual(run.call_count, 8 - 5)
            self.assertEqual(rows, table(arguments))
            # If nothing is left to run, the file has this call's runs, too.
            path = pathlib.Path(directory, "out.json")
            runs = json.loads(path.read_text())["runs"]
            path.write_text(json.dumps({"runs": runs + [{**runs[0], "command": "another"}]}))
            table(arguments + out + ["--resume"])
            self.assertEqual(json.loads(path.read_text())["runs"], runs)

    def test_goes_on_with_its_own_file_only(self):
        for content in (None, "", "[]", '{"runs": [{"ranks": 1}]}'):
            with tempfile.TemporaryDirectory() as directory:
                path = os.path.join(directory, "out.json")
                if content is not None:
                    pathlib.Path(path).write_text(content)
                with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
                    sensitivity.main(["--resume", "--out=" + path])
                self.assertEqual(end.exception.code, 2)
                self.assertIn("--out=%s is no file" % path, errors.getvalue())

    def test_refusals(self):
        for bad in ("--nets=fx10", "--ranks=0", "--jobs=0", "--seeds=0", "--keys=atomic_server", "--resume"):
            with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
                sensitivity.main([bad])
            self.assertEqual(end.exception.code, 2)
            self.assertIn(bad, errors.getvalue())


class RealTest(unittest.TestCase):
    ARGUMENTS = ["--binary=bench/cont_greedy_sim", "--serial=bench/serial_sim", "--nets=ito_a", "--ranks=40",
                 "--keys=overhead,backoff"]

    def test_small(self):
        rows = table(self.ARGUMENTS + ["--program=uts --tree=T1 -d 6 --fork=every_child"])
        self.assertEqual([row[0] for row in rows[4:]], ["overhead", "backoff", "chance"])
        for row in rows[4:]:
            self.assertEqual(len(row), 5)
            # Runs on another machine, with other pauses or other victims are other runs.
            self.assertNotEqual(row[1::2], ["+0.0", "+0.0"])

    def test_a_failure_ends_it(self):
        with self.assertRaises(SystemExit) as end:
            table(self.ARGUMENTS + ["--program=fib --n=91"])
        self.assertRegex(str(end.exception.code), "--net=.*: exit status 2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
