"""Tests the subcommands of bench/measure.py that run simulated machines: tables, files, comparisons, refusals."""

import json
import re
import statistics
import sys
import unittest
from unittest import mock

from measuring import sensitivity, shared
from measuring.testing import cells_of, ended, kept, printed
from program_checks import folder_of


def spread(values, form):
    middle, least, most = (form % f(values) for f in (statistics.median, min, max))
    return "%s (%s to %s)" % (middle, least, most)


class ScalingTest(unittest.TestCase):
    def test_table_and_file(self):
        program = "uts --tree=T1 -d 7 --fork=every_child"
        output, written = kept("scaling", "--binaries=bench", "--net=ito_a", "--program=" + program, "--ranks=1,4,40")
        rows = cells_of(output)
        serial, *runs = written["runs"]
        self.assertEqual(serial["runtime"], "serial")
        self.assertEqual([row[0] for row in rows], ["1", "4", "40"])
        self.assertEqual([run["ranks"] for run in runs], [1, 4, 40])
        self.assertEqual([run["machine"] for run in runs], ["ito_a"] * 3)
        self.assertEqual(rows[0][4], "100.0")
        for run, row in zip(runs, rows):
            self.assertEqual(row[4], "%.1f" % (100 * runs[0]["seconds"] / (run["ranks"] * run["seconds"])))
        self.assertIn("%s --victim_seed=1 --net=ito_a --ranks=40" % program, runs[2]["command"])
        self.assertTrue(written["command"].startswith("bench/measure.py scaling --binaries=bench "))

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

    def test_seeds(self):
        output, written = kept("scaling", "--net=lotus", "--ranks=4,40", "--program=nqueens --n=8 --cutoff=2",
                               "--seeds=3", "--runtimes=pool_sdc,bench/pool_sws_sim", "--binaries=bench")
        serial, *runs = written["runs"]
        self.assertEqual(serial["runtime"], "pool_serial")
        self.assertEqual(len(runs), 2 + 2 * 2 * 3)
        rows = cells_of(output)
        self.assertEqual([row[:2] for row in rows],
                         [[ranks, runtime] for ranks in ("1", "4", "40") for runtime in ("pool_sdc", "pool_sws")])
        for row in rows[2:]:
            ranks, runtime = int(row[0]), row[1]
            [one] = [run for run in runs if (run["runtime"], run["ranks"]) == (runtime, 1)]
            those = [run for run in runs if (run["runtime"], run["ranks"]) == (runtime, ranks)]
            self.assertEqual([re.search("--victim_seed=(.)", run["command"])[1] for run in those], ["1", "2", "3"])
            self.assertGreater(len({run["seconds"] for run in those}), 1)
            self.assertEqual(row[2], spread([run["seconds"] for run in those], "%.6f"))
            self.assertEqual(row[4], spread([100 * one["seconds"] / (ranks * run["seconds"]) for run in those], "%.1f"))
            self.assertEqual(row[7], spread([run["metrics"]["steals_ok"] for run in those], "%d"))
            for column, name in ((10, "steal_time_s"), (11, "search_time_s")):
                self.assertEqual(row[column], spread([1000 * run["metrics"][name] / ranks for run in those], "%.3f"))
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
        for bad in ("--seeds=0", "--jobs=-1"):
            ended(self, 2, bad + ": must be", "scaling", "--net=lotus", "--ranks=2", bad)
        ended(self, 2, "--nothing", "scaling", "--net=lotus", "--ranks=2", "--nothing")
        for program, runtime in (("fib --n=91", "cont_greedy"), ("nqueens --n=21", "pool_sdc")):
            ended(self, 1, "exit status 2", "scaling", "--binaries=bench", "--net=lotus", "--ranks=2",
                  "--program=" + program, "--runtimes=" + runtime)


HELP = ("Changes: latency, node_size, overhead, atomic_server, idle, uts_node. More --backoff=N longest pause "
        "(1 to 1048576; default: 10) --x=N (1 to 2; default: 7)")


def fake_run(command):
    """The serial program takes 8 s. On R ranks it is 8 s / R and 1 s of overhead, of which tenths are in
    proportion to `overhead`, to `idle` and to the back-off, and a hundredth more with each seed of victims."""

    text = " ".join(command)

    def number(pattern, default):
        found = re.search(pattern, text)
        return int(found[1]) if found else default

    ranks = number("--ranks=([0-9]+)", 0)
    seconds = 8 * number(",uts_node=([0-9]+)%", 100) / 100 / ranks
    if "serial" not in command[0]:
        seconds += 0.7 + (number(",overhead=([0-9]+)%", 100) + number(",idle=([0-9]+)%", 100)) / 1000
        seconds += number("--backoff=([0-9]+)", 10) / 100 + (number("--victim_seed=([0-9]+)", 1) - 1) / 100
    return {"ranks": ranks, "seconds": seconds, "command": text}


