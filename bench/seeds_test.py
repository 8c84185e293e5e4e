#!/usr/bin/env python3
"""Tests seeds.py on tiny inputs: its table, its file, its refusals."""

import contextlib
import io
import json
import os
import pathlib
import statistics
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import seeds

BINARIES = ["bench/pool_sdc_sim", "bench/pool_sws_sim"]


class SeedsTest(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            with contextlib.redirect_stdout(io.StringIO()) as output:
                seeds.main(["--net=lotus", "--ranks=4,40", "--program=nqueens --n=8 --cutoff=2", "--seeds=3",
                            "--binaries=" + ",".join(BINARIES), "--out=" + path])
            with open(path) as file:
                runs = json.load(file)["runs"]
        rows = [line.split() for line in output.getvalue().splitlines()[2:]]
        self.assertEqual([row[:2] for row in rows],
                         [[ranks, runtime] for ranks in ("4", "40") for runtime in ("pool_sdc", "pool_sws")])
        self.assertEqual(len(runs), 2 + 2 * 2 * 3)
        for ranks, runtime, *cells in rows:
            [one] = [r for r in runs if (r["runtime"], r["ranks"]) == (runtime, 1)]
            those = [r for r in runs if (r["runtime"], r["ranks"]) == (runtime, int(ranks))]
            self.assertEqual([r["seed"] for r in those], [1, 2, 3])
            self.assertGreater(len({r["seconds"] for r in those}), 1)
            wanted = []
            for values, form in (
                    ([r["seconds"] for r in those], "%.5f"),
                    ([100 * one["seconds"] / (int(ranks) * r["seconds"]) for r in those], "%.1f"),
                    ([1000 * r["steal_time_s"] / int(ranks) for r in those], "%.3f"),
                    ([1000 * r["search_time_s"] / int(ranks) for r in those], "%.3f"),
                    ([r["steals_ok"] for r in those], "%d")):
                middle, least, most = statistics.median(values), min(values), max(values)
                wanted += [form % middle, "(%s..%s)" % (form % least, form % most)]
            self.assertEqual(cells, wanted)

    def test_refusals(self):
        for bad in ("--ranks=x", "--seeds=0", "--jobs=-1"):
            with self.subTest(bad=bad), contextlib.redirect_stderr(io.StringIO()) as errors, \
                    self.assertRaises(SystemExit) as end:
                seeds.main(["--net=lotus", "--ranks=2", bad])
            self.assertEqual(end.exception.code, 2)
            self.assertIn(bad, errors.getvalue())

    def test_failures_end_it(self):
        with contextlib.redirect_stdout(io.StringIO()), self.assertRaises(SystemExit) as end:
            seeds.main(["--net=lotus", "--ranks=2", "--binaries=" + BINARIES[0], "--program=nqueens --n=21"])
        self.assertIn("exit status 2", str(end.exception.code))


if __name__ == "__main__":
    unittest.main(verbosity=2)
