"""The matrix is whole, and tests/README.md shows it as it is: which table.bzl has it, and nothing but that."""

import functools
import unittest

import matrix
from program_checks import check_refusals, run, run_main
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
        self.assertEqual(programs["pool"] + programs["async"], programs_in(BINARIES["async"]))

    def test_every_runtime_is_in_the_table(self):
        self.assertEqual(set(matrix.RUNTIMES), {path.stem for path in (ROOT / "runtimes").rglob("*.cc")})

    def test_exceptions_name_what_there_is_and_say_why(self):
        known = {"runtimes": set(matrix.RUNTIMES), "networks": set(matrix.NETWORKS), "ranks": set(matrix.RANKS),
                 "programs": {program for runtime in matrix.RUNTIMES for program in matrix.programs_of(runtime)}}
        for exception in matrix.EXCEPTIONS:
            self.assertTrue(exception["why"])
            self.assertLessEqual(set(exception), set(known) | {"why", "says"})
            for name in set(exception) & set(known):
                self.assertLessEqual(set(exception[name]), known[name])

    def test_every_runtime_runs_each_of_its_programs_somewhere(self):
        for runtime in matrix.RUNTIMES:
            for program in matrix.programs_of(runtime):
                for network in ("shm", "sim"):
                    self.assertIn(1, matrix.ranks_of(runtime, program, network))


class PictureTest(unittest.TestCase):
    def test_the_readme_shows_the_matrix(self):
        shown = (ROOT / "tests/README.md").read_text()
        missing = [line for line in matrix.markdown().splitlines() if line not in shown.splitlines()]
        self.assertEqual(missing, [], "print it anew: tests/matrix/matrix.py --markdown")
        self.assertTrue("\n" + matrix.markdown() + "\n" in shown, "tests/README.md has other lines in between")

    def test_a_cell_says_where_its_runs_are(self):
        self.assertEqual(matrix.mark("cont_greedy", "fib", "shm"), matrix.ALL)
        self.assertEqual(matrix.mark("child_rtc", "lcs", "shm"), matrix.SOME)
        self.assertEqual(matrix.mark("serial", "fib", "mpi"), matrix.NONE)

    def test_bad_flags_are_refused_in_one_line(self):
        check_refusals(self, [(arguments, ["--markdown"]) for arguments in ([], ["--html"], ["--markdown", "more"])],
                       functools.partial(run_main, matrix.main))
