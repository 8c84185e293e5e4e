"""Tests the programs: sizes of all kinds, their output, how the driver and the programs refuse bad input.

Usage: programs_test.py [CLASS...]     LargeTest has what takes longer

Programs know their answers, or compute them again, and fail where they find another one. //tests/matrix runs every
program of one size under every runtime, on all numbers of ranks, with steals, and simulated.
"""

import itertools
import json
import math

from program_checks import SMALL_TREES, ProgramTest, check_refusals, over, run

SERIAL, CONT_GREEDY = "bench/serial", "bench/cont_greedy"
POOL, SWS, GLB = "bench/pool_serial", "bench/pool_sws", "bench/pool_glb"
STEALING = [CONT_GREEDY, "--ranks=2", "--forced_steal"]
FORKS = [[SERIAL], [CONT_GREEDY, "--ranks=2"], STEALING]
# With 1K queues are full; in the last one places have one worker.
POOLS = [[POOL], [SWS, "--ranks=2"], ["bench/pool_sdc", "--ranks=3", "--queue_bytes=1K"],
         [SWS, "--ranks=3", "--queue_bytes=1K"], ["bench/pool_glb_hybrid", "--ranks=4", "--workers_per_place=1"]]
# Pools that have the constructs of async_any.h: places of one rank, of one worker, of a part of a node.
ASYNC = [[POOL], [GLB, "--ranks=1"], [GLB, "--ranks=3"], POOLS[-1],
         ["bench/pool_glb_hybrid_sim", "--ranks=24", "--net=kassel,node_size=8", "--workers_per_place=3"]]
# Fields of the result that depend on which rank did what when.
VARIES = {"bpc": ["bounces"], "hello_any": ["places", "tasks_at"], "pi": ["pi"], "tsp": ["nodes", "tour"],
          "tsp_any": ["nodes", "tour"]}
