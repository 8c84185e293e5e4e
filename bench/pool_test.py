"""Tests the programs of task pools: sizes of all kinds, their output, their refusals.

//tests/matrix runs every program of one size under every pool, on all numbers of ranks, with steals, and simulated.
"""

import itertools

from program_checks import SMALL_TREES, ProgramTest, check_refusals, over

SERIAL = "bench/pool_serial"
SWS = "bench/pool_sws"
SYSTEMS = [[SERIAL], ["bench/pool_sdc", "--ranks=4"], ["bench/pool_sws", "--ranks=2"]]
# The bag is full, and tasks are run at once; places have one worker.
HARD = [["bench/pool_sdc", "--ranks=3", "--queue_bytes=1K"], ["bench/pool_sws", "--ranks=3", "--queue_bytes=1K"],
        ["bench/pool_glb_hybrid", "--ranks=4", "--workers_per_place=1"]]
# Of 1, 2, ... rows.
SOLUTIONS = [1, 0, 0, 2, 10, 4, 40, 92, 352, 724]
# Flags, and the words that the refusal must have; //common/flags:flags_test has the kinds of bad values.
REFUSALS = [
    ([], ["no program", " bc bpc ", " nqueens ", " uts uts_any;"]),
    (["fib"], ["unknown program: fib", " bc bpc ", " nqueens ", " uts uts_any;"]),
    (["bpc", "--no_such"], ["--no_such", " --depth ", "--ranks", "--help"]),
    (["bpc", "--consumers=-1"], ["--consumers", "-1", "0 to 1000000000"]),
    (["bpc", "--depth=x"], ["--depth", "x", "0 to 1000000000"]),
    (["bpc", "--producer_us=1000000001"], ["--producer_us", "1000000001", "0 to 1000000000"]),
    (["nqueens", "--n=21"], ["--n", "21", "1 to 20"]),
    (["nqueens", "--cutoff=21"], ["--cutoff", "21", "0 to 20"]),
    (["uts", "--tree=T9"], ["--tree", "T9", "T1WL"]),
    (["uts", "--fork=every_child"], ["unknown: --fork=every_child", " --tree ", " --ranks "]),
    (["uts_any", "--nodes=0"], ["--nodes", "0", "1 to 1000000000"]),
    (["uts_any", "--tree=T9"], ["--tree", "T9", "T1WL"]),
    (["bc", "--scale=0"], ["--scale", "0", "1 to 24"]),
    (["bc", "--edges_per_vertex=65"], ["--edges_per_vertex", "65", "1 to 64"]),
    (["bc", "--sources=0"], ["--sources", "0", "1 to 16777216"]),
    (["bc", "--seed=-1"], ["--seed", "-1", "0 to 1000000000"]),
    (["tsp", "--cities=65"], ["--cities", "65", "3 to 64"]),
    (["tsp", "--cutoff=65"], ["--cutoff", "65", "0 to 64"]),
]


class PoolTest(ProgramTest):
    def run_json(self, system, *flags):
        report = super().run_json(system, *flags)
        self.assertEqual(report["runtime"], system[0].split("/")[1].replace("_sim", ""))
        metrics = report["metrics"]
        for name in ("task_copy_ns", "outstanding_joins", "outstanding_join_time_ns", "region_bytes_max"):
            self.assertNotIn(name, metrics)
        self.assertAlmostEqual(metrics["tasks_per_s"] * report["seconds"], metrics["spawns"], places=3)
        if report["ranks"] == 1:
            for name in ("steals_ok", "steals_failed", "steal_time_s", "search_time_s"):
                self.assertEqual(metrics[name], 0, name)
        return report


