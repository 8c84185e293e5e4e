"""Tests the subcommands of bench/measure.py that run simulated machines: tables, files, comparisons, refusals."""

import re
import unittest

from measuring.shared import spread
from measuring.testing import cells_of, ended, kept, printed


class ScalingTest(unittest.TestCase):
    def test_overhead(self):
        # 550 us of work: 110 nodes of 5 us. The serial program's forks are free.
        for program, forks in (("uts -t balanced -d 2 -b 10 --fork=every_child", 99),
                               ("uts -t balanced -d 2 -b 10 --fork=inline_leaves", 9),
                               ("pfor --n=100 --loops=1 --iteration_ns=5500", 99)):
            rows = cells_of(printed("scaling", "--binaries=bench", "--net=custom,spawn=10us,join=30us,uts_node=5us",
                                    "--ranks=3", "--program=" + program))
            self.assertAlmostEqual(float(rows[0][5]), forks * 0.040, delta=0.001)
            for row in rows:
                milliseconds = 1000 * float(row[2])
                beyond = milliseconds - 0.550 / int(row[0])
                self.assertAlmostEqual(float(row[5]), beyond, delta=0.002)
                self.assertAlmostEqual(float(row[6]), 100 * beyond / milliseconds, delta=0.1)

    def test_machines(self):
        nets = ["ito_a", "ito_a,spawn=200%"]
        output, written = kept("scaling", "--binaries=bench", "--ranks=4", "--program=pfor --n=64", "--net", *nets)
        self.assertEqual(re.findall("pfor --n=64 on .*", output), ["pfor --n=64 on " + net for net in nets])
        self.assertEqual([run["machine"] for run in written["runs"]], [nets[0]] * 3 + [nets[1]] * 3)
        unchanged, changed = (float(cells_of(output)[at][5]) for at in (1, 3))
        self.assertGreater(changed, unchanged)

    def test_seeds(self):
        output, written = kept("scaling", "--net=lotus", "--ranks=1,4,40", "--program=nqueens --n=8 --cutoff=2",
                               "--seeds=3", "--runtimes=pool_sdc,bench/pool_sws_sim", "--binaries=bench")
        serial, *runs = written["runs"]
        self.assertEqual(serial["runtime"], "pool_serial")
        self.assertEqual(len(runs), 2 + 2 * 2 * 3)
        self.assertTrue(written["command"].startswith("bench/measure.py scaling --net=lotus "))
        rows = cells_of(output)
        self.assertEqual([row[:2] for row in rows],
                         [[ranks, runtime] for ranks in ("1", "4", "40") for runtime in ("pool_sdc", "pool_sws")])
        for row in rows[2:]:
            ranks, runtime = int(row[0]), row[1]
            [one] = [run for run in runs if (run["runtime"], run["ranks"]) == (runtime, 1)]
            those = [run for run in runs if (run["runtime"], run["ranks"]) == (runtime, ranks)]
            self.assertEqual([re.search("--victim_seed=(.)", run["command"])[1] for run in those], ["1", "2", "3"])
            self.assertGreater(len({run["seconds"] for run in those}), 1)
            self.assertEqual(row[2], spread([run["seconds"] for run in those], "{:.6f}"))
            self.assertEqual(row[4], spread([100 * one["seconds"] / (ranks * run["seconds"]) for run in those], "{:.1f}"))
            self.assertEqual(row[7], spread([run["metrics"]["steals_ok"] for run in those], "{}"))
            self.assertEqual(row[9], spread([run["metrics"]["steal_latency_ns"] / 1000 for run in those], "{:.2f}"))
            for column, name in ((10, "steal_time_s"), (11, "search_time_s")):
                self.assertEqual(row[column], spread([1000 * run["metrics"][name] / ranks for run in those], "{:.3f}"))
            self.assertEqual(row[12:15], [""] * 3)

    def test_joins_and_stacks(self):
        output, written = kept("scaling", "--binaries=bench", "--net=ito_a", "--ranks=4", "--runtimes=cont_greedy,child_rtc",
                               "--program=pfor --recursive --n=64")
        serial, *runs = written["runs"]
        self.assertEqual(serial["runtime"], "serial")
        for row, run in zip(cells_of(output), runs):
            metrics, several = run["metrics"], run["ranks"] > 1
            self.assertEqual(row[12], "%.2f" % (metrics["outstanding_joins"] / metrics["steals_ok"]) if several else "")
            self.assertEqual(row[13], "{:,.1f}".format(metrics["outstanding_join_time_ns"] / 1000))
            self.assertEqual(row[14], "1" if run["runtime"] == "child_rtc" else "")

    def test_refusals_and_failures(self):
        for bad in ("x", "", "0", "3,-1"):
            ended(self, 2, "--ranks=%s: must be numbers from 1" % bad, "scaling", "--net=ito_a", "--ranks=" + bad)
        ended(self, 2, "--seeds=0: must be", "scaling", "--net=lotus", "--ranks=2", "--seeds=0")
        ended(self, 2, "--nothing", "scaling", "--net=lotus", "--ranks=2", "--nothing")
        for program, runtime in (("fib --n=91", "cont_greedy"), ("nqueens --n=21", "pool_sdc")):
            ended(self, 1, "exit status 2", "scaling", "--binaries=bench", "--net=lotus", "--ranks=2",
                  "--program=" + program, "--runtimes=" + runtime)