# Flags that reports do not have, or that others change.
NO_PARAMS = {"limit", "reduce_every", "tree"}
# Systems, a program and its flags, what it finds beside its own knowledge, and the number of its tasks, if it is known;
# a tuple has the number of those that are made for each rank, too.
CASES = [
    (FORKS, "pfor --iteration_ns=1000 --n=1 --loops=3", {"iterations": 3}, 0),
    (FORKS, "pfor --iteration_ns=1000 --n=1000 --loops=2", {"iterations": 2000}, 1998),
    (FORKS, "pfor --iteration_ns=1000 --n=1 --loops=3 --recursive", {"iterations": 1}, 0),
    (FORKS, "pfor --iteration_ns=1000 --n=64 --loops=5 --recursive", {"iterations": 1984}, 1668),
    # 1 + 2 iter + (2 iter)^2 + ... tasks.
    (FORKS, "btc --depth=0 --iter=7", {"tasks": 1}, 0),
    (FORKS, "btc --depth=5 --iter=1", {"tasks": 63}, 62),
    (FORKS, "btc --depth=3 --iter=5", {"tasks": 1111}, 1110),
    # Nodes are boards with queens in 0, 1, 2, ... rows.
    *((FORKS, "nqueens --n=%d" % n, {"solutions": solutions, "nodes": nodes}, None) for n, solutions, nodes in (
        (1, 1, 2), (2, 0, 3), (4, 2, 17), (8, 92, 2057))),
    *((FORKS, "lcs --n=%d --cutoff=%d" % (n, cutoff), {}, spawns) for n, cutoff, spawns in (
        (1, 512, 0), (512, 512, 0), (1024, 512, 4), (4096, 256, 340), (64, 1, 5460))),
    # The tasks, and those that deal them out.
    *((POOLS, "bc --scale=%d --edges_per_vertex=%d --sources=%d" % size, {}, (tasks, 1)) for size, tasks in (
        ((1, 1, 32), 1), ((5, 3, 1), 32), ((8, 8, 32), 8), ((9, 1, 100), 6))),
    *((POOLS, "bpc --consumer_us=10 --producer_us=20 --depth=%d --consumers=%d" % (depth, consumers),
       {"producers": depth + 1, "consumers": depth * consumers}, depth * (consumers + 1) + 1)
      for depth, consumers in ((0, 5), (3, 0), (20, 50))),
    *((POOLS, "tsp --cities=%d --cutoff=%d" % (n, cutoff), {}, 1 if cutoff >= n else None)
      for n, cutoff in itertools.product((3, 5, 9, 13), (0, 5, 15))),
    *((POOLS[:3], "nqueens --n=%d --cutoff=%d" % (n, cutoff), {}, 1 if cutoff >= n else None)
      for n, cutoff in itertools.product((1, 2, 4, 9), (3, 20))),
    # The boards with 0 to 7 queens.
    (POOLS, "nqueens --n=7 --cutoff=0", {"solutions": 40}, 552),
    *((ASYNC, "hello_any --n=%d" % n, {"tasks": n}, n) for n in (1, 7, 100)),
    *((ASYNC, "pi --n=%d %s" % (n, more), {"terms": n, "cancelled": False}, n) for n, more in (
        (1, ""), (7, ""), (10000, ""), (2000, "--cancel_above=3.2 --reduce_every=0"),
        (2000, "--cancel_above=0.1 --reduce_every=3600000"))),
    *((ASYNC, "nqueens_any --n=%d --cutoff=%d %s" % (n, cutoff, more), {"solutions": solutions, "cancelled": False},
       1 if cutoff >= n else None) for n, solutions in ((1, 1), (3, 0), (8, 92), (10, 724)) for cutoff, more in (
           (0, ""), (4, "--cancelable --reduce_every=0"), (11, ""))),
    *((ASYNC, "tsp_any --cities=%d --seed=2 --cutoff=6 %s" % (n, more), {"length": length, "cancelled": False}, None)
      for n, length in ((9, 3085), (20, 4118)) for more in ("", "--cancelable --reduce_every=0")),
]
# The programs of each kind of binary, and whatever a refusal says of them.
FORK_JOIN = "btc fib lcs meet nqueens pfor uts"
BAGS = "bc bpc nqueens tsp uts uts_any"
ANY = "bc bpc cancel_any hello_any nqueens nqueens_any pi tsp tsp_any uts uts_any"
# Binaries, flags, and the words that the refusal must have; //common/flags:flags_test has the kinds of bad values.
REFUSALS = [([SERIAL, CONT_GREEDY], *case) for case in [
    ("", ["no program", "fib", "uts"]),
    ("fibs", ["fibs", FORK_JOIN]),
    ("--ranks=1 fib", ["--ranks=1", FORK_JOIN]),
    ("fib --no_such", ["--no_such", " --n ", "--ranks", "--help"]),
    ("btc --depth=-1", ["--depth", "-1", "0 to 60"]),
    ("btc --depth=60 --iter=4", ["--depth", "60", "--iter=4", "fewer than 2^64 tasks"]),
    ("btc --fold=61", ["--fold", "61", "0 to 60"]),
    ("btc --fold=3", ["--fold: 3 with", "on shm; allowed: 0, and more", "sim"]),
    ("nqueens --n=21", ["--n", "21", "1 to 20"]),
    ("fib --ranks=abc", ["--ranks", "abc", "1"]),
    ("fib --stats=xml", ["--stats", "xml", "line, json"]),
    ("fib --stats json", ["unknown: json"]),
    ("fib --log", ["unknown: --log"]),
    ("fib --n=91", ["--n", "91", "90"]),
    ("fib more", ["unknown: more;", " --n ", " --json ", " --ranks ", "--help"]),
    ("fib +", ["no program before or behind a +", FORK_JOIN]),
    ("+ fib", ["no program before or behind a +", FORK_JOIN]),
    ("fib + fibs", ["unknown program: fibs", FORK_JOIN]),
    ("pfor --n=0", ["--n", "0", "1 to 4294967296"]),
    ("pfor --n=100 --recursive", ["--n", "100", "--recursive", "powers of two"]),
    ("uts --tree=T9", ["--tree", "T9", "T1WL"]),
    ("uts --fork=all", ["--fork", "all", "inline_leaves, every_child"]),
    ("uts --depth=x", ["--depth", "x", "1 to 1000000"]),
    ("fib --region_bytes=1", ["--region_bytes", "1", "64K to 64G"]),
]] + [([POOL, SWS], *case) for case in [
    ("", ["no program", " bc bpc ", " nqueens ", " uts uts_any;"]),
    ("bpc --no_such", ["--no_such", " --depth ", "--ranks", "--help"]),
    ("bpc --consumers=-1", ["--consumers", "-1", "0 to 1000000000"]),
    ("bpc --depth=x", ["--depth", "x", "0 to 1000000000"]),
    ("bpc --producer_us=1000000001", ["--producer_us", "1000000001", "0 to 1000000000"]),
    ("nqueens --n=21", ["--n", "21", "1 to 20"]),
    ("nqueens --cutoff=21", ["--cutoff", "21", "0 to 20"]),
    ("uts --tree=T9", ["--tree", "T9", "T1WL"]),
    ("uts --fork=every_child", ["unknown: --fork=every_child", " --tree ", " --ranks "]),
    ("uts_any --nodes=0", ["--nodes", "0", "1 to 1000000000"]),
    ("bc --scale=0", ["--scale", "0", "1 to 24"]),
    ("bc --edges_per_vertex=65", ["--edges_per_vertex", "65", "1 to 64"]),
    ("bc --sources=0", ["--sources", "0", "1 to 16777216"]),
    ("bc --seed=-1", ["--seed", "-1", "0 to 1000000000"]),
    ("tsp --cities=65", ["--cities", "65", "3 to 64"]),
    ("tsp --cutoff=65", ["--cutoff", "65", "0 to 64"]),
]] + [([POOL], *case) for case in [
    ("hello", ["unknown program: hello", ANY]),
    ("hello_any --n=0", ["--n", "0", "1 to 1000000000"]),
    ("pi --n=0", ["--n", "0", "1 to 1000000000"]),
    ("pi --cancel_above=5", ["--cancel_above", "5", "0 to 4"]),
    ("pi --reduce_every=-1", ["--reduce_every", "-1", "0 to 3600000"]),
    ("tsp_any --limit=-1", ["--limit", "-1"]),
    ("tsp_any --cities=2", ["--cities", "2", "3 to 64"]),
    ("nqueens_any --n=21", ["--n", "21", "1 to 20"]),
    ("nqueens_any --limit=-1", ["--limit", "-1"]),
    ("nqueens_any --static_bytes=0", ["--static_bytes", "1 to 64G"]),
    ("bpc --ranks=2", ["--ranks", "2 is not 1", "serial"]),
]] + [
    ([SERIAL], "fib --ranks=2", ["--ranks", "2 is not 1", "serial"]),
    ([SWS], "uts --queue_bytes=1", ["--queue_bytes", "1 is not a size from 1K to "]),
    # This pool lacks constructs that it needs.
    ([SWS], "pi", ["unknown program: pi", BAGS]),
]


