#!/usr/bin/env python3
"""Tests the demo on made-up runs: what it runs, counts, prints, keeps and refuses."""

import contextlib
import io
import os
import pathlib
import random
import shlex
import sys
import tempfile
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import made_up
import main
import menu
import runs
import tables


class DemoTest(unittest.TestCase):

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def demo(self, *flags, report=made_up.report, cores=2):
        """(status, lines printed, lines of errors) of a demo whose runs are made up and that builds nothing."""
        self.commands = []

        def run_one(command):
            self.commands.append(command)
            return report(command)

        output, errors = io.StringIO(), io.StringIO()
        with mock.patch.object(runs.Runner.__init__, "__defaults__", (run_one,)), \
                mock.patch.object(main, "build") as build, mock.patch.object(main, "cores", return_value=cores), \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            try:
                status = main.main(["--out=" + self.folder.name] + list(flags))
            except SystemExit as ended:
                status = ended.code
        self.built = [target for call in build.call_args_list for target in call.args[0]]
        return status, output.getvalue().splitlines(), errors.getvalue().splitlines()

    def rows(self, lines):
        """{name: cells} of the rows of the last table with each name."""
        return {line.split()[0]: line.split()[1:] for line in lines if line[:1].islower() and "  " in line}

    def test_a_row(self):
        status, lines, _ = self.demo("--programs=fib", "--runtimes=cont_greedy", "--no_plots")
        self.assertEqual(status, 0)
        self.assertIn("fib(34) on 2 processes of this machine: 5702887", lines)
        # One rank, ns a spawn, all ranks, their interval, speed-up, efficiency, steals, joins, operations.
        self.assertEqual(self.rows(lines)["cont_greedy"],
                         ["1,000", "0.0", "500", "500", "500", "2.00", "1.00", "5", "2.5", "3", "1.5", "18"])
        self.assertEqual(self.rows(lines)["serial"], ["1,000"])

    def test_every_runtime_of_the_menu_runs_what_it_can(self):
        status, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=all")
        self.assertEqual(status, 0)
        self.assertEqual(set(self.rows(lines)) - {"runtime"}, {each.name for each in menu.MENU})
        self.assertEqual({menu.BINARIES + target.partition(":")[2] for target in self.built},
                         {command[0] for command in self.commands})
        told = "\n".join(lines)
        for name in menu.MEMORY:
            self.assertIn("%s is left out: it %s." % (name, menu.MEMORY[name]), told)
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
        self.demo("--repeat=1", "--no_plots", "--programs=bpc", "--runtimes=pool_glb_hybrid", "--ranks=4")
        self.assertEqual([made_up.ranks_of(command) for command in self.commands], [1, 1, 5])

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
        own = pathlib.Path(self.folder.name, "mine")
        own.write_text("#!/bin/sh\necho 'Programs:'\necho '  fib   Fibonacci numbers'\n")
        own.chmod(0o755)
        status, lines, _ = self.demo("--programs=fib,bpc", "--runtimes=cont_greedy,mine=%s" % own, "--no_plots")
        self.assertEqual(status, 0)
        self.assertEqual(self.rows(lines)["mine"], self.rows(lines)["cont_greedy"])
        self.assertNotIn("BPC", "\n".join(lines))

    def test_a_wrong_result_and_a_failed_run(self):
        def wrong(command):
            report = made_up.report(command)
            return dict(report, result={"nodes": 1}) if command[0].endswith("child_rtc") else report

        status, lines, _ = self.demo("--repeat=1", "--no_plots", "--programs=fib", report=wrong)
        self.assertEqual(status, 1)
        self.assertEqual([line.split()[0] for line in lines if line.endswith("WRONG")], ["child_rtc"])

        def failed(command):
            return {"failed": "exit status 3: no memory"} if command[0].endswith("child_rtc") else made_up.report(
                command)

        status, lines, errors = self.demo("--repeat=2", "--no_plots", "--programs=fib", report=failed)
        self.assertEqual(status, 1)
        self.assertIn("demo: failed: bazel-bin/bench/child_rtc fib --n=34 --ranks=1 --json: exit status 3: no memory",
                      errors)
        # It was not tried again.
        self.assertEqual(sum("child_rtc" in command[0] for command in self.commands), 2)

    def test_an_interruption_keeps_what_was_measured(self):
        flags = ("--repeat=2", "--no_plots", "--programs=bpc,tsp", "--runtimes=pool_sws")

        def interrupted(command):
            if len(self.commands) == 8:
                raise KeyboardInterrupt
            return made_up.report(command)

        status, lines, errors = self.demo(*flags, report=interrupted)
        self.assertEqual(status, 130)
        self.assertIn("BPC on 2 processes", "\n".join(lines))
        self.assertIn("--resume goes on", errors[-1])
        status, lines, _ = self.demo(*flags, "--resume")
        self.assertEqual(status, 0)
        self.assertEqual(len(self.commands), 12 - 7)
        self.assertIn("pool_sws", self.rows(lines))
        # Without the flag it begins anew.
        self.demo(*flags)
        self.assertEqual(len(self.commands), 12)

    def test_bad_flags(self):
        for flags, words in [
            (["--ranks=0"], "--ranks=0: a whole number from 1"),
            (["--ranks=1,x"], "--ranks=x: a whole number from 1"),
            (["--repeat=no"], "--repeat=no: a whole number from 1 to 999"),
            (["--programs=fob"], "--programs=fob: fob is none of uts, fib,"),
            (["--programs="], "--programs= names none of uts"),
            (["--runtimes=cont"], "--runtimes=cont: cont is none of serial, cont_greedy,"),
            (["--runtimes=mine=no/such"], "--runtimes=mine=no/such: no/such is no program"),
            (["--runtimes=mine=/bin/true"], "--runtimes=mine=/bin/true: its --help names neither fib nor bpc"),
            (["--backend=ib"], "--backend=ib: one of shm, mpi, sim"),
            (["--such"], "--such"),
        ]:
            with self.subTest(flags=flags):
                status, lines, errors = self.demo(*flags)
                self.assertEqual((status, lines, len(errors)), (2, [], 1))
                self.assertIn("demo: ", errors[0])
                self.assertIn(words, errors[0])


