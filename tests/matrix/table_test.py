"""The matrix is whole."""

import unittest

import matrix
from program_checks import run
from source_tree import ROOT

BINARIES = {"fork_join": "bench/serial", "pool": "bench/pool_sws", "async": "bench/pool_serial"}


def programs_in(binary):
    listed = run(binary, "--help")[1].split("\nPrograms:\n")[1].split("\n\n")[0]
    return [line.split()[0] for line in listed.splitlines()]


class TableTest(unittest.TestCase):
    def test_every_program_is_in_the_table(self):
        programs = {kind: list(rows) for kind, rows in matrix.TABLE["PROGRAMS"].items()}
        self.assertEqual(programs["fork_join"], programs_in(BINARIES["fork_join"]))
        self.assertEqual(programs["pool"], programs_in(BINARIES["pool"]))
        self.assertEqual(sorted(programs["pool"] + programs["async"]), programs_in(BINARIES["async"]))

    def test_every_runtime_is_in_the_table(self):
        self.assertEqual(set(matrix.RUNTIMES), {path.stem for path in (ROOT / "runtimes").rglob("*.cc")})

    def test_every_runtime_runs_each_of_its_programs_somewhere(self):
        for runtime in matrix.RUNTIMES:
            for program in matrix.programs_of(runtime):
                for network in ("shm", "sim"):
                    self.assertIn(1, matrix.ranks_of(runtime, program, network))
