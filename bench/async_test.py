"""Tests the programs that need the constructs of async_any.h: answers, cancelled and not, and refusals."""

import math

from program_checks import ProgramTest, check_refusals, over

SERIAL = "bench/pool_serial"
# Pools that have the constructs: places of one rank, of one worker, of a part of a node. //tests/matrix has all of them.
GLB = "bench/pool_glb"
SYSTEMS = [
    [SERIAL],
    [GLB, "--ranks=1"],
    [GLB, "--ranks=3"],
    ["bench/pool_glb_hybrid", "--ranks=4", "--workers_per_place=1"],
    ["bench/pool_glb_hybrid_sim", "--ranks=24", "--net=kassel,node_size=8", "--workers_per_place=3"],
]
SOLUTIONS = {1: 1, 3: 0, 6: 4, 8: 92, 10: 724}
# Flags, and the words that the refusal must have.
REFUSALS = [
    (["hello"], ["unknown program: hello", "bc bpc cancel_any hello_any nqueens nqueens_any pi tsp tsp_any uts "]),
    (["hello_any", "--n=0"], ["--n", "0", "1 to 1000000000"]),
    (["pi", "--n=0"], ["--n", "0", "1 to 1000000000"]),
    (["pi", "--cancel_above=5"], ["--cancel_above", "5", "0 to 4"]),
    (["pi", "--reduce_every=-1"], ["--reduce_every", "-1", "0 to 3600000"]),
    (["tsp_any", "--limit=-1"], ["--limit", "-1"]),
    (["tsp_any", "--cities=2"], ["--cities", "2", "3 to 64"]),
    (["nqueens_any", "--n=21"], ["--n", "21", "1 to 20"]),
    (["nqueens_any", "--limit=-1"], ["--limit", "-1"]),
    (["nqueens_any", "--static_bytes=0"], ["--static_bytes", "1 to 64G"]),
]


class AsyncTest(ProgramTest):
    def run_json(self, system, *flags):
        report = super().run_json(system, *flags)
        self.assertEqual(report["program"], flags[0])
        self.assertGreater(report["metrics"]["tasks_per_s"], 0)
        return report


class HelloTest(AsyncTest):
    @over("n", (1, 7, 100))
    @over("system", SYSTEMS)
    def test_places(self, n, system):
        report = self.run_json(system, "hello_any", "--n=%d" % n)
        result = report["result"]
        self.assertEqual((result["tasks"], sum(result["tasks_at"])), (n, n))
        self.assertEqual(len(result["tasks_at"]), result["places"])
        self.assertLessEqual(1, result["places"])
        self.assertLessEqual(result["places"], report["ranks"])


class PiTest(AsyncTest):
    @over("n", (1, 7, 10000))
    @over("system", SYSTEMS)
    def test_whole(self, n, system):
        report = self.run_json(system, "pi", "--n=%d" % n)
        self.assertLess(abs(report["result"]["pi"] - math.pi), 1 / n**2)
        self.assertEqual((report["result"]["terms"], report["result"]["cancelled"]), (n, False))
        self.assertEqual((report["metrics"]["spawns"], report["metrics"]["dropped"]), (n, 0))

    @over("above", (0.5, 3))
    @over("system", SYSTEMS)
    def test_cancelled(self, above, system):
        """Every term is added, and run or dropped; the sum is above the threshold.

        On several ranks the run may be over before rank 0 looks.
        """
        report = self.run_json(system, "pi", "--n=5000", "--cancel_above=%f" % above, "--reduce_every=0")
        result = report["result"]
        self.assertGreater(result["pi"], above)
        self.assertEqual(result["terms"] + report["metrics"]["dropped"], report["metrics"]["spawns"])
        if report["ranks"] == 1:
            self.assertTrue(result["cancelled"])
            # The task that saw the threshold exceeded was the last one.
            self.assertLess(result["pi"], above + 4 / 5000)

    @over("flags", (["--cancel_above=3.2", "--reduce_every=0"], ["--cancel_above=0.1", "--reduce_every=3600000"]))
    @over("system", SYSTEMS)
    def test_a_threshold_that_is_not_reached(self, flags, system):
        result = self.run_json(system, "pi", "--n=2000", *flags)["result"]
        self.assertEqual((result["terms"], result["cancelled"]), (2000, False))