class AnyTest(ProgramTest):
    def run_json(self, system, *flags):
        report = super().run_json(system, *flags)
        runtime, metrics = system[0].split("/")[1].replace("_sim", ""), report["metrics"]
        self.assertEqual((report["program"], report["runtime"]), (flags[0], runtime))
        if "pool" in runtime:
            self.assertEqual(metrics.keys() & {"task_copy_ns", "outstanding_joins", "outstanding_join_time_ns",
                                               "region_bytes_max"}, set())
            if report["ranks"] == 1:
                self.assertEqual([metrics[name] for name in ("steals_ok", "steals_failed", "steal_time_s",
                                                             "search_time_s")], [0] * 4)
            self.assertAlmostEqual(metrics["tasks_per_s"] * report["seconds"], metrics["spawns"], places=3)
        for name, _, value in (flag[2:].partition("=") for flag in flags if "=" in flag):
            if name not in NO_PARAMS:
                self.assertEqual(str(report["params"][name]), value)
        return report

    def stolen(self, *flags):
        """The report of a run, with a steal if it has more than 100 spawns: a busy machine may prevent one."""
        for _ in range(50):
            report = self.run_json(STEALING, *flags)
            if report["metrics"]["spawns"] <= 100 or report["metrics"]["steals_ok"] > 0:
                return report
        self.fail("no steal")


