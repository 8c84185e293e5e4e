"""Tests programs built for AArch64: their answers, which must equal those of this machine's build where they should."""

import glob
import json
import re
import subprocess
import unittest

HERE = "tests/aarch64/"
TREE = ["uts", "-t", "geometric", "-a", "cyclic", "-d", "4", "-b", "5", "-r", "502"]


def run(*command):
    """(standard output, the virtual figures of standard error)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=120, check=True)
    return done.stdout, re.sub(r" real_seconds=.*", "", done.stderr)


def run_json(*command):
    return json.loads(run(*command, "--json")[0])


class RealTest(unittest.TestCase):
    def test_uts(self):
        for ranks in (1, 2, 4):
            with self.subTest(ranks=ranks):
                result = run_json(HERE + "bench_shm", "uts", "--tree=T3", "--ranks=%d" % ranks)["result"]
                self.assertEqual(result, {"nodes": 4112897, "max_depth": 1572, "leaves": 3599034})

    def test_forced_steals(self):
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                run_ = run_json(HERE + "bench_shm", "fib", "--n=16", "--forced_steal", "--ranks=%d" % ranks)
                self.assertEqual(run_["result"], {"fib": 987})
                self.assertGreater(run_["metrics"]["steals_ok"], 0)


class SimulatedTest(unittest.TestCase):
    def test_networks_are_the_same(self):
        for flags in (
            ["--ranks=1"],
            ["--ranks=7", "--net=ito_a,node_size=3"],
            ["--ranks=100", "--net=fx10", "--steps=100"],
            *(["--ranks=4", "--explore", "--seed=7", "--memory=" + memory] for memory in ("sc", "tso", "pso")),
        ):
            with self.subTest(flags=flags):
                here = run("tests/sim/traffic", *flags, "--sim_stats")
                self.assertRegex(here[1], "hash=[0-9a-f]{16}")
                self.assertEqual(run(HERE + "traffic", *flags, "--sim_stats"), here)

    def test_programs_are_the_same(self):
        """Times on one rank agree to the picosecond; frames that move have other sizes."""
        for program in (["fib", "--n=18"], TREE):
            for machine in ("ito_a", "wisteria_o"):
                with self.subTest(program=program, machine=machine):
                    flags = [*program, "--ranks=1", "--net=" + machine, "--sim_stats"]
                    self.assertEqual(run(HERE + "bench_sim", *flags)[1], run("bench/cont_greedy_sim", *flags)[1])
                    flags = [*program, "--ranks=64", "--net=" + machine]
                    self.assertEqual(run_json(HERE + "bench_sim", *flags)["result"],
                                     run_json("bench/cont_greedy_sim", *flags)["result"])


class FilesTest(unittest.TestCase):
    def test_no_executable_stack(self):
        programs = glob.glob(HERE + "*.aarch64")
        self.assertGreaterEqual(len(programs), 10)
        for program in programs:
            with self.subTest(program=program):
                headers = run("aarch64-linux-gnu-readelf", "-hlW", program)[0]
                self.assertRegex(headers, r"Machine: +AArch64")
                self.assertRegex(headers, r"GNU_STACK.* RW +0x")
