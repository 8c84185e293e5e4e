"""Tests whole programs under the simulator: exact results on every machine, with one rank and with many."""

import itertools
import resource
import unittest

from program_checks import check_refusals, over, report_of

BENCH = "bench/cont_greedy_sim"
SERIAL = "bench/serial_sim"
MACHINES = ["ito_a", "wisteria_o", "fx10", "tsubame25", "lotus", "kassel", "loopback", "ideal"]
# Published numbers.
T1 = {"nodes": 4130071, "max_depth": 10, "leaves": 3305118}
TREE = ["uts", "-t", "geometric", "-a", "fixed", "-d", "7", "-b", "4", "-r", "19"]


def on(machine, ranks):
    return ["--net=" + machine, "--ranks=%d" % ranks]


class ProgramsTest(unittest.TestCase):
    @over("machine, ranks", itertools.product(MACHINES, (1, 2, 7, 64, 1000)))
    def test_fib(self, machine, ranks):
        report = report_of(BENCH, "fib", "--n=20", *on(machine, ranks))
        self.assertEqual((report["result"], report["backend"], report["ranks"]), ({"fib": 6765}, "sim", ranks))

    def test_fewer_nodes_than_ranks(self):
        report = report_of(BENCH, "uts", "-t", "balanced", "-d", "1", "-b", "3", *on("ito_a", 200))
        self.assertEqual(report["result"], {"nodes": 4, "max_depth": 1, "leaves": 3})


FOLDED = [["btc", "--depth=21"], ["uts", "-t", "1", "-a", "3", "-d", "9", "-b", "4", "-r", "19", "--fork=every_child"],
          ["nqueens", "--n=11"]]


class FoldTest(unittest.TestCase):
    @over("machine, program", itertools.product(["fx10", "tsubame25,fetch_add=poll"], FOLDED))
    def test_takes_as_long(self, machine, program):
        whole, *folds = (report_of(BENCH, *program, "--fold=%d" % levels, *on(machine, 8)) for levels in (0, 3, 4))
        counted = "tasks" if "tasks" in whole["result"] else "nodes"
        many = whole["result"][counted]
        for folded in folds:
            drawn = folded["result"][counted]
            self.assertAlmostEqual(drawn / many, 1, delta=0.0 if counted == "tasks" else 0.1)
            self.assertAlmostEqual(folded["seconds"] / drawn / whole["seconds"] * many, 1, delta=0.02)

    def test_needs_known_costs(self):
        check_refusals(self, [
            ([SERIAL, "btc", "--fold=3"], ["--fold: 3 with serial on sim", "allowed: 0"]),
            ([BENCH, "uts", "--fold=3"], ["--fold: 3;", "allowed: 0", "-a fixed", "--fork=every_child"]),
            ([BENCH, *FOLDED[1], "--fold=9"], ["--fold: 9;", "less than --depth"])])


class ScaleTest(unittest.TestCase):
    @over("machine", MACHINES)
    def test_t1(self, machine):
        # The serial program's time is in proportion to the nodes.
        serial = report_of(SERIAL, *TREE, *on(machine, 1))
        serial_seconds = serial["seconds"] / serial["result"]["nodes"] * T1["nodes"]
        for ranks in (64, 1000):
            with self.subTest(ranks=ranks):
                report = report_of(BENCH, "uts", "--tree=T1", *on(machine, ranks))
                self.assertEqual(report["result"], T1)
                speedup = serial_seconds / report["seconds"]
                print("%-11s %5d ranks: speedup %.1f" % (machine, ranks, speedup))
                # No run is faster than one serial program for each rank would be.
                self.assertLess(speedup, ranks)
                self.assertGreater(speedup, ranks / 10)

    def test_10000_ranks_in_2_gib(self):
        report = report_of(BENCH, *TREE, *on("wisteria_o", 10000))
        self.assertEqual(report["result"], report_of(SERIAL, *TREE, "--ranks=1")["result"])
        # Memory of the largest child so far.
        gib = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 2**20
        print("10,000 ranks: %.3f GiB" % gib)
        self.assertLess(gib, 2)