class SizesTest(AnyTest):
    @over("systems, command, known, tasks", CASES)
    def test_cases(self, systems, command, known, tasks):
        program, found = command.split()[0], []
        for system in systems:
            if system == STEALING and (tasks or 0) > 2000:
                continue  # Too many for a steal at every spawn.
            with self.subTest(system=system):
                report = (self.stolen if system == STEALING else lambda *flags: self.run_json(system, *flags))(
                    *command.split())
                result = report["result"]
                self.assertLessEqual(known.items(), result.items())
                for_all, of_each = tasks if isinstance(tasks, tuple) else (tasks, 0)
                if tasks is not None:
                    self.assertEqual(report["metrics"]["spawns"], for_all + of_each * report["ranks"])
                self.assertGreaterEqual(report["seconds"] * report["ranks"], self.least_seconds(program, result))
                found.append({name: value for name, value in result.items() if name not in VARIES.get(program, [])})
                getattr(self, "check_" + program, lambda _: None)(report)
        self.assertEqual(found, found[:1] * len(found))

    def least_seconds(self, program, result):
        """An iteration of a loop takes 1 us, a consumer 10 and a producer 20."""
        return {"pfor": result.get("iterations", 0) * 1e-6,
                "bpc": result.get("consumers", 0) * 10e-6 + result.get("producers", 0) * 20e-6}.get(program, 0)

    def check_bpc(self, report):
        self.assertLessEqual(report["result"]["bounces"], report["params"]["depth"] + 1 if report["ranks"] > 1 else 0)

    def check_hello_any(self, report):
        result = report["result"]
        self.assertEqual((sum(result["tasks_at"]), len(result["tasks_at"])), (result["tasks"], result["places"]))
        self.assertIn(result["places"], range(1, report["ranks"] + 1))

    def check_pi(self, report):
        self.assertLess(abs(report["result"]["pi"] - math.pi), 1 / report["params"]["n"]**2)

    @over("tree", SMALL_TREES)
    def test_small_trees(self, tree):
        """By fork and join; each node a task; and with one node a task, a few, and all in one task."""
        known = self.run_json([SERIAL], "uts", *tree)["result"]
        for fork in ("inline_leaves", "every_child"):
            self.assertEqual(self.stolen("uts", *tree, "--fork=" + fork)["result"], known)
        for program in (["uts"], *(["uts_any", "--nodes=%d" % nodes] for nodes in (1, 10, 1000000))):
            alone, *reports = (self.run_json(system, *program, *tree) for system in POOLS)
            for report in (alone, *reports):
                self.assertEqual((report["result"], report["metrics"]["spawns"]), (known, alone["metrics"]["spawns"]))
            if program == ["uts"]:
                self.assertEqual(alone["metrics"]["spawns"], known["nodes"])
            self.assertTrue("1000000" not in program[-1] or alone["metrics"]["spawns"] <= 1)

    @over("above", (0.5, 3.0))
    @over("system", ASYNC)
    def test_a_sum_that_is_cancelled(self, above, system):
        """Every term is added, and run or dropped; the sum is above the threshold.

        On several ranks the run may be over before rank 0 looks.
        """
        report = self.run_json(system, "pi", "--n=5000", "--cancel_above=%s" % above, "--reduce_every=0")
        result = report["result"]
        self.assertGreater(result["pi"], above)
        self.assertEqual(result["terms"] + report["metrics"]["dropped"], report["metrics"]["spawns"])
        if report["ranks"] == 1:
            self.assertTrue(result["cancelled"])
            # The task that saw the threshold exceeded was the last one.
            self.assertLess(result["pi"], above + 4 / 5000)

    # How many ways to place 10 queens there are, 724; the shortest tour, 4118, behind a first one of length 4145.
    @over("program, limits, field, least, most", (
        ("nqueens_any --n=10 --cutoff=3", (1, 100, 725), "solutions", lambda limit: min(limit, 724), lambda _: 724),
        ("tsp_any --cities=20 --seed=2 --cutoff=6", (4150, 4118, 4117), "length", lambda _: 4118,
         lambda limit: max(limit, 4118))))
    @over("system", ASYNC)
    def test_a_limit(self, program, limits, field, least, most, system):
        for limit in limits:
            report = self.run_json(system, *program.split(), "--limit=%d" % limit, "--reduce_every=0")
            result, is_reached = report["result"], limit not in (725, 4117)
            self.assertTrue(report["params"]["cancelable"])
            self.assertLessEqual(least(limit), result[field])
            self.assertLessEqual(result[field], most(limit))
            if report["ranks"] == 1 or not is_reached:
                self.assertEqual((result["cancelled"], report["metrics"]["dropped"] > 0), (is_reached, is_reached))

    @over("pool", ("pool_sdc", "pool_sws"))
    def test_a_simulated_time(self, pool):
        """It is nearly the work divided by the ranks, and the same in each run."""
        bpc = ["bench/%s_sim" % pool, "--ranks=16", "--net=lotus"], "bpc", "--depth=20", "--consumers=200"
        report = self.run_json(*bpc)
        ideal = (20 * 200 * 5e-3 + 21 * 1e-3) / 16
        self.assertLessEqual(ideal, report["seconds"])
        self.assertLess(report["seconds"], 1.2 * ideal)
        self.assertGreater(report["result"]["bounces"], 10)
        self.assertEqual(report, self.run_json(*bpc))

    def test_work_is_dealt_out(self):
        """Without a steal all ranks would run equally many tasks; an edge takes its time on a machine."""
        alone, report = (self.run_json([SWS + "_sim", "--ranks=%d" % ranks, "--net=lotus,bc_edge=10ns"], "bc",
                                       "--scale=9", "--sources=1") for ranks in (1, 16))
        self.assertLess(alone["seconds"] / 16, report["seconds"])
        self.assertLess(report["seconds"], 1.5 * alone["seconds"] / 16)
        self.assertLess(report["metrics"]["steals_ok"], 200)


