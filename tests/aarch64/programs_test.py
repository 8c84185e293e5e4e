"""Tests programs built for AArch64: their answers, which must equal those of this machine's build where they should."""

import glob
import unittest

from program_checks import over, report_of, virtual

HERE = "tests/aarch64/"
TREE = ["uts", "-t", "geometric", "-a", "cyclic", "-d", "4", "-b", "5", "-r", "502"]


class RealTest(unittest.TestCase):
    @over("ranks", (1, 2, 4))
    def test_uts(self, ranks):
        result = report_of(HERE + "bench_shm", "uts", "--tree=T3", "--ranks=%d" % ranks)["result"]
        self.assertEqual(result, {"nodes": 4112897, "max_depth": 1572, "leaves": 3599034})

    @over("ranks", (2, 4))
    def test_forced_steals(self, ranks):
        run_ = report_of(HERE + "bench_shm", "fib", "--n=16", "--forced_steal", "--ranks=%d" % ranks)
        self.assertEqual(run_["result"], {"fib": 987})
        self.assertGreater(run_["metrics"]["steals_ok"], 0)


class SimulatedTest(unittest.TestCase):
    @over("flags", (
        ["--ranks=1"],
        ["--ranks=7", "--net=ito_a,node_size=3"],
        ["--ranks=100", "--net=fx10", "--steps=100"],
        *(["--ranks=4", "--explore", "--seed=7", "--memory=" + memory] for memory in ("sc", "tso", "pso")),
    ))
    def test_networks_are_the_same(self, flags):
        here = virtual("tests/sim/traffic", *flags, "--sim_stats")
        self.assertRegex(here[1], "hash=[0-9a-f]{16}")
        self.assertEqual(virtual(HERE + "traffic", *flags, "--sim_stats"), here)

    @over("program", (["fib", "--n=18"], TREE))
    @over("machine", ("ito_a", "wisteria_o"))
    def test_programs_are_the_same(self, program, machine):
        """Times on one rank agree to the picosecond; frames that move have other sizes."""
        flags = [*program, "--ranks=1", "--net=" + machine, "--sim_stats"]
        self.assertEqual(virtual(HERE + "bench_sim", *flags)[1], virtual("bench/cont_greedy_sim", *flags)[1])
        flags = [*program, "--ranks=64", "--net=" + machine]
        self.assertEqual(report_of(HERE + "bench_sim", *flags)["result"],
                         report_of("bench/cont_greedy_sim", *flags)["result"])


class FilesTest(unittest.TestCase):
    def test_no_executable_stack(self):
        programs = glob.glob(HERE + "*.rebuilt")
        self.assertGreaterEqual(len(programs), 10)
        for program in programs:
            with self.subTest(program=program):
                headers = virtual("aarch64-linux-gnu-readelf", "-hlW", program)[0]
                self.assertRegex(headers, r"Machine: +AArch64")
                self.assertRegex(headers, r"GNU_STACK.* RW +0x")
