"""Tests the fork-join programs' answers: sample trees, sizes of all kinds, and small ones with forced steals.

//tests/matrix runs every program of one size under every runtime.
"""

import itertools
import json
import subprocess
import unittest

# Trees of which the program knows the published size; it fails if it finds another.
TREES = ["T1", "T2", "T3", "T4", "T5"]
SYSTEMS = [["bench/serial"]] + [["bench/cont_greedy", "--ranks=%d" % ranks] for ranks in (1, 2, 4)]
# For sizes: numbers of ranks are the matrix's.
FEW_SYSTEMS = [SYSTEMS[0], SYSTEMS[2]]
FORKS = ["inline_leaves", "every_child"]
# A tree of each kind, small enough for a steal at every spawn.
SMALL_TREES = [
    ["-t", "geometric", "-a", "fixed", "-d", "6", "-b", "4", "-r", "19"],
    ["-t", "geometric", "-a", "cyclic", "-d", "4", "-b", "5", "-r", "502"],
    ["-t", "binomial", "-b", "500", "-q", "0.124", "-m", "8", "-r", "42"],
    ["-t", "hybrid", "-a", "linear", "-d", "8", "-b", "5", "-r", "1", "-q", "0.2", "-m", "4"],
    ["-t", "balanced", "-d", "3", "-b", "40"],
    ["-t", "balanced", "-d", "2", "-b", "1"],
    ["-t", "geometric", "-b", "0"],
]


def run(system, *flags):
    command = [system[0], *flags, *system[1:], "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, timeout=120)
    if done.returncode != 0:
        raise AssertionError("exit status %d from: %s" % (done.returncode, " ".join(command)))
    return json.loads(done.stdout)


def runs_with_forced_steals(*flags):
    """Runs on 2 and 4 ranks, again until there was a steal, which a busy machine may prevent in a short run."""
    for ranks in (2, 4):
        for _ in range(50):
            report = run(["bench/cont_greedy", "--ranks=%d" % ranks, "--forced_steal"], *flags)
            yield report
            if report["metrics"]["spawns"] <= 100 or report["metrics"]["steals_ok"] > 0:
                break
        else:
            raise AssertionError("no steal on %d ranks" % ranks)


class SampleTreesTest(unittest.TestCase):
    def check(self, name, system, *flags, fork):
        with self.subTest(tree=name, system=system, fork=fork):
            report = run(system, "uts", "--tree=" + name, *flags)
            self.assertEqual((report["params"]["tree"], report["params"]["fork"]), (name, fork))
            leaves, spawns = report["result"]["leaves"], report["metrics"]["spawns"]
            if fork == "every_child":
                # One of each node's children is no task.
                self.assertEqual(spawns, leaves - 1)
            else:
                self.assertLess(spawns, leaves / 2)

    def test_sample_trees(self):
        for name in TREES:
            for system in SYSTEMS:
                self.check(name, system, fork="inline_leaves")

    def test_forks_over_every_child(self):
        for name, systems in (("T1", SYSTEMS[:2]), ("T3", SYSTEMS[2:])):
            for system in systems:
                self.check(name, system, "--fork=every_child", fork="every_child")


class ForcedStealTest(unittest.TestCase):
    def test_small_trees(self):
        for tree in SMALL_TREES:
            known = run(SYSTEMS[0], "uts", *tree)["result"]
            for fork in FORKS:
                with self.subTest(tree=tree, fork=fork):
                    for report in runs_with_forced_steals("uts", *tree, "--fork=" + fork):
                        self.assertEqual(report["result"], known)


class LoopsTest(unittest.TestCase):
    # Iterations and forks.
    CASES = {
        ("--n=1", "--loops=3"): (3, 0),
        ("--n=1000", "--loops=2"): (2000, 1998),
        ("--n=64", "--loops=5"): (320, 315),
        ("--n=1", "--loops=3", "--recursive"): (1, 0),
        ("--n=64", "--loops=5", "--recursive"): (1984, 1668),
    }

    def test_loops(self):
        for (flags, known), system in itertools.product(self.CASES.items(), FEW_SYSTEMS):
            with self.subTest(flags=flags, system=system):
                report = run(system, "pfor", *flags, "--iteration_ns=1000")
                self.assertEqual((report["result"]["iterations"], report["metrics"]["spawns"]), known)
                self.assertGreaterEqual(report["seconds"] * report["ranks"], known[0] * 1e-6)

    def test_stolen_loops(self):
        for flags, known in self.CASES.items():
            with self.subTest(flags=flags):
                for report in runs_with_forced_steals("pfor", *flags, "--iteration_ns=1000"):
                    self.assertEqual((report["result"]["iterations"], report["metrics"]["spawns"]), known)


class BinaryTasksTest(unittest.TestCase):
    # Depth and --iter, and the number of tasks: 1 + 2 iter + (2 iter)^2 + ...
    CASES = {(0, 1): 1, (0, 7): 1, (5, 1): 63, (4, 2): 341, (3, 5): 1111}

    def test_tasks(self):
        for ((depth, times), tasks), system in itertools.product(self.CASES.items(), FEW_SYSTEMS):
            with self.subTest(depth=depth, times=times, system=system):
                report = run(system, "btc", "--depth=%d" % depth, "--iter=%d" % times)
                self.assertEqual((report["result"]["tasks"], report["metrics"]["spawns"]), (tasks, tasks - 1))

    def test_stolen_tasks(self):
        for report in runs_with_forced_steals("btc", "--depth=4", "--iter=2"):
            self.assertEqual(report["result"]["tasks"], 341)


class QueensTest(unittest.TestCase):
    # For each n the solutions, and the boards with queens in 0, 1, 2, ... rows.
    CASES = {1: (1, 2), 2: (0, 3), 3: (0, 6), 4: (2, 17), 6: (4, 153), 8: (92, 2057)}

    def test_boards(self):
        for (n, known), system in itertools.product(self.CASES.items(), FEW_SYSTEMS):
            with self.subTest(n=n, system=system):
                report = run(system, "nqueens", "--n=%d" % n)
                self.assertEqual((report["result"]["solutions"], report["result"]["nodes"]), known)

    def test_stolen_boards(self):
        for report in runs_with_forced_steals("nqueens", "--n=6"):
            self.assertEqual((report["result"]["solutions"], report["result"]["nodes"]), self.CASES[6])


class LongestCommonSubsequenceTest(unittest.TestCase):
    """The program compares its answer with a sequential pass."""

    # --n and --cutoff, and the number of tasks.
    CASES = {(1, 512): 0, (512, 512): 0, (1024, 512): 4, (4096, 256): 340, (64, 1): 5460}

    def test_lengths(self):
        for ((n, cutoff), tasks), system in itertools.product(self.CASES.items(), FEW_SYSTEMS):
            with self.subTest(n=n, cutoff=cutoff, system=system):
                report = run(system, "lcs", "--n=%d" % n, "--cutoff=%d" % cutoff)
                self.assertEqual(report["metrics"]["spawns"], tasks)

    def test_published_length(self):
        self.assertEqual(run(SYSTEMS[1], "lcs", "--n=65536")["result"], {"length": 21370})

    def test_stolen_squares(self):
        for report in runs_with_forced_steals("lcs", "--n=32", "--cutoff=4"):
            self.assertEqual(report["result"], {"length": 6})