class LargeTest(AnyTest):
    @over("system, command, field, answer", (
        ([SWS, "--ranks=2"], "bc --scale=12", "sum", 44955016),
        ([SWS, "--ranks=2"], "tsp --cities=18 --seed=1", "length", 3450),
        ([SWS, "--ranks=2"], "tsp --cities=20 --seed=2", "length", 4118),
        ([CONT_GREEDY, "--ranks=2"], "lcs --n=65536", "length", 21370)))
    def test_published_answers(self, system, command, field, answer):
        self.assertEqual(self.run_json(system, *command.split())["result"][field], answer)

    @over("tree", ("T1", "T3"))
    @over("system, fork", (([SERIAL], "inline_leaves"), ([CONT_GREEDY, "--ranks=2"], "every_child"), ([POOL], None)))
    def test_sample_trees(self, tree, system, fork):
        # The default is inline_leaves.
        report = self.run_json(system, "uts", "--tree=" + tree, *["--fork=every_child"] * (fork == "every_child"))
        self.assertEqual(report["params"].get("fork"), fork)
        leaves, nodes, spawns = report["result"]["leaves"], report["result"]["nodes"], report["metrics"]["spawns"]
        # One of each node's children is no task.
        least, most = {"every_child": (leaves - 1, leaves - 1), None: (nodes, nodes)}.get(fork, (1, leaves // 2))
        self.assertTrue(least <= spawns <= most, spawns)

    def test_halves_of_the_rest(self):
        spawns = self.run_json([POOL], "uts_any", "--tree=T1")["metrics"]["spawns"]
        self.assertTrue(4130071 / 511 < spawns < 4130071 / 50, spawns)

    def test_the_same_nodes(self):
        """If the first tour is the shortest, the searched part does not depend on ranks and tasks."""
        results = [self.run_json(system, "tsp", "--cities=20", "--seed=1", "--cutoff=%d" % cutoff)["result"]
                   for cutoff, system in zip((11, 15, 20), POOLS)]
        self.assertEqual({(result["length"], result["nodes"]) for result in results}, {(3533, results[0]["nodes"])})

    def test_a_tour_is_soon_known_to_all(self):
        """Nodes take time, and together all ranks search hardly more than one task."""
        alone, report = (self.run_json([SWS + "_sim", "--ranks=%d" % ranks, "--net=lotus,tsp_node=100ns"], "tsp",
                                       "--cities=18", "--seed=5", "--cutoff=%d" % cutoff)
                         for ranks, cutoff in ((1, 18), (16, 12)))
        self.assertEqual(alone["metrics"]["spawns"], 1)
        self.assertGreaterEqual(alone["seconds"], alone["result"]["nodes"] * 100e-9)
        self.assertLess(report["result"]["nodes"], 1.25 * alone["result"]["nodes"])
        self.assertLess(report["seconds"], alone["seconds"] / 10)


class OutputTest(AnyTest):
    @over("system, runtime", (([SERIAL], "serial"), ([CONT_GREEDY, "--ranks=1"], "cont_greedy")))
    def test_values(self, system, runtime):
        report = self.run_json(system, "fib", "--n=20")
        self.assertEqual(list(report)[:4], ["program", "params", "result", "runtime"])
        self.assertEqual((report["backend"], report["ranks"]), ("shm", 1))
        self.assertEqual((report["params"], report["result"]), ({"n": 20}, {"fib": 6765}))
        self.assertGreater(report["seconds"], 0)
        metrics = report["metrics"]
        self.assertEqual((metrics["spawns"], metrics["steals_ok"]), (10945, 0))
        self.assertGreater(metrics["region_bytes_max"], 0)

    def test_steals_are_told(self):
        report = self.stolen("fib", "--n=16")
        metrics = report["metrics"]
        # The mean: no frame is smaller than a saved context, none larger than the deepest stack.
        self.assertGreater(metrics["stolen_bytes"], 64 * metrics["steals_ok"])
        self.assertLess(metrics["stolen_bytes"], metrics["region_bytes_max"] * metrics["steals_ok"])
        self.assertGreater(metrics["steal_latency_ns"], metrics["task_copy_ns"])
        self.assertAlmostEqual(metrics["steal_time_s"] * 1e9 / metrics["steals_ok"], metrics["steal_latency_ns"])
        self.assertGreaterEqual(metrics["rma"]["get"]["bytes"], metrics["stolen_bytes"])

    def test_params_name_the_tree_or_describe_it(self):
        report = self.run_json([SERIAL], "uts", "--tree=T1", "--depth=3", "--sha=portable")
        self.assertEqual((report["params"]["depth"], report["params"].get("tree")), (3, None))

    @over("command, head, result", (
        ([CONT_GREEDY, "fib", "--n=10", "--ranks=1"], "fib n=10, runtime cont_greedy, network shm, 1 rank", "fib=55"),
        ([POOL, "pi", "--n=4"], "pi n=4 cancel_above=0 reduce_every_ms=1000, runtime pool_serial, network shm, 1 rank",
         r"pi=3\.14\d* terms=4 cancelled=false"),
        ([SWS + "_sim", "nqueens", "--n=6", "--ranks=2", "--net=lotus"],
         "nqueens n=6 cutoff=7, runtime pool_sws, network sim of lotus, 2 ranks", "solutions=4")))
    def test_table(self, command, head, result):
        self.assertRegex(self.printed(*command), r"^%s\n(.*\n)*.*result +%s\n" % (head, result))

    @over("binary, programs, words", (
        (SERIAL, FORK_JOIN, ["--json", "\nEvery program:\n"]),
        (CONT_GREEDY, FORK_JOIN, [
            "--json", "\nEvery program:\n", "--version", "--stats[=FORMAT]", "\nshm network:\n", "--ranks=N",
            "(1 to 4096; default: ", "\ncont_greedy runtime:\n", "--region_bytes=BYTES",
            "(64K to 64G; default: 16M)", "--forced_steal"]),
        (CONT_GREEDY, "uts", ["--tree=WHICH", "default: T1)", "--json"]),
        (SWS, BAGS, ["--json", "\nEvery program:\n", "\nshm network:\n", "\npool_sws runtime:\n", "--queue_bytes"]),
        (POOL, ANY, ["--json"])))
    def test_help(self, binary, programs, words):
        """The list has all programs; the help of each its flags, then those of all, the network and the runtime."""
        name, programs = binary.split("/")[1], programs.split()
        output = self.printed(binary, "--help")
        for word in (name + " runtime", "shm network", "Usage: %s PROGRAM" % name, *map("  {} ".format, programs)):
            self.assertIn(word, output)
        for program in programs:
            output = self.printed(binary, program, "--help")
            self.assertEqual(output.count("Usage:"), 1)
            self.assertLessEqual(max(map(len, output.splitlines())), 80)
            places = [output.find(word) for word in ("\nUsage: %s %s [FLAGS]\n" % (name, program), *words)]
            self.assertNotIn(-1, places, output)
            self.assertEqual(places, sorted(places), output)

    @over("binary, command", ((SERIAL, []), (SERIAL, ["fib"]), (SERIAL, ["fib", "--n=3"]), (POOL, []), (POOL, ["bpc"])))
    def test_version(self, binary, command):
        self.assertRegex(self.printed(binary, *command, "--version"),
                         r"^magpie \d+\.\d+\.\d+ \(%s runtime, shm network\)\n$" % binary.split("/")[1])

    def test_programs_in_a_row(self):
        """Each with its own flags; none after one that fails."""
        row = ["fib", "--n=15", "--json", "+", "btc", "--depth=3", "--json", "--ranks=1"]
        for binary in SERIAL, CONT_GREEDY:
            results = [json.loads(line)["result"] for line in self.printed(binary, *row).splitlines()]
            self.assertEqual(results, [{"fib": 610}, {"tasks": 15}])
        status, output, errors = run(SERIAL, "fib", "--n=15", "+", "btc", "--depth=x", "+", "fib", "--n=1")
        self.assertEqual((status, output.count("fib="), errors.count("\n")), (2, 1, 1))

    def test_stats(self):
        """--stats prints the report of the run that --json describes."""
        fib = [SERIAL, "fib", "--n=20", "--json"]
        _, output, errors = run(*fib, "--stats=json")
        report = json.loads(output)
        for field in ("program", "params", "result"):
            report.pop(field)
        self.assertEqual((json.loads(errors), errors.count("\n")), (report, 1))
        status, output, errors = run(*fib, "--stats")
        self.assertEqual((status, output.count("\n"), errors.count("\n")), (0, 1, 1))
        self.assertRegex(errors, r"^magpie: stats: runtime=serial backend=shm ranks=1 seconds=\S+ spawns=10945 ")

    def test_refusals(self):
        check_refusals(self, [([binary, *flags.split()], words) for binaries, flags, words in REFUSALS
                              for binary in binaries])
