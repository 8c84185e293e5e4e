"""Tests the demo on made-up runs: what it runs, counts, prints, keeps and refuses."""

import re
import shlex
import unittest
from unittest import mock

import jobs
import main
import menu
import runs
import tables
import testing
from program_checks import run_main


class DemoTest(testing.DemoCase):

    def test_a_row(self):
        status, lines, _ = self.demo("--programs=fib", "--runtimes=cont_greedy", "--no_plots")
        self.assertEqual(status, 0)
        self.assertIn("fib(32) on 2 processes of this machine: 2178309", lines)
        # One rank, ns a spawn, all ranks, their interval, speed-up, efficiency, steals, joins, operations.
        self.assertEqual(self.rows(lines)["cont_greedy"],
                         ["1,000", "0.0", "500", "500", "500", "2.00", "1.00", "5", "2.5", "3", "1.5", "18"])
        self.assertEqual(self.rows(lines)["serial"], ["1,000"])

    def test_a_spawn_takes_no_time_below_zero(self):
        def faster(command):
            report = testing.made_up_report(command)
            return dict(report, seconds=0.9 * report["seconds"]) if "cont_greedy" in command[0] else report

        _, lines, _ = self.demo("--programs=fib", "--runtimes=cont_greedy", "--no_plots", report=faster)
        self.assertEqual(self.rows(lines)["cont_greedy"][:2], ["900", "450"])

    def test_each_runtime_runs_what_it_can(self):
        names = [each.name for each in menu.MENU + menu.VARIANTS]
        status, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=all", "--runtimes=" + ",".join(names))
        self.assertEqual(status, 0)
        self.assertEqual(set(self.rows(lines)) - {"runtime"}, set(names))
        self.assertEqual({menu.BINARIES + target.partition(":")[2] for target in self.built},
                         {command[0] for command in self.commands})
        printed = "\n".join(lines)
        for name in menu.MEMORY:
            self.assertIn("%s is left out: it %s." % (name, menu.MEMORY[name]), printed)
        self.assertLess(max(len(line) for line in lines), 121)

    def test_a_first_table_of_two_runtimes(self):
        _, _, errors = self.demo("--repeat=4", "--no_plots", "--programs=uts")
        self.assertEqual(self.built[:2], ["//bench:cont_greedy", "//bench:serial"])
        first = [["bazel-bin/bench/serial", "--ranks=1"], ["bazel-bin/bench/cont_greedy", "--ranks=1"],
                 ["bazel-bin/bench/cont_greedy", "--ranks=2"]]
        self.assertEqual([[command[0], command[-2]] for command in self.commands[:9]], first * 3)
        self.assertIn("running UTS T1, shm ...", errors)

    def test_runs_take_turns(self):
        self.demo("--repeat=2", "--no_plots", "--programs=bpc", "--runtimes=pool_sws")
        turn = ["pool_serial", "pool_sws", "pool_sws"]
        self.assertEqual([command[0].rpartition("/")[2] for command in self.commands], turn * 2)

    def test_managers_are_ranks_of_their_own_on_this_machine(self):
        _, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=bpc", "--runtimes=pool_glb_hybrid", "--ranks=4")
        self.assertEqual([menu.ranks_of(command) for command in self.commands], [1, 1, 5])
        self.assertIn("(pool_glb_hybrid) has one process more", " ".join(lines))

    def test_other_networks(self):
        self.demo("--repeat=3", "--no_plots", "--programs=bpc", "--runtimes=pool_sws", "--backend=sim",
                  "--net=wisteria_o", "--ranks=1728")
        shown = sorted(shlex.join(command) for command in self.commands)
        flags = "bpc --consumer_us=100 --producer_us=20 --net=wisteria_o --ranks="
        self.assertEqual(shown, ["bazel-bin/bench/pool_serial_sim %s1 --json" % flags,
                                 "bazel-bin/bench/pool_sws_sim %s1 --json" % flags] + [
            "bazel-bin/bench/pool_sws_sim %s1728 --victim_seed=%d --json" % (flags, seed) for seed in (1, 2, 3)])
        self.demo("--repeat=1", "--no_plots", "--programs=bpc", "--runtimes=pool_sws", "--backend=mpi")
        self.assertIn("--ranks=2", self.commands[-1])
        self.assertIn("bazel-bin/bench/pool_sws_mpi", self.commands[-1])
        self.assertEqual(self.commands[0][0], "bazel-bin/bench/pool_serial")

    def test_a_runtime_of_ones_own(self):
        status, lines, _ = self.demo("--programs=fib,bpc", "--runtimes=cont_greedy,mine=%s" % self.own(), "--no_plots")
        self.assertEqual(status, 0)
        self.assertEqual(self.rows(lines)["mine"], self.rows(lines)["cont_greedy"])
        self.assertEqual([line for line in lines if "BPC" in line],
                         ["BPC is left out: it is a program for pools, and none is among the chosen ones."])

    def test_a_wrong_result_and_a_failed_run(self):
        def wrong(command):
            report = testing.made_up_report(command)
            return dict(report, result={"nodes": 1}) if command[0].endswith("child_rtc") else report

        status, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=fib", report=wrong)
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[0] for line in lines if line.endswith("WRONG")], ["child_rtc"])

        def failed(command):
            broken = command[0].endswith("child_rtc")
            return {"failed": "exit status 3: no memory"} if broken else testing.made_up_report(command)

        status, lines, errors = self.demo("--repeat=2", "--no_plots", "--programs=fib", report=failed)
        self.assertEqual(status, 1)
        self.assertIn("demo: failed: bazel-bin/bench/child_rtc fib --n=32 --ranks=1 --json: exit status 3: no memory",
                      errors)
        # It was not tried again.
        self.assertEqual(sum("child_rtc" in command[0] for command in self.commands), 2)

    def test_a_busy_machine_is_told(self):
        for others, told in ((0.04, 0), (0.2, 2)):
            _, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=fib", others=others)
            self.assertEqual(sum("took 20 % of the processors' time" in line for line in lines), told)
        with mock.patch("builtins.open", mock.mock_open(read_data="cpu 900 100 300 5000 70 10 20 170 0 0\n")), \
                mock.patch.multiple(jobs.os, times=lambda: (1, 2, 3, 4, 99), sysconf=lambda _: 100):
            self.assertEqual(jobs.processor_time()[1], 15 - 10)

    def test_an_interruption_keeps_what_was_measured(self):
        flags = ("--repeat=2", "--no_plots", "--programs=bpc,tsp", "--runtimes=pool_sws")

        def interrupted(command):
            if len(self.commands) >= 8:
                raise KeyboardInterrupt
            return testing.made_up_report(command)

        status, lines, errors = self.demo(*flags, report=interrupted)
        self.assertEqual(status, 130)
        self.assertIn("BPC on 2 processes", "\n".join(lines))
        self.assertEqual(errors[-1], "demo: interrupted")

    def test_an_interruption_of_anything_ends_in_words(self):
        for where in ("build", "first_table", "check_machine", "write_report"):
            with self.subTest(where=where), testing.made_up_runs(), \
                    mock.patch.object(main.subprocess, "call", return_value=0), \
                    mock.patch.object(main, where, side_effect=KeyboardInterrupt):
                status, _, errors = run_main(main.main, "--out=" + self.folder, "--programs=fib", "--repeat=1")
                self.assertEqual(status, 130)
                self.assertRegex(errors, "demo: interrupted\n$")

    def test_packages_are_missed_before_anything_runs(self):
        self.assertEqual(self.demo("--programs=bpc", "--repeat=1", packages=False), (2, [], [
            "demo: plots need matplotlib (third_party/setup.sh report); --no_plots does without"]))
        self.assertEqual(self.demo("--programs=bpc", "--repeat=1", "--no_plots", packages=False)[0], 0)

    def test_terminals(self):
        """Beside a bar of one line stand the same tables, whose numbers are whole; a dumb one is told what runs."""
        flags = ["--programs=fib", "--runtimes=cont_greedy", "--no_plots", "--repeat=40"]
        wanted = self.rows(self.demo(*flags)[1])
        for columns, term in (("120", "xterm"), ("80", "xterm"), ("80", "dumb")):
            text, lines = self.on_terminal(*flags, COLUMNS=columns, TERM=term)
            self.assertLessEqual(wanted.items(), self.rows(lines).items())
            is_dumb = term == "dumb"
            self.assertEqual(("running fib(32), shm ..." in lines, "\x1b" in text), (is_dumb, not is_dumb))
            bars = [line for line in lines if re.match("fib.* left ", line)]
            self.assertEqual((bars == [], any("120/120" in bar for bar in bars)), (is_dumb, not is_dumb))
            self.assertLessEqual(max(map(len, bars), default=0), int(columns))

    def test_the_title_says_what_is_a_preview(self):
        _, lines, _ = self.demo("--programs=fib", "--repeat=5", "--runtimes=cont_greedy,child_rtc", "--no_plots")
        titles = [line for line in lines if "fib(32) on" in line]
        self.assertEqual(titles, ["Preview, 3 runs each. fib(32) on 2 processes of this machine: 2178309",
                                  "fib(32) on 2 processes of this machine: 2178309"])
        with testing.made_up_runs() as build:
            run_main(main.main, "--out=" + self.folder, "--programs=fib", "--runtimes=serial", "--no_plots")
        self.assertEqual(build.call_args_list[0].args[1], "serial")