class StoreTest(unittest.TestCase):

    def test_runs_of_a_program_that_was_built_anew_do_not_count(self):
        with tempfile.TemporaryDirectory() as folder:
            program, path = pathlib.Path(folder, "program"), os.path.join(folder, "runs.jsonl")
            program.write_text("old")
            command = [str(program), "--n=1"]
            runs.Store(path, resume=False).add(command, {"seconds": 1})
            with open(path, "a") as file:
                file.write('{"command": "cut o')
            self.assertEqual(runs.Store(path, resume=True).of(command), [{"seconds": 1}])
            program.write_text("new")
            self.assertEqual(runs.Store(path, resume=True).of(command), [])


class RunTest(unittest.TestCase):

    def test_what_a_program_says(self):
        for script, told in [
            ("echo words; echo '{\"a\": 1}'", {"a": 1}),
            ("echo first >&2; echo second >&2; exit 3", {"failed": "exit status 3: first"}),
            ("echo words", {"failed": "exit status 0: "}),
            ("echo '{broken'", None),
        ]:
            with self.subTest(script=script):
                report = runs.run(["/bin/sh", "-c", script])
                self.assertEqual(report, told) if told else self.assertIn("failed", report)
        self.assertIn("failed", runs.run(["no/such/program"]))


class MedianTest(unittest.TestCase):

    def test_intervals_by_order_statistics(self):
        self.assertEqual(runs.median([3, 1, 2]), (2, None))
        self.assertEqual(runs.median(range(6)), (2.5, (0, 5)))
        self.assertEqual(runs.median(range(8)), (3.5, (0, 7)))
        # As in tables of the sign test.
        self.assertEqual(runs.median(range(9)), (4, (1, 7)))
        self.assertEqual(runs.median(range(20)), (9.5, (5, 14)))

    def test_an_interval_holds_the_median_as_often_as_it_says(self):
        dice = random.Random(1)
        held = 0
        for _ in range(2000):
            _, (begin, end) = runs.median([dice.expovariate(1) for _ in range(11)])
            held += begin <= 0.6931 <= end
        self.assertGreater(held, 1900)
        self.assertLess(held, 1980)


class NumberTest(unittest.TestCase):

    def test_three_digits(self):
        self.assertEqual([tables.number(value, 2) for value in (None, 0.0, 0.994, 9.99, 9.999, 12.34, 123.4, 12345.6)],
                         ["", "0.00", "0.99", "9.99", "10.00", "12.3", "123", "12,346"])
        self.assertEqual([tables.number(value, 0) for value in (5.4, 1234.0)], ["5", "1,234"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
