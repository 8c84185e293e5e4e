#!/usr/bin/env python3
"""Tests table2.py on tiny inputs: its tables, their comparisons, its refusals; and how extract.py reads a log."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

BENCH = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(BENCH), str(BENCH / "published")]
import extract
import table2

SMALL = ["--recpfor=64", "--pfor=100", "--lcs=1024", "--ranks=4", "--seeds=3", "--binaries=bench",
         "--runtimes=cont_greedy,cont_stalling_system,child_rtc"]
LOG = """
[%d] %d ns ( #tasks: 9 work: 1 ns span: 2 ns busy: 3.0 %% )
  join_outstanding        :   0.1 %% (  %d ns /   900 ns ) count:  %d ave:  1 ns
  steal_success           :   0.1 %% (  30000 ns /   900 ns ) count:  10 ave:  1 ns
  steal_fail              :   0.1 %% (  8000 ns /   900 ns ) count:  4 ave:  1 ns
  steal_task_copy         :   0.1 %% (  50000 ns /   900 ns ) count:  10 ave:  1 ns
  steal_task_size         :     160 bytes (  1600 /  10 )
"""


def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        table2.main(list(arguments))
    return output.getvalue()


def cells_of(table):
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]


class Table2Test(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            table = printed("--out=" + path, *SMALL)
            with open(path) as file:
                rows = json.load(file)["runs"]
            self.assertEqual(printed("--table=" + path), table)
            self.assertEqual(len(printed("--table=%s,%s" % (path, path)).splitlines()), 2 * 9 + 2)
            with open(path, "w") as file:
                file.writelines(json.dumps(run) + "\n" for runs in rows for run in runs)
            self.assertEqual(printed("--table=" + path), table)
        cells = cells_of(table)
        self.assertEqual([row[:3] for row in cells[2:]],
                         [[size, "`%s`" % runtime, "simulated"] for size in ("recpfor 64", "pfor 100", "lcs 1024")
                          for runtime in ("cont_greedy", "cont_stalling_system", "child_rtc")])
        self.assertEqual([len(runs) for runs in rows], [3] * 9)
        for row, runs in zip(cells[2:], rows):
            self.assertEqual(len(row), len(cells[0]))
            runs.sort(key=lambda run: run["seconds"])
            self.assertEqual(row[3], "%.4g (%.4g to %.4g)" % tuple(runs[i]["seconds"] for i in (1, 0, 2)))
            for run in runs:
                self.assertEqual(run["params"].get("iteration_ns", 10115), 10115)
                self.assertIn("--backoff=1 --victim_seed=", run["command"])

    def test_joins_are_counted_as_there(self):
        metrics = dict(outstanding_joins=9, outstanding_join_time_ns=2000, steals_ok=4, steal_latency_ns=3000,
                       steals_failed=5, search_time_s=1e-5, stolen_bytes=400, task_copy_ns=0)

        def counted(runtime="child_rtc", **more):
            return table2.simulated({"runtime": runtime, "seconds": 1.5, "metrics": dict(metrics, **more)})[1:5]

        self.assertEqual(counted(), [9, 2, 9, 2])
        self.assertEqual(counted(outstanding_joins_elsewhere=7), [9, 2, 7, 2])
        self.assertEqual(counted("cont_greedy", die_losers=8, die_losers_ns=8000), [9, 2, 8, 1])
        self.assertEqual(counted("cont_greedy", die_losers=8), [9, 2, 8, None])
        self.assertEqual(table2.simulated({"runtime": "child_rtc", "seconds": 1.5, "metrics": metrics})[5:],
                         [4, 3, 5, 2, 100, None])

    def test_published_beside_simulated(self):
        run = {"program": "pfor", "params": {"n": 7, "recursive": True}, "runtime": "cont_stalling", "seconds": 1.5,
               "metrics": dict(outstanding_joins=9, outstanding_join_time_ns=2000, steals_ok=4, steal_latency_ns=3000,
                               steals_failed=5, search_time_s=1e-5, stolen_bytes=400, task_copy_ns=1000)}
        there = dict(benchmark="recpfor", n=7, build="waitq_gc", seconds=1.6, outstanding_joins=6, steals=4)
        lines = table2.lines_of([run], {"raw": [there], "printed": [dict(there, seconds=3.0, steal_us=2.0)]})
        self.assertEqual([line[2:6] + line[8:10] for line in lines], [
            ["raw", "1.6", "", "", "4", ""], ["printed", "3", "", "", "4", "2.0"],
            ["simulated", "1.5 (-6 %)", "9", "2.0", "4 (+0 %)", "3.0 (**+50 %**)"]])
        [line, _] = table2.lines_of([run], {"raw": [dict(there, unprofiled_seconds=1.4)], "printed": []})
        self.assertEqual(line[3], "1.6 (without profile 1.4)")
        self.assertEqual(lines[2][6], "9 (**+50 %**)")
        for other in (dict(there, n=8), dict(there, benchmark="pfor"), dict(there, build="waitq")):
            self.assertEqual(len(table2.lines_of([run], {"raw": [other], "printed": []})), 1)

    def test_what_is_published(self):
        there = json.loads(table2.PUBLISHED.read_text())
        self.assertEqual(len(there["raw"]), 5 * (10 + 8) + 2)
        self.assertEqual({row["build"] for row in there["raw"]}, set(table2.BUILDS.values()))
        self.assertLessEqual(set(table2.RUNTIMES.split(",")), set(table2.BUILDS))
        [row] = [row for row in there["raw"]
                 if (row["benchmark"], row["n"], row["build"]) == ("recpfor", 2**15, "greedy_gc")]
        self.assertEqual((row["seconds"], row["steals"], row["failed_steals"]), (0.0779082, 154615, 1323700))
        self.assertEqual(row["unprofiled_seconds"], 0.074687)

    def test_refusals(self):
        for bad in ("--recpfor=x", "--pfor=0", "--lcs=,", "--seeds=0", "--ranks=0", "--runtimes=serial"):
            with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as exit:
                table2.main([bad])
            self.assertEqual(exit.exception.code, 2)
            self.assertIn(bad.split("=")[1], error.getvalue())


class ExtractTest(unittest.TestCase):
    def test_medians_over_runs(self):
        log = "".join(LOG % run for run in ((0, 5000000, 9000, 3), (1, 8000000, 40000, 4), (2, 6000000, 0, 0)))
        self.assertEqual(extract.medians_of(log), dict(
            seconds=0.006, outstanding_joins=3, outstanding_join_us=3, steals=10, steal_us=3, failed_steals=4,
            failed_steal_us=2, stolen_bytes=160, task_copy_us=5, runs=3))
        with self.assertRaises(SystemExit):
            extract.medians_of(log.replace("steal_fail", "steal", 1))


if __name__ == "__main__":
    unittest.main()