class UtsTest(PoolTest):
    @over("tree, system", (("T1", SYSTEMS[0]), ("T3", SYSTEMS[2])))
    def test_sample_trees(self, tree, system):
        """The program knows the published size of these trees, and fails if it finds another."""
        report = self.run_json(system, "uts", "--tree=" + tree)
        self.assertEqual((report["program"], report["params"]["tree"]), ("uts", tree))
        # Each node is a task.
        self.assertEqual(report["metrics"]["spawns"], report["result"]["nodes"])

    @over("tree", SMALL_TREES)
    def test_small_trees(self, tree):
        """The programs count these trees again; uts_any with one node a task, a few, and all in one task."""
        known = self.run_json([SERIAL], "uts", *tree)
        for system, nodes in itertools.product(HARD, (None, 1, 10, 1000000)):
            with self.subTest(system=system, nodes=nodes):
                program = ["uts_any", "--nodes=%d" % nodes] if nodes else ["uts"]
                report = self.run_json(system, *program, *tree)
                self.assertEqual(report["result"], known["result"])
                if nodes is None:
                    self.assertEqual(report["metrics"]["spawns"], report["result"]["nodes"])
                if nodes == 1000000:
                    self.assertLessEqual(report["metrics"]["spawns"], 1)

    def test_halves_do_not_depend_on_thieves(self):
        """uts_any counts a tree by the same number of tasks on any number of ranks."""
        [spawns] = {self.run_json(system, "uts_any", "--tree=T1")["metrics"]["spawns"] for system in SYSTEMS}
        self.assertTrue(4130071 / 511 < spawns < 4130071 / 50, spawns)


