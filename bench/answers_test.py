"""Tests the fork-join programs' answers: sample trees, sizes of all kinds, and small ones with forced steals.

//tests/matrix runs every program of one size under every runtime.
"""

from program_checks import SMALL_TREES, ProgramTest, over

# Numbers of ranks are the matrix's.
SYSTEMS = [["bench/serial"], ["bench/cont_greedy", "--ranks=2"]]
STEALING = ["bench/cont_greedy", "--ranks=2", "--forced_steal"]
# Programs and flags; what they find (lcs compares its answer itself), and the number of their forks, if it is known.
SIZES = [
    (["pfor", "--iteration_ns=1000", "--n=1", "--loops=3"], {"iterations": 3}, 0),
    (["pfor", "--iteration_ns=1000", "--n=1000", "--loops=2"], {"iterations": 2000}, 1998),
    (["pfor", "--iteration_ns=1000", "--n=64", "--loops=5"], {"iterations": 320}, 315),
    (["pfor", "--iteration_ns=1000", "--n=1", "--loops=3", "--recursive"], {"iterations": 1}, 0),
    (["pfor", "--iteration_ns=1000", "--n=64", "--loops=5", "--recursive"], {"iterations": 1984}, 1668),
    # 1 + 2 iter + (2 iter)^2 + ... tasks.
    (["btc", "--depth=0", "--iter=1"], {"tasks": 1}, 0),
    (["btc", "--depth=0", "--iter=7"], {"tasks": 1}, 0),
    (["btc", "--depth=5", "--iter=1"], {"tasks": 63}, 62),
    (["btc", "--depth=4", "--iter=2"], {"tasks": 341}, 340),
    (["btc", "--depth=3", "--iter=5"], {"tasks": 1111}, 1110),
    # Nodes are boards with queens in 0, 1, 2, ... rows.
    *((["nqueens", "--n=%d" % n], {"solutions": solutions, "nodes": nodes}, None) for n, solutions, nodes in (
        (1, 1, 2), (2, 0, 3), (3, 0, 6), (4, 2, 17), (6, 4, 153), (8, 92, 2057))),
    *((["lcs", "--n=%d" % n, "--cutoff=%d" % cutoff], {}, spawns) for n, cutoff, spawns in (
        (1, 512, 0), (512, 512, 0), (1024, 512, 4), (4096, 256, 340), (64, 1, 5460))),
]


class AnswersTest(ProgramTest):
    def stolen(self, *flags):
        """The report of a run, with a steal if it has more than 100 spawns: a busy machine may prevent one."""
        for _ in range(50):
            report = self.run_json(STEALING, *flags)
            if report["metrics"]["spawns"] <= 100 or report["metrics"]["steals_ok"] > 0:
                return report
        self.fail("no steal")

    @over("tree", ("T1", "T3"))
    @over("system, fork", zip(SYSTEMS, ("inline_leaves", "every_child")))
    def test_sample_trees(self, tree, system, fork):
        """The program knows the published size of these trees, and fails if it finds another."""
        # The default is inline_leaves.
        report = self.run_json(system, "uts", "--tree=" + tree, *["--fork=" + fork] * (fork == "every_child"))
        self.assertEqual((report["params"]["tree"], report["params"]["fork"]), (tree, fork))
        leaves, spawns = report["result"]["leaves"], report["metrics"]["spawns"]
        if fork == "every_child":
            # One of each node's children is no task.
            self.assertEqual(spawns, leaves - 1)
        else:
            self.assertLess(spawns, leaves / 2)

    @over("tree", SMALL_TREES)
    @over("fork", ("inline_leaves", "every_child"))
    def test_small_trees(self, tree, fork):
        known = self.run_json(SYSTEMS[0], "uts", *tree)["result"]
        self.assertEqual(self.stolen("uts", *tree, "--fork=" + fork)["result"], known)

    @over("flags, known, spawns", SIZES)
    @over("system", SYSTEMS + [STEALING])
    def test_sizes(self, flags, known, spawns, system):
        if system == STEALING and (spawns or 0) > 2000:
            return  # Too many for a steal at every spawn.
        report = self.stolen(*flags) if system == STEALING else self.run_json(system, *flags)
        self.assertLessEqual(known.items(), report["result"].items())
        self.assertIn(spawns, (None, report["metrics"]["spawns"]))
        # An iteration of a loop takes 1 us.
        self.assertGreaterEqual(report["seconds"] * report["ranks"], known.get("iterations", 0) * 1e-6)

    def test_published_length(self):
        self.assertEqual(self.run_json(SYSTEMS[1], "lcs", "--n=65536")["result"], {"length": 21370})
