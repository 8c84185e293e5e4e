#!/usr/bin/env python3
"""Tests scaling.py on tiny inputs: its table, its file, its refusals."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import scaling

BINARIES = ["--binary=bench/cont_greedy_sim", "--serial=bench/serial_sim"]


def table(arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        scaling.main(BINARIES + arguments)
    return [line.split() for line in output.getvalue().splitlines()]


class ScalingTest(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            program = "uts --tree=T1 -d 7 --fork=every_child"
            rows = table(["--net=ito_a", "--program=" + program, "--ranks=1,4,40", "--out=" + path])
            with open(path) as file:
                written = json.load(file)
        self.assertEqual([row[0] for row in rows[2:]], ["1", "4", "40"])
        self.assertEqual(rows[2][3], "100.0")
        runs = written["runs"]
        self.assertEqual([r["ranks"] for r in runs], [1, 4, 40])
        self.assertEqual([r["machine"] for r in runs], ["ito_a"] * 3)
        for r, row in zip(runs, rows[2:]):
            efficiency = 100 * runs[0]["seconds"] / (r["ranks"] * r["seconds"])
            self.assertEqual(row[3], "%.1f" % efficiency)
        self.assertIn("%s --net=ito_a --ranks=40" % program, runs[2]["command"])

    def test_overhead(self):
        # 550 us of work: 110 nodes of 5 us. The serial program's forks are free.
        for program, forks in (("uts -t balanced -d 2 -b 10 --fork=every_child", 99),
                               ("uts -t balanced -d 2 -b 10 --fork=inline_leaves", 9),
                               ("pfor --n=100 --loops=1 --iteration_ns=5500", 99)):
            rows = table(["--net=custom,spawn=10us,join=30us,node=5us", "--ranks=3", "--program=" + program])[2:]
            self.assertAlmostEqual(float(rows[0][5]), forks * 0.040, delta=0.001)
            for row in rows:
                milliseconds = 1000 * float(row[1])
                beyond = milliseconds - 0.550 / int(row[0])
                self.assertAlmostEqual(float(row[5]), beyond, delta=0.002)
                self.assertAlmostEqual(float(row[6]), 100 * beyond / milliseconds, delta=0.1)

    def test_refusals(self):
        for bad in ("x", "", "0", "3,-1"):
            with contextlib.redirect_stderr(io.StringIO()) as errors, \
                    self.assertRaises(SystemExit) as end:
                scaling.main(["--net=ito_a", "--ranks=" + bad])
            self.assertEqual(end.exception.code, 2)
            self.assertIn("--ranks=" + bad, errors.getvalue())

    def test_failures_end_it(self):
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            scaling.main(BINARIES + ["--net=ito_a", "--program=fib --n=91", "--ranks=2"])
        self.assertIn("exit status 2", str(end.exception.code))


if __name__ == "__main__":
    unittest.main(verbosity=2)