class SensitivityTest(unittest.TestCase):
    def setUp(self):
        for patch in (mock.patch.object(shared, "run", fake_run),
                      mock.patch.object(sensitivity, "help_of", lambda options: HELP)):
            patch.start()
            self.addCleanup(patch.stop)

    def test_all_that_is_assumed(self):
        output, written = kept("sensitivity", "--nets=ito_a", "--program=fib")
        self.assertIn("\nfib on ito_a\n", output)
        self.assertIn("| overhead | 576: 1000.000 ms |  | 2304: 1000.000 ms |  |\n", output)
        # Overheads in proportion to a tenth of the figure.
        tenth = ["-2.0 %", "+2.0 %"] * 2
        self.assertEqual(cells_of(output), [[""] + ["-20 %", "+20 %"] * 2, ["overhead"] + tenth, ["idle"] + tenth,
                                            ["backoff"] + tenth, ["chance"] + ["+1.0 %", "+2.0 %"] * 2])
        # Runs with those of the serial program: unchanged, and on four changed machines.
        runs = written["runs"]
        self.assertEqual(len(runs), 2 * 9 + 5)
        self.assertEqual({run["figure"] for run in runs}, {"", "overhead", "idle", "backoff", "chance"})
        for run in runs:
            if run["change"] == "-20 %" and run["seed"] > 0:
                self.assertAlmostEqual(run["seconds"], 0.98 + 8 / run["ranks"])
                self.assertRegex(run["command"], "--backoff=8 " if run["figure"] == "backoff" else "=80%")

    def test_others_where_they_are_asked_for(self):
        # The serial program runs on the changed machine, too.
        output = printed("sensitivity", "--nets=fx10,lotus", "--ranks=2", "--keys=uts_node", "--program=fib", "--jobs=1")
        self.assertEqual(cells_of(output)[1], ["uts_node", "+0.0 %", "+0.0 %"])
        self.assertEqual(re.findall("fib on .*", output), ["fib on fx10", "fib on lotus"])

    def test_means(self):
        # 1, 1.01 and 1.02 s; then 1.03 to 1.05 and 1.06 to 1.08.
        output = printed("sensitivity", "--nets=ito_a", "--ranks=10", "--seeds=3", "--keys=idle", "--program=fib")
        self.assertIn("| 10: 1010.000 ms |", output)
        self.assertEqual(cells_of(output)[1:], [["idle", "-2.0 %", "+2.0 %"], ["chance", "+3.0 %", "+5.9 %"]])

    def test_goes_on(self):
        arguments = ["sensitivity", "--nets=ito_a", "--ranks=10", "--keys=idle", "--program=fib", "--jobs=1"]
        path = folder_of(self) / "out.json"
        more = arguments + ["--out=%s" % path]
        left = iter(range(5))
        with mock.patch.object(shared, "run", lambda command: sys.exit("no more") if next(left, None) is None
                               else fake_run(command)):
            ended(self, 1, "no more", *more)
        with mock.patch.object(shared, "run", side_effect=fake_run) as run:
            output = printed(*more, "--resume")
        # One run of the serial program and one on 10 ranks, twice for idle; two more seeds.
        self.assertEqual(run.call_count, 8 - 5)
        self.assertEqual(output, printed(*arguments))
        # If nothing is left to run, the file has this call's runs, too.
        written = json.loads(path.read_text())
        self.assertEqual(written["command"], "bench/measure.py " + " ".join(more))
        path.write_text(json.dumps({"runs": written["runs"] + [{**written["runs"][0], "command": "another"}]}))
        printed(*more, "--resume")
        self.assertEqual(json.loads(path.read_text()), written)

    def test_goes_on_with_its_own_file_only(self):
        path = folder_of(self) / "out.json"
        for content in (None, "", "[]", '{"runs": [{"ranks": 1}]}', '[{"command": "x", "seconds": 1}]'):
            if content is not None:
                path.write_text(content)
            ended(self, 2, "--out=%s must be the file" % path, "sensitivity", "--resume", "--out=%s" % path)

    def test_refusals(self):
        for bad in ("--nets=fx10", "--ranks=0", "--jobs=0", "--seeds=0", "--keys=atomic_server", "--resume"):
            ended(self, 2, bad + ": ", "sensitivity", bad)


class SensitivityOfProgramsTest(unittest.TestCase):
    ARGUMENTS = ["sensitivity", "--binaries=bench", "--nets=ito_a", "--ranks=40", "--keys=overhead,backoff"]

    def test_small(self):
        rows = cells_of(printed(*self.ARGUMENTS, "--program=uts --tree=T1 -d 6 --fork=every_child"))[1:]
        self.assertEqual([row[0] for row in rows], ["overhead", "backoff", "chance"])
        for row in rows:
            # Runs on another machine, with other pauses or other victims are other runs.
            self.assertNotEqual(row[1:], ["+0.0 %", "+0.0 %"])

    def test_a_failure_ends_it(self):
        ended(self, 1, "exit status 2 from: bench/", *self.ARGUMENTS, "--program=fib --n=91")
