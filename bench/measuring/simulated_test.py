"""Tests the subcommands of bench/measure.py that run simulated machines: tables, files, comparisons, refusals; and how
extract.py reads a log."""

import json
import re
import statistics
import sys
import tempfile
import unittest
from unittest import mock

import measure
from measuring import places, sensitivity, shared, table2
from measuring.testing import cells_of, ended, kept, printed
from program_checks import folder_of
from published import extract


def spread(values, form):
    middle, least, most = (form % f(values) for f in (statistics.median, min, max))
    return "%s (%s to %s)" % (middle, least, most)


def printed_again(subcommand, written, times=1):
    """What --table= prints of a file, which is named as often."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(written if isinstance(written, str) else json.dumps(written))
        file.flush()
        return printed(subcommand, "--table=" + ",".join([file.name] * times))


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

    def test_refusals_and_failures(self):
        for bad in ("x", "", "0", "3,-1"):
            ended(self, 2, "--ranks=%s: must be numbers from 1" % bad, "scaling", "--net=ito_a", "--ranks=" + bad)
        for bad in ("--seeds=0", "--jobs=-1"):
            ended(self, 2, bad + ": must be", "scaling", "--net=lotus", "--ranks=2", bad)
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


LOG = """
[%d] %d ns ( #tasks: 9 work: 1 ns span: 2 ns busy: 3.0 %% )
  join_outstanding        :   0.1 %% (  %d ns /   900 ns ) count:  %d ave:  1 ns
  steal_success           :   0.1 %% (  30000 ns /   900 ns ) count:  10 ave:  1 ns
  steal_fail              :   0.1 %% (  8000 ns /   900 ns ) count:  4 ave:  1 ns
  steal_task_copy         :   0.1 %% (  50000 ns /   900 ns ) count:  10 ave:  1 ns
  steal_task_size         :     160 bytes (  1600 /  10 )
"""
METRICS = dict(outstanding_joins=9, outstanding_join_time_ns=2000, steals_ok=4, steal_latency_ns=3000, steals_failed=5,
               search_time_s=1e-5, stolen_bytes=400, task_copy_ns=0)


class Table2Test(unittest.TestCase):
    def test_table_and_file(self):
        arguments = ["table2", "--recpfor=64", "--pfor=100", "--lcs=1024", "--ranks=4", "--seeds=3", "--binaries=bench",
                     "--runtimes=cont_greedy,cont_stalling_system,child_rtc"]
        table, written = kept(*arguments)
        lines = "".join(json.dumps(run) + "\n" for run in written["runs"])
        self.assertEqual([printed_again("table2", each) for each in (written, lines)], [table] * 2)
        self.assertEqual(len(cells_of(printed_again("table2", written, 2))), 2 * 9)
        rows = cells_of(table)
        self.assertEqual([row[:3] for row in rows],
                         [[size, "`%s`" % runtime, "simulated"] for size in ("recpfor 64", "pfor 100", "lcs 1024")
                          for runtime in ("cont_greedy", "cont_stalling_system", "child_rtc")])
        for at, row in enumerate(rows):
            runs = written["runs"][3 * at:3 * at + 3]
            self.assertEqual(len(row), 3 + len(table2.COLUMNS))
            self.assertEqual(row[3], spread([run["seconds"] for run in runs], "%.4g"))
            for run in runs:
                self.assertEqual(run["params"].get("iteration_ns", 10115), 10115)
                self.assertIn("--backoff=1 --victim_seed=", run["command"])

    def test_joins_are_counted_as_there(self):
        def counted(runtime="child_rtc", **more):
            return table2.simulated({"runtime": runtime, "seconds": 1.5, "metrics": dict(METRICS, **more)})[1:5]

        self.assertEqual(counted(), [9, 2, 9, 2])
        self.assertEqual(counted(outstanding_joins_elsewhere=7), [9, 2, 7, 2])
        self.assertEqual(counted("cont_greedy", die_losers=8, die_losers_ns=8000), [9, 2, 8, 1])
        self.assertEqual(counted("cont_greedy", die_losers=8), [9, 2, 8, None])
        self.assertEqual(table2.simulated({"runtime": "child_rtc", "seconds": 1.5, "metrics": METRICS})[5:],
                         [4, 3, 5, 2, 100, None])

    def test_published_beside_simulated(self):
        run = {"program": "pfor", "params": {"n": 7, "recursive": True}, "runtime": "cont_stalling", "seconds": 1.5,
               "metrics": dict(METRICS, task_copy_ns=1000)}
        there = dict(benchmark="recpfor", n=7, build="waitq_gc", seconds=1.6, outstanding_joins=6, steals=4)
        rows = table2.rows([run], {"raw": [there], "printed": [dict(there, seconds=3.0, steal_us=2.0)]})
        self.assertEqual([row[2:6] + row[8:10] for row in rows], [
            ["raw", "1.6", "", "", "4", ""], ["printed", "3", "", "", "4", "2.0"],
            ["simulated", "1.5 (-6 %)", "9", "2.0", "4 (+0 %)", "3.0 (**+50 %**)"]])
        self.assertEqual(rows[2][6], "9 (**+50 %**)")
        [row, _] = table2.rows([run], {"raw": [dict(there, unprofiled_seconds=1.4)], "printed": []})
        self.assertEqual(row[3], "1.6 (without profile 1.4)")
        for other in (dict(there, n=8), dict(there, benchmark="pfor"), dict(there, build="waitq")):
            self.assertEqual(len(table2.rows([run], {"raw": [other], "printed": []})), 1)

    def test_what_is_published(self):
        there = json.loads(table2.PUBLISHED.read_text())
        self.assertEqual(len(there["raw"]), 5 * (10 + 8) + 2)
        self.assertEqual({row["build"] for row in there["raw"]}, set(table2.BUILDS.values()))
        self.assertLessEqual(set(measure.parser().parse_args(["table2"]).runtimes), set(table2.BUILDS))
        [row] = [row for row in there["raw"]
                 if (row["benchmark"], row["n"], row["build"]) == ("recpfor", 2**15, "greedy_gc")]
        self.assertEqual((row["seconds"], row["steals"], row["failed_steals"]), (0.0779082, 154615, 1323700))
        self.assertEqual(row["unprofiled_seconds"], 0.074687)

    def test_refusals(self):
        for bad in ("--recpfor=x", "--pfor=0", "--lcs=,", "--seeds=0", "--ranks=0", "--runtimes=serial",
                    "--table=no/file", "--iteration_ns=0"):
            ended(self, 2, bad + ": must be", "table2", bad)

    def test_other_files_are_refused(self):
        path = folder_of(self) / "out.json"
        for content in ("", "no JSON", "[]", "3", '{"runs": 200}', '{"runs": [[{"seconds": 1}]]}', '[{"ranks": 1}]'):
            path.write_text(content)
            ended(self, 2, "--table=%s: must be a file" % path, "table2", "--table=%s" % path)

    def test_medians_over_runs_in_a_log(self):
        log = "".join(LOG % run for run in ((0, 5000000, 9000, 3), (1, 8000000, 40000, 4), (2, 6000000, 0, 0)))
        self.assertEqual(extract.medians_of(log), dict(
            seconds=0.006, outstanding_joins=3, outstanding_join_us=3, steals=10, steal_us=3, failed_steals=4,
            failed_steal_us=2, stolen_bytes=160, task_copy_us=5, runs=3))
        with self.assertRaises(SystemExit):
            extract.medians_of(log.replace("steal_fail", "steal", 1))


class RecpforTest(unittest.TestCase):
    def test_table_and_file(self):
        table, written = kept("recpfor", "--n=64,128", "--ranks=4", "--seeds=3", "--runtimes=cont_greedy",
                              "--binaries=bench")
        self.assertEqual(printed_again("recpfor", written), table)
        rows = cells_of(table)
        self.assertEqual([row[:2] for row in rows], [["64", "`cont_greedy`"], ["128", "`cont_greedy`"]])
        for at, row in enumerate(rows):
            runs = written["runs"][3 * at:3 * at + 3]
            self.assertEqual(row[2], spread([run["seconds"] for run in runs], "%.4g"))
            self.assertEqual(row[3], "{:,}".format(sorted(run["metrics"]["steals_ok"] for run in runs)[1]))

    def test_refusals(self):
        for bad in ("--n=x", "--n=0", "--seeds=0", "--ranks=0"):
            ended(self, 2, bad + ": must be", "recpfor", bad)


class PlacesTest(unittest.TestCase):
    def test_table_and_file(self):
        table, written = kept("places", "--uts=uts_any --tree=T1 -d 7", "--nqueens=nqueens --n=7 --cutoff=4", "--bc=",
                              "--tsp=", "--places=2", "--workers=2", "--seeds=3", "--binaries=bench")
        self.assertEqual(printed_again("places", written), table)
        rows = cells_of(table)
        self.assertEqual([row[:2] for row in rows],
                         [[program, who] for program in ("UTS", "NQueens")
                          for who in ["the paper"] + ["`%s`" % pool for pool in places.POOLS]])
        for at, program in enumerate(("uts_any", "nqueens")):
            row = rows[at * (len(places.POOLS) + 1) + 1]
            [serial], hybrid, sws = (
                [run for run in written["runs"] if (run["program"], run["runtime"]) == (program, pool)]
                for pool in ("pool_serial", "pool_glb_hybrid", "pool_sws"))
            self.assertEqual([run["ranks"] for run in hybrid + sws], [3] * 3 + [6] * 3 + [2] * 3 + [4] * 3)
            seconds = [run["seconds"] for run in hybrid]
            one_place = statistics.median(seconds[:3])
            self.assertEqual(row[2], spread(seconds[3:], "%.4g"))
            self.assertEqual(row[3], spread([serial["seconds"] / s for s in seconds[3:]], "%.1f"))
            self.assertEqual(row[4], spread([one_place / s for s in seconds[3:]], "%.2f"))

    def test_refusals(self):
        for bad in ("--places=0", "--seeds=x", "--workers=0", "--uts=bpc"):
            ended(self, 2, bad + ": must", "places", bad)
        ended(self, 2, "--nothing", "places", "--nothing")
