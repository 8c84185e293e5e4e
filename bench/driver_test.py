#!/usr/bin/env python3
"""What every program prints, and how the driver and the programs refuse bad input."""

import json
import subprocess
import unittest

SERIAL = "bench/serial"
CONT_GREEDY = "bench/cont_greedy"

FIELDS = ["program", "runtime", "backend", "ranks", "params", "result", "seconds", "metrics"]
METRICS = [
    "spawns", "steals_ok", "steals_failed", "steal_latency_ns", "stolen_bytes", "task_copy_ns",
    "steal_time_s", "search_time_s", "outstanding_joins", "outstanding_join_time_ns", "join_losers",
    "die_losers", "region_bytes_max", "rma",
]
OPERATIONS = ["get", "put", "fetch_add", "fetch_or", "swap", "compare_swap", "put_nb", "fetch_add_nb", "flush"]


def run(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


class OutputTest(unittest.TestCase):
    def run_json(self, *command):
        status, output, errors = run(*command, "--json")
        self.assertEqual((status, errors), (0, ""))
        self.assertEqual(output.count("\n"), 1, "one line")
        return json.loads(output)

    def test_fields(self):
        for binary, runtime in ((SERIAL, "serial"), (CONT_GREEDY, "cont_greedy")):
            for program in (["fib", "--n=12"], ["uts", "--depth=4"]):
                with self.subTest(binary=binary, program=program):
                    told = self.run_json(binary, *program, "--ranks=1")
                    self.assertEqual(list(told), FIELDS)
                    self.assertEqual(list(told["metrics"]), METRICS)
                    self.assertEqual(list(told["metrics"]["rma"]), OPERATIONS)
                    for count in told["metrics"]["rma"].values():
                        self.assertEqual(list(count), ["operations", "bytes"])
                    self.assertEqual(told["program"], program[0])
                    self.assertEqual(told["runtime"], runtime)
                    self.assertEqual((told["backend"], told["ranks"]), ("shm", 1))
                    self.assertGreater(told["seconds"], 0)
                    self.assertGreater(told["metrics"]["region_bytes_max"], 0)

    def test_values(self):
        for binary in (SERIAL, CONT_GREEDY):
            told = self.run_json(binary, "fib", "--n=20", "--ranks=1")
            self.assertEqual(told["params"], {"n": 20})
            self.assertEqual(told["result"], {"fib": 6765})
            self.assertEqual(told["metrics"]["spawns"], 10945)
            self.assertEqual(told["metrics"]["steals_ok"], 0)

    def test_serial_takes_one_rank_by_default(self):
        self.assertEqual(self.run_json(SERIAL, "fib", "--n=5")["ranks"], 1)

    def test_steals_are_told(self):
        told = self.run_json(CONT_GREEDY, "fib", "--n=16", "--ranks=2", "--forced_steal")
        metrics = told["metrics"]
        self.assertEqual(told["ranks"], 2)
        self.assertGreater(metrics["steals_ok"], 0)
        # A mean: no frame is smaller than a saved context, none larger than the deepest stack.
        self.assertGreater(metrics["stolen_bytes"], 64 * metrics["steals_ok"])
        self.assertLess(metrics["stolen_bytes"], metrics["region_bytes_max"] * metrics["steals_ok"])
        self.assertGreater(metrics["steal_latency_ns"], metrics["task_copy_ns"])
        self.assertAlmostEqual(metrics["steal_time_s"] * 1e9 / metrics["steals_ok"], metrics["steal_latency_ns"])
        self.assertGreaterEqual(metrics["rma"]["get"]["bytes"], metrics["stolen_bytes"])

    def test_params_name_the_tree_or_describe_it(self):
        told = self.run_json(SERIAL, "uts", "--tree=T1", "--depth=3", "--sha=portable")
        self.assertEqual(told["params"]["depth"], 3)
        self.assertEqual(told["params"]["sha"], "portable")
        self.assertNotIn("tree", told["params"])

    def test_table(self):
        status, output, _ = run(CONT_GREEDY, "fib", "--n=10", "--ranks=1")
        self.assertEqual(status, 0)
        self.assertRegex(output, r"fib n=10, runtime cont_greedy, network shm, 1 rank\n")
        self.assertRegex(output, r"result +fib=55\n")

    def test_help(self):
        status, output, _ = run(SERIAL, "--help")
        self.assertEqual(status, 0)
        for word in ("serial runtime", "shm network", "  fib ", "  uts "):
            self.assertIn(word, output)
        status, output, _ = run(CONT_GREEDY, "uts", "--help")
        self.assertEqual(status, 0)
        for flag in ("--tree", "--json", "--ranks", "--region_bytes", "--forced_steal"):
            self.assertIn(flag, output)


class RefusalTest(unittest.TestCase):
    def assert_refused(self, command, *words):
        status, output, errors = run(*command)
        with self.subTest(command=command):
            self.assertEqual(status, 2)
            self.assertEqual(output, "")
            self.assertEqual(errors.count("\n"), 1, errors)
            for word in words:
                self.assertIn(word, errors)

    def test_refusals(self):
        for binary in (SERIAL, CONT_GREEDY):
            self.assert_refused([binary], "no program", "fib", "uts")
            self.assert_refused([binary, "fibs"], "fibs", "fib uts")
            self.assert_refused([binary, "--ranks=1", "fib"], "--ranks=1", "fib uts")
            self.assert_refused([binary, "fib", "--no_such"], "--no_such", "--ranks")
            self.assert_refused([binary, "fib", "--n=91"], "--n", "91", "90")
            self.assert_refused([binary, "fib", "--n=-1"], "--n", "-1")
            self.assert_refused([binary, "fib", "--n=x"], "--n", "x")
            self.assert_refused([binary, "fib", "more"], "more")
            self.assert_refused([binary, "fib", "--ranks=0"], "--ranks", "0")
            self.assert_refused([binary, "uts", "--tree=T9"], "--tree", "T9", "T1WL")
            self.assert_refused([binary, "fib", "--region_bytes=1"], "--region_bytes", "1")

    def test_serial_refuses_more_ranks(self):
        self.assert_refused([SERIAL, "fib", "--ranks=2"], "--ranks", "2 is not 1", "serial")


if __name__ == "__main__":
    unittest.main(verbosity=2)
