"""Tests the output of every program, and how the driver and the programs refuse bad input."""

import json

from program_checks import ProgramTest, check_refusals, over, run

SERIAL = "bench/serial"
CONT_GREEDY = "bench/cont_greedy"
PROGRAMS = ["btc", "fib", "lcs", "meet", "nqueens", "pfor", "uts"]
# Flags, and the words that the refusal must have; //common/flags:flags_test has the kinds of bad values.
REFUSALS = [
    ([], ["no program", "fib", "uts"]),
    (["fibs"], ["fibs", "btc fib lcs meet nqueens pfor uts"]),
    (["--ranks=1", "fib"], ["--ranks=1", "btc fib lcs meet nqueens pfor uts"]),
    (["fib", "--no_such"], ["--no_such", " --n ", "--ranks", "--help"]),
    (["btc", "--depth=-1"], ["--depth", "-1", "0 to 60"]),
    (["btc", "--depth=60", "--iter=4"], ["--depth", "60", "--iter=4", "fewer than 2^64 tasks"]),
    (["btc", "--fold=61"], ["--fold", "61", "0 to 60"]),
    (["btc", "--fold=3"], ["--fold: 3 with", "on shm; allowed: 0, and more", "sim"]),
    (["nqueens", "--n=21"], ["--n", "21", "1 to 20"]),
    (["fib", "--ranks=abc"], ["--ranks", "abc", "1"]),
    (["fib", "--stats=xml"], ["--stats", "xml", "line, json"]),
    (["fib", "--stats", "json"], ["unknown: json"]),
    (["fib", "--log"], ["unknown: --log"]),
    (["fib", "--n=91"], ["--n", "91", "90"]),
    (["fib", "more"], ["unknown: more;", " --n ", " --json ", " --ranks ", "--help"]),
    (["fib", "+"], ["no program before or behind a +", "btc fib lcs meet nqueens pfor uts"]),
    (["+", "fib"], ["no program before or behind a +", "btc fib lcs meet nqueens pfor uts"]),
    (["fib", "+", "fibs"], ["unknown program: fibs", "btc fib lcs meet nqueens pfor uts"]),
    (["pfor", "--n=0"], ["--n", "0", "1 to 4294967296"]),
    (["pfor", "--n=100", "--recursive"], ["--n", "100", "--recursive", "powers of two"]),
    (["uts", "--tree=T9"], ["--tree", "T9", "T1WL"]),
    (["uts", "--fork=all"], ["--fork", "all", "inline_leaves, every_child"]),
    (["uts", "--depth=x"], ["--depth", "x", "1 to 1000000"]),
    (["fib", "--region_bytes=1"], ["--region_bytes", "1", "64K to 64G"]),
]


class OutputTest(ProgramTest):
    @over("system, runtime", (([SERIAL], "serial"), ([CONT_GREEDY, "--ranks=1"], "cont_greedy")))
    def test_values(self, system, runtime):
        report = self.run_json(system, "fib", "--n=20")
        self.assertEqual(list(report)[:4], ["program", "params", "result", "runtime"])
        self.assertEqual((report["program"], report["runtime"]), ("fib", runtime))
        self.assertEqual((report["backend"], report["ranks"]), ("shm", 1))
        self.assertEqual((report["params"], report["result"]), ({"n": 20}, {"fib": 6765}))
        self.assertGreater(report["seconds"], 0)
        metrics = report["metrics"]
        self.assertEqual((metrics["spawns"], metrics["steals_ok"]), (10945, 0))
        self.assertGreater(metrics["region_bytes_max"], 0)

    def test_steals_are_told(self):
        report = self.run_json([CONT_GREEDY, "--ranks=2", "--forced_steal"], "fib", "--n=16")
        metrics = report["metrics"]
        self.assertEqual(report["ranks"], 2)
        self.assertGreater(metrics["steals_ok"], 0)
        # The mean: no frame is smaller than a saved context, none larger than the deepest stack.
        self.assertGreater(metrics["stolen_bytes"], 64 * metrics["steals_ok"])
        self.assertLess(metrics["stolen_bytes"], metrics["region_bytes_max"] * metrics["steals_ok"])
        self.assertGreater(metrics["steal_latency_ns"], metrics["task_copy_ns"])
        self.assertAlmostEqual(metrics["steal_time_s"] * 1e9 / metrics["steals_ok"], metrics["steal_latency_ns"])
        self.assertGreaterEqual(metrics["rma"]["get"]["bytes"], metrics["stolen_bytes"])

    def test_params_name_the_tree_or_describe_it(self):
        report = self.run_json([SERIAL], "uts", "--tree=T1", "--depth=3", "--sha=portable")
        self.assertEqual(report["params"]["depth"], 3)
        self.assertEqual(report["params"]["sha"], "portable")
        self.assertNotIn("tree", report["params"])

    def test_table(self):
        output = self.printed(CONT_GREEDY, "fib", "--n=10", "--ranks=1")
        self.assertRegex(output, r"fib n=10, runtime cont_greedy, network shm, 1 rank\n")
        self.assertRegex(output, r"result +fib=55\n")

    def test_help(self):
        """The program's flags, then those of every program, the network and the runtime."""
        self.check_help(SERIAL, PROGRAMS, ["--json", "\nEvery program:\n"])
        words = ["--json", "\nEvery program:\n", "--version", "--stats[=FORMAT]", "\nshm network:\n", "--ranks=N",
                 "(1 to 4096; default: ", "\ncont_greedy runtime:\n", "--region_bytes=BYTES",
                 "(64K to 64G; default: 16M)", "--forced_steal"]
        self.check_help(CONT_GREEDY, PROGRAMS, words)
        self.check_help(CONT_GREEDY, ["uts"], ["--tree=WHICH", "default: T1)"] + words)

    def test_version(self):
        self.check_version(SERIAL, "fib", "--n=3")

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
        cases = [([binary] + flags, words) for flags, words in REFUSALS for binary in (SERIAL, CONT_GREEDY)]
        cases.append(([SERIAL, "fib", "--ranks=2"], ["--ranks", "2 is not 1", "serial"]))
        check_refusals(self, cases)
