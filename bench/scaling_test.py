#!/usr/bin/env python3
"""scaling.py on tiny inputs: its table, its file, its refusals."""

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

BINARY = "--binary=bench/cont_greedy_sim"


def table(arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        scaling.main([BINARY] + arguments)
    return [line.split() for line in output.getvalue().splitlines()]


class ScalingTest(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            rows = table(["--net=ito_a", "--program=uts --tree=T1 -d 7", "--ranks=1,4,40",
                          "--out=" + path])
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
        self.assertIn("--net=ito_a --ranks=40", runs[2]["command"])

    def test_refusals(self):
        for bad in ("x", "", "0", "3,-1"):
            with contextlib.redirect_stderr(io.StringIO()) as errors, \
                    self.assertRaises(SystemExit) as end:
                scaling.main(["--net=ito_a", "--ranks=" + bad])
            self.assertEqual(end.exception.code, 2)
            self.assertIn("--ranks=" + bad, errors.getvalue())

    def test_failures_end_it(self):
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            scaling.main([BINARY, "--net=ito_a", "--program=fib --n=91", "--ranks=2"])
        self.assertIn("exit status 2", str(end.exception.code))


if __name__ == "__main__":
    unittest.main(verbosity=2)