class MedianTest(unittest.TestCase):

    def test_intervals_by_order_statistics(self):
        self.assertEqual(runs.median([3, 1, 2]), (2, None))
        self.assertEqual(runs.median(range(6)), (2.5, (0, 5)))
        self.assertEqual(runs.median(range(8)), (3.5, (0, 7)))
        # As in tables of the sign test.
        self.assertEqual(runs.median(range(9)), (4, (1, 7)))
        self.assertEqual(runs.median(range(20)), (9.5, (5, 14)))
        self.assertEqual([runs.interval(count) for count in (5, 7, 9)], [(0, 0), (1, 1 - 2 / 128), (2, 1 - 20 / 512)])

    def test_the_legend_says_what_the_interval_is(self):
        self.assertEqual(tables.confidence(5), "")
        self.assertIn("; from, to: the shortest and the longest of these times, between which the median lies "
                      "with 98.4 % confidence", tables.confidence(7))
        self.assertIn("number 2 from either end of these times, between which the median lies with 96.1 %",
                      tables.confidence(9))


class NumberTest(unittest.TestCase):

    def test_three_digits(self):
        self.assertEqual([tables.number(value, 2) for value in (None, 0.0, 0.994, 9.99, 9.999, 12.34, 123.4, 12345.6)],
                         ["", "0.00", "0.99", "9.99", "10.00", "12.3", "123", "12,346"])
        self.assertEqual([tables.number(value, 0) for value in (5.4, 1234.0)], ["5", "1,234"])