class QueensTest(AsyncTest):
    @over("n, solutions", SOLUTIONS.items())
    @over("cutoff, more", ((0, []), (4, ["--cancelable", "--reduce_every=0"]), (11, [])))
    @over("system", SYSTEMS)
    def test_all(self, n, solutions, cutoff, more, system):
        report = self.run_json(system, "nqueens_any", "--n=%d" % n, "--cutoff=%d" % cutoff, *more)
        self.assertEqual(report["result"], {"solutions": solutions, "cancelled": False})
        self.assertEqual(report["params"]["cancelable"], bool(more))
        if cutoff >= n:
            self.assertEqual(report["metrics"]["spawns"], 1)

    @over("limit", (1, 100, 725))
    @over("system", SYSTEMS)
    def test_limit(self, limit, system):
        report = self.run_json(system, "nqueens_any", "--n=10", "--cutoff=3", "--limit=%d" % limit, "--reduce_every=0")
        self.assertTrue(report["params"]["cancelable"])
        solutions, cancelled = (report["result"][name] for name in ("solutions", "cancelled"))
        self.assertLessEqual(min(limit, 724), solutions)
        self.assertLessEqual(solutions, 724)
        if limit > 724:
            self.assertFalse(cancelled)
        elif report["ranks"] == 1:
            self.assertTrue(cancelled)
            self.assertLess(solutions, 724)
            self.assertGreater(report["metrics"]["dropped"], 0)


class TspTest(AsyncTest):
    """The program checks every tour; for random cities with these seeds it knows the shortest."""

    @over("cities, length", ((9, 3085), (20, 4118)))
    @over("more", ([], ["--cancelable", "--reduce_every=0"]))
    @over("system", SYSTEMS)
    def test_whole(self, cities, length, more, system):
        report = self.run_json(system, "tsp_any", "--cities=%d" % cities, "--seed=2", "--cutoff=6", *more)
        self.assertEqual((report["result"]["cancelled"], report["metrics"]["dropped"]), (False, 0))
        self.assertEqual(report["params"]["cancelable"], bool(more))
        self.assertEqual(report["result"]["length"], length)

    @over("limit, most", ((4150, 4150), (4118, 4118), (4117, 4118)))
    @over("system", SYSTEMS)
    def test_limit(self, limit, most, system):
        """Finds a tour as long as the limit, or shorter: the first has length 4145, the shortest 4118."""
        report = self.run_json(system, "tsp_any", "--cities=20", "--seed=2", "--cutoff=6", "--limit=%d" % limit,
                               "--reduce_every=0")
        result = report["result"]
        self.assertLessEqual(4118, result["length"])
        self.assertLessEqual(result["length"], most)
        if limit < 4118 or report["ranks"] == 1:
            self.assertEqual(result["cancelled"], limit >= 4118)
            self.assertEqual(report["metrics"]["dropped"] > 0, limit >= 4118)


class OutputTest(AsyncTest):
    def test_table(self):
        output = self.printed(SERIAL, "pi", "--n=4")
        self.assertRegex(output, r"^pi n=4 cancel_above=0 reduce_every_ms=1000, runtime pool_serial, network shm")
        self.assertRegex(output, r"result +pi=3\.14\d* terms=4 cancelled=false\n")

    def test_help(self):
        """The list has these programs beside those of any pool."""
        self.check_help(SERIAL, ["bpc", "uts", "cancel_any", "hello_any", "nqueens_any", "pi", "tsp_any"], ["--json"])

    def test_refusals(self):
        check_refusals(self, [([SERIAL] + flags, words) for flags, words in REFUSALS])
        # These programs need constructs that this pool lacks.
        check_refusals(self, [(["bench/pool_sws", "pi"], ["unknown program: pi", "bpc nqueens tsp uts uts_any"])])
