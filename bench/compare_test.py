#!/usr/bin/env python3
"""Tests compare.py's arithmetic and verdicts, and one run of it on tiny inputs."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import compare


def runs_of(seconds, spawns=1000):
    return [{"seconds": s, "metrics": {"spawns": spawns}} for s in seconds]


class VerdictsTest(unittest.TestCase):
    def verdicts(self, times):
        options = compare.parse(["--fib=34", "--mpi=none"])
        runs = {name: runs_of(seconds) for name, seconds in times.items()}
        found = compare.verdicts(options, runs)
        with contextlib.redirect_stdout(io.StringIO()) as output:
            compare.print_words(runs, found)
        return {row["measurement"]: (row["value"], row["met"]) for row in found}, output.getvalue()

    def test_medians_and_bounds(self):
        found, output = self.verdicts({
            "fib 1": [9, 0.0000125, 0], "fib 2": [0.00000625], "uts serial": [0.92], "uts 1": [1, 1, 7],
            "uts 2": [0.5], "uts 8": [0.66]})
        self.assertEqual(len(found), 5)
        value, met = found["fib(34), 1 rank: ns per fork + join"]
        self.assertAlmostEqual(value, 12.5)
        self.assertTrue(met)
        self.assertEqual(found["fib(34), 2 ranks: speed / 1 rank's"], (2, True))
        self.assertEqual(found["UTS, 1 rank: speed / serial's"], (0.92, False))
        self.assertEqual(found["UTS, 2 ranks: speed / 1 rank's"], (2, True))
        self.assertEqual(found["UTS, 8 ranks: time / 2 ranks'"], (1.32, False))
        self.assertEqual(output.count("MISSED"), 2)

    def test_mpi_is_measured_where_it_was_run(self):
        found, _ = self.verdicts({"fib mpi 1": [1.6], "fib mpi 2": [1]})
        self.assertEqual(found, {"fib(34), mpirun -n 2: speed / -n 1's": (1.6, False)})


class SummaryTest(unittest.TestCase):
    def test_medians_with_least_and_most(self):
        runs = [{"seconds": s, "metrics": {"spawns": n, "none": 0, "rma": {"get": n}}} for s, n in ((3, 5), (1, 9), (8, 2))]
        found = compare.summary(runs)
        self.assertEqual(found, {
            "runs": 3, "seconds": {"median": 3, "min": 1, "max": 8},
            "metrics": {"spawns": {"median": 5, "min": 2, "max": 9}}})
        text = compare.as_text(found)
        self.assertEqual(json.loads(text), found)
        self.assertIn('"seconds": {"median": 3, "min": 1, "max": 8},\n', text)


class RunTest(unittest.TestCase):
    def setUp(self):
        patches = mock.patch.multiple(compare, SERIAL="bench/serial", CONT_GREEDY="bench/cont_greedy")
        patches.start()
        self.addCleanup(patches.stop)

    def test_tiny(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            arguments = ["--repeat=2", "--fib=12", "--uts=--depth=4", "--mpi=none", "--out=" + path]
            with contextlib.redirect_stdout(io.StringIO()) as output:
                status = compare.main(arguments)
            with open(path) as file:
                written = json.load(file)
        self.assertEqual(output.getvalue().count(" median "), 6)
        self.assertEqual(len(written["verdicts"]), 5)
        self.assertEqual(status, 0 if all(row["met"] for row in written["verdicts"]) else 1)
        self.assertEqual(written["command"], "bench/compare.py " + " ".join(arguments))
        for system in written["systems"]:
            self.assertEqual(system["runs"], 2)
            self.assertIn(" fib " if "fib" in system["name"] else " uts ", system["command"])
            self.assertLessEqual(system["seconds"]["min"], system["seconds"]["median"])

    def test_tables_for_a_document(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            compare.main(["--repeat=2", "--fib=12", "--uts=--depth=4", "--mpi=none", "--markdown"])
        head, first, second = output.getvalue().split("\n\n")
        self.assertRegex(head, r", \d+ cores:$")
        self.assertEqual([len(table.splitlines()) for table in (first, second)], [2 + 5, 2 + 6])
        self.assertIn("| `bench/cont_greedy fib --n=12 --ranks=2 --json` | ", second)
        for table in (first, second):
            self.assertEqual(len({line.count("|") for line in table.splitlines()}), 1)

    def test_only(self):
        with contextlib.redirect_stdout(io.StringIO()) as output:
            compare.main(["--repeat=1", "--fib=12", "--mpi=none", "--only=ns per"])
        self.assertEqual(output.getvalue().count(" median "), 1)

    def test_failures_end_it(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
            compare.main(["--repeat=1", "--fib=91", "--mpi=none"])
        self.assertEqual(end.exception.code, 1)
        self.assertIn("exit status 2 from: bench/", errors.getvalue())

    def test_bad_flags(self):
        with contextlib.redirect_stderr(io.StringIO()):
            self.assertEqual(compare.main(["--only=nonsense"]), 2)
            with self.assertRaises(SystemExit) as end:
                compare.main(["--repeat=0"])
        self.assertEqual(end.exception.code, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