class BcTest(PoolTest):
    """The program computes small graphs again and compares all vertices; for others it knows the sum."""

    @over("scale, edges, sources", ((1, 1, 32), (5, 3, 1), (8, 8, 32), (9, 1, 100)))
    def test_small_graphs(self, scale, edges, sources):
        sums = set()
        for system in SYSTEMS + HARD:
            with self.subTest(system=system):
                report = self.run_json(system, "bc", "--scale=%d" % scale, "--edges_per_vertex=%d" % edges,
                                       "--sources=%d" % sources)
                self.assertEqual(report["params"], {"scale": scale, "edges_per_vertex": edges, "seed": 2,
                                                    "sources": sources})
                sums.add(report["result"]["sum"])
                # The tasks, and the tasks that deal them out.
                self.assertEqual(report["metrics"]["spawns"], -(-2 ** scale // sources) + report["ranks"])
        self.assertEqual(len(sums), 1)

    def test_known_sum(self):
        report = self.run_json(SYSTEMS[2], "bc", "--scale=12")
        self.assertEqual(report["result"]["sum"], 44955016)

    def test_work_is_dealt_out(self):
        """Without a steal all ranks would run equally many tasks; an edge takes its time on a machine."""
        serial, report = (
            self.run_json(["bench/pool_sws_sim", "--ranks=%d" % ranks, "--net=lotus,bc_edge=10ns"], "bc", "--scale=9",
                          "--sources=1") for ranks in (1, 16))
        self.assertLess(serial["seconds"] / 16, report["seconds"])
        self.assertLess(report["seconds"], 1.5 * serial["seconds"] / 16)
        self.assertLess(report["metrics"]["steals_ok"], 200)


class BpcTest(PoolTest):
    def check(self, system, depth, consumers, *flags):
        report = self.run_json(system, "bpc", "--depth=%d" % depth, "--consumers=%d" % consumers, *flags)
        result = report["result"]
        self.assertEqual((result["producers"], result["consumers"]), (depth + 1, depth * consumers))
        self.assertEqual(result["tasks"], depth * (consumers + 1) + 1)
        self.assertEqual(report["metrics"]["spawns"], result["tasks"])
        self.assertLessEqual(result["bounces"], depth + 1 if report["ranks"] > 1 else 0)
        return report

    @over("depth, consumers", ((0, 5), (3, 0), (20, 50)))
    @over("system", SYSTEMS + HARD)
    def test_tasks(self, depth, consumers, system):
        report = self.check(system, depth, consumers, "--consumer_us=10", "--producer_us=20")
        least_us = depth * consumers * 10 + (depth + 1) * 20
        self.assertGreaterEqual(report["seconds"] * report["ranks"] * 1e6, least_us)

    @over("pool", ("pool_sdc", "pool_sws"))
    def test_simulated(self, pool):
        """The time is nearly the work divided by the ranks, and the same in each run."""
        system = ["bench/%s_sim" % pool, "--ranks=16", "--net=lotus"]
        report = self.check(system, 20, 200)
        ideal = (20 * 200 * 5e-3 + 21 * 1e-3) / 16
        self.assertLessEqual(ideal, report["seconds"])
        self.assertLess(report["seconds"], 1.2 * ideal)
        self.assertGreater(report["result"]["bounces"], 10)
        self.assertEqual(report["machine"], "lotus")
        self.assertEqual(report, self.check(system, 20, 200))


class TspTest(PoolTest):
    """The program checks every tour, and for up to 16 cities computes its length in another way."""

    @over("cities", (3, 4, 5, 9, 13))
    @over("cutoff, systems", ((0, SYSTEMS + HARD), (5, SYSTEMS), (15, SYSTEMS[:2])))
    def test_few_cities(self, cities, cutoff, systems):
        lengths = set()
        for system in systems:
            with self.subTest(system=system):
                report = self.run_json(system, "tsp", "--cities=%d" % cities, "--cutoff=%d" % cutoff)
                self.assertEqual(report["params"], {"cities": cities, "seed": 2, "cutoff": cutoff})
                lengths.add(report["result"]["length"])
                if cutoff >= cities:
                    self.assertEqual(report["metrics"]["spawns"], 1)
        self.assertEqual(len(lengths), 1)

    @over("cities, seed, length", ((18, 1, 3450), (20, 2, 4118)))
    def test_known_lengths(self, cities, seed, length):
        report = self.run_json(SYSTEMS[1], "tsp", "--cities=%d" % cities, "--seed=%d" % seed)
        self.assertEqual(report["result"]["length"], length)

    def test_same_nodes(self):
        """If the first tour is the shortest, the searched part does not depend on ranks and tasks."""
        results = [self.run_json(system, "tsp", "--cities=20", "--seed=1", "--cutoff=%d" % cutoff)["result"]
                   for cutoff, system in zip((11, 15, 20), SYSTEMS)]
        self.assertEqual({result["length"] for result in results}, {3533})
        self.assertEqual(len({result["nodes"] for result in results}), 1)

    def test_simulated(self):
        """Nodes take time, and all ranks soon know a found tour: together they search hardly more than one task."""
        alone, report = (
            self.run_json(["bench/pool_sws_sim", "--ranks=%d" % ranks, "--net=lotus,tsp_node=100ns"], "tsp",
                          "--cities=18", "--seed=5", "--cutoff=%d" % cutoff)
            for ranks, cutoff in ((1, 18), (16, 12)))
        self.assertEqual(alone["metrics"]["spawns"], 1)
        self.assertGreaterEqual(alone["seconds"], alone["result"]["nodes"] * 100e-9)
        self.assertLess(report["result"]["nodes"], 1.25 * alone["result"]["nodes"])
        self.assertLess(report["seconds"], alone["seconds"] / 10)


class QueensTest(PoolTest):
    @over("n, solutions", enumerate(SOLUTIONS, 1))
    @over("cutoff, system", zip((0, 3, 20), SYSTEMS))
    def test_solutions(self, n, solutions, cutoff, system):
        report = self.run_json(system, "nqueens", "--n=%d" % n, "--cutoff=%d" % cutoff)
        self.assertEqual(report["params"], {"n": n, "cutoff": cutoff})
        self.assertEqual(report["result"], {"solutions": solutions})
        if cutoff >= n:
            self.assertEqual(report["metrics"]["spawns"], 1)

    @over("system", HARD)
    def test_hard(self, system):
        report = self.run_json(system, "nqueens", "--n=7", "--cutoff=0")
        # The boards with 0 to 7 queens, a task each.
        self.assertEqual((report["result"]["solutions"], report["metrics"]["spawns"]), (40, 552))


class OutputTest(PoolTest):
    def test_table(self):
        output = self.printed(SERIAL, "nqueens", "--n=6")
        self.assertRegex(output, r"^nqueens n=6 cutoff=7, runtime pool_serial, network shm, 1 rank\n")
        self.assertRegex(output, r"result +solutions=4\n")
        self.assertRegex(output, r"tasks_per_s +\d")
        output = self.printed("bench/pool_sws_sim", "nqueens", "--n=6", "--ranks=2", "--net=lotus")
        self.assertRegex(output, "^nqueens n=6 cutoff=7, runtime pool_sws, network sim of lotus, 2 ranks\n")

    def test_help(self):
        self.check_help(SWS, ["bc", "bpc", "nqueens", "tsp", "uts", "uts_any"], [
            "--json", "\nEvery program:\n", "\nshm network:\n", "\npool_sws runtime:\n", "--queue_bytes"])

    def test_version(self):
        self.check_version(SERIAL, "bpc")

    def test_refusals(self):
        cases = [([binary] + flags, words) for flags, words in REFUSALS for binary in (SERIAL, SWS)]
        cases.append(([SERIAL, "bpc", "--ranks=2"], ["--ranks", "2 is not 1", "serial"]))
        cases.append(([SWS, "uts", "--queue_bytes=1"], ["--queue_bytes", "1 is not a size from 1K to "]))
        check_refusals(self, cases)
