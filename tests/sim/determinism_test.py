"""Tests that the same flags give the same run, for any addresses and environment, with a log and without."""

import os
import subprocess
import unittest

from program_checks import over, virtual

BENCH = "bench/cont_greedy_sim"
TRAFFIC = "tests/sim/traffic"
TREE = ["uts", "-t", "geometric", "-a", "fixed", "-d", "7", "-b", "4", "-r", "19"]
RUNS = [
    [TRAFFIC, "--ranks=8"],
    [TRAFFIC, "--ranks=300", "--net=tsubame25", "--steps=100"],
    [TRAFFIC, "--ranks=5", "--explore", "--seed=7", "--memory=pso"],
    [BENCH, "fib", "--n=18", "--ranks=1"],
    [BENCH, "fib", "--n=18", "--ranks=7", "--net=ito_a,node_size=2"],
    [BENCH, "fib", "--n=14", "--ranks=3", "--explore", "--seed=7", "--memory=tso"],
    [BENCH, "fib", "--n=14", "--ranks=3", "--explore", "--seed=7", "--memory=pso", "--forced_steal"],
    [BENCH, *TREE, "--ranks=64", "--net=wisteria_o"],
    [BENCH, *TREE, "--ranks=500", "--net=lotus"],
    [BENCH, *TREE, "--ranks=6", "--net=fx10", "--explore", "--seed=7", "--memory=pso"],
    [TRAFFIC, "--ranks=100", "--net=tsubame25,fetch_add=poll"],
    [BENCH, *TREE, "--ranks=64", "--net=tsubame25,fetch_add=poll"],
]


def outcome(command, **options):
    return virtual(*command, "--sim_stats", *(["--json"] if BENCH in command else []), **options)


class DeterminismTest(unittest.TestCase):
    def test_runs_are_the_same(self):
        setarch = ["setarch", "--addr-no-randomize"]
        if subprocess.run([*setarch, "true"], stderr=subprocess.DEVNULL).returncode != 0:
            print("SKIPPED: setarch cannot turn off random addresses here")
            setarch = []
        # The environment lies on the stack, and moves it.
        larger = dict(os.environ, MAGPIE_TEST_PADDING="x" * 54321)
        for command in RUNS:
            with self.subTest(command=command):
                first = outcome(command)
                self.assertRegex(first[1], r"events=\d+ .* hash=[0-9a-f]{16}\n")
                self.assertEqual(outcome(setarch + command), first)
                self.assertEqual(outcome(command + ["--log=/dev/null"], env=larger), first)

    @over("command", (RUNS[2], RUNS[5], RUNS[6]))
    def test_logs_are_the_same(self, command):
        first = virtual(*command, "--log")[1]
        self.assertGreater(first.count("\n"), 1000)
        self.assertEqual(virtual(*command, "--log")[1], first)
