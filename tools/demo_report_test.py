#!/usr/bin/env python3
"""Tests demo_report.py on made-up runs."""

import contextlib
import io
import os
import sys
import unittest
from unittest import mock

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
import demo_report


def made_up(command):
    """A run: one second on one rank, half a second on two, none for simulated plain calls."""
    binary = command[0].rpartition("/")[2]
    ranks = int(next(flag for flag in command if flag.startswith("--ranks=")).partition("=")[2])
    result = {"nodes": 4130071, "leaves": 3305118} if "uts" in command else {"fib": 5702887}
    return {"seconds": 0.0 if binary == "serial_sim" and "fib" in command else 1 / ranks,
            "result": result, "metrics": {"steals_ok": 5 if ranks > 1 else 0}}


class DemoReportTest(unittest.TestCase):

    def demo(self, arguments, run=made_up):
        """Returns the output, line by line, and the exit status."""
        output = io.StringIO()
        with mock.patch.object(demo_report, "run", side_effect=run) as runs, \
                contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            status = demo_report.main(arguments)
        self.commands = [call.args[0] for call in runs.call_args_list]
        return output.getvalue().splitlines(), status

    def runtimes_of(self, lines):
        """Returns the runtimes in the rows of a table, between its head and the text below it."""
        end = next(index for index, line in enumerate(lines) if line.startswith("Medians of "))
        return [line[9:29].strip() for line in lines[2:end]]

    def test_all_runtimes_and_pools(self):
        lines, status = self.demo(["--repeat=1"])
        self.assertEqual(status, 0)
        self.assertEqual(self.runtimes_of(lines),
                         [each for program in demo_report.PROGRAMS for each in program.runtimes])
        self.assertEqual(set(self.runtimes_of(lines)), set(demo_report.FORK_JOIN + demo_report.POOLS))
        self.assertLess(max(len(line) for line in lines), 100)
        self.assertIn("         pool_sws               1.000   1.00   0.500   2.00      5     1.74    576  4130071 nodes",
                      lines)
        # Simulated plain calls take no time, so there is no relative speed.
        self.assertIn("         child_rtc              1.000   1.00   0.500   2.00      5     1.74         5702887", lines)

    def test_the_first_table_is_of_two_runtimes_on_this_machine(self):
        lines, status = self.demo(["--repeat=1", "--first"])
        self.assertEqual(status, 0)
        self.assertEqual(self.runtimes_of(lines), ["serial", "cont_greedy"] * 2)
        self.assertFalse([command for command in self.commands if command[0].endswith("_sim")])

    def test_what_runs_is_built(self):
        for arguments in (["--first"], []):
            with self.subTest(arguments=arguments):
                targets, _ = self.demo(arguments + ["--targets"])
                self.assertEqual(self.commands, [])
                self.demo(arguments + ["--repeat=1"])
                self.assertEqual({command[0].replace("bazel-bin/bench/", "//bench:") for command in self.commands},
                                 set(targets))

    def test_serial_programs_run_on_one_rank_and_others_in_turns(self):
        self.demo(["--repeat=2", "--first"])
        turn = [["bazel-bin/bench/serial", "--ranks=1"], ["bazel-bin/bench/cont_greedy", "--ranks=1"],
                ["bazel-bin/bench/cont_greedy", "--ranks=2"]]
        self.assertEqual([[command[0], command[-2]] for command in self.commands], turn * 4)

    def test_a_wrong_result_shows_in_its_row_and_in_the_status(self):
        for broken in ("cont_greedy", "pool_sdc_sim"):
            with self.subTest(broken=broken):
                def run(command):
                    made = made_up(command)
                    return dict(made, result={"nodes": 1}) if command[0].endswith("/" + broken) else made
                lines, status = self.demo(["--repeat=1"], run)
                self.assertEqual(status, 1)
                wrong = {line[9:29].strip() for line in lines if line.endswith(" WRONG")}
                self.assertEqual(wrong, {broken.replace("_sim", "")})

    def test_medians(self):
        times = iter([1.0, 4.0, 4.0, 2.0, 3.0, 3.0, 9.0, 9.0, 9.0] * 2)
        lines, _ = self.demo(["--repeat=3", "--first"], lambda command: dict(made_up(command), seconds=next(times)))
        self.assertIn("UTS T1   serial                 2.000   1.00                        4130071 nodes", lines)
        self.assertIn("         cont_greedy            4.000   0.50   4.000   0.50      5  4130071 nodes", lines)

    def test_a_program_that_fails_ends_the_demo(self):
        with self.assertRaises(SystemExit) as ended:
            demo_report.run(["false"])
        self.assertEqual(str(ended.exception), "demo: exit status 1 from: false")


if __name__ == "__main__":
    unittest.main(verbosity=2)
