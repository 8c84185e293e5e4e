"""Tests the subcommands of bench/measure.py that measure this machine: arithmetic, tables, files, refusals."""

import json
import sys
import unittest
from unittest import mock

import measure
from measuring import real, shared
from measuring.testing import BENCH, cells_of, ended, kept, printed
from program_checks import folder_of, run, run_main

SMALL = ["compare", "--fib=12", "--uts=--depth=4", "--mpi=none", "--binaries=bench"]


def made(program, script):
    """The path of a program that is this script."""
    program.write_text("#!/bin/bash\n%s\n" % script)
    program.chmod(0o755)
    return program


class HelpTest(unittest.TestCase):
    def test_each_subcommand_stands_in_a_line_and_explains_itself(self):
        lines = printed("--help").splitlines()
        self.assertEqual(len(shared.SUBCOMMANDS), 4)
        for name, (function, arguments) in shared.SUBCOMMANDS.items():
            [line] = [line for line in lines if line.startswith("    %s " % name)]
            self.assertTrue(line.endswith("  " + function.__doc__.splitlines()[0]))
            for argument, _ in arguments:
                self.assertIn(argument if argument.startswith("-") else "positional", printed(name, "--help"))

    def test_refusals(self):
        ended(self, 2, "SUBCOMMAND")
        ended(self, 2, "invalid choice: 'nonsense'", "nonsense")
        ended(self, 2, "--rep=1", "compare", "--rep=1")

    def test_as_a_program(self):
        self.assertEqual(run(sys.executable, BENCH / "measure.py", "turns", "--repeat=0", "a=true"),
                         (2, "", "measure.py turns: --repeat=0: must be a number from 1\n"))


class CompareTest(unittest.TestCase):
    def verdicts(self, times, *arguments):
        options = measure.parser().parse_args(["compare"] + list(arguments))
        runs = {name: [{"seconds": one, "metrics": {"spawns": 1000}} for one in seconds]
                for name, seconds in times.items()}
        return {row["measurement"]: (row["value"], row["met"]) for row in real.verdicts(options, runs)}

    def test_medians_and_bounds(self):
        found = self.verdicts({"fib 1": [9, 0.0000125, 0], "fib 2": [0.00000625], "uts serial": [0.92],
                               "uts 1": [1, 1, 7], "uts 2": [0.5], "uts 8": [0.66]}, "--mpi=none")
        self.assertEqual(len(found), 5)
        value, met = found["fib(34), 1 rank: ns per fork + join"]
        self.assertAlmostEqual(value, 12.5)
        self.assertTrue(met)
        self.assertEqual(found["fib(34), 2 ranks: speed / 1 rank's"], (2, True))
        self.assertEqual(found["UTS, 1 rank: speed / serial's"], (0.92, False))
        self.assertEqual(found["UTS, 2 ranks: speed / 1 rank's"], (2, True))
        self.assertEqual(found["UTS, 8 ranks: time / 2 ranks'"], (1.32, False))

    def test_mpi(self):
        self.assertEqual(self.verdicts({"fib mpi 1": [1.6], "fib mpi 2": [1]}, "--only=mpirun"),
                         {"fib(34), mpirun -n 2: speed / -n 1's": (1.6, False)})
        options = measure.parser().parse_args(["compare", "--mpi=mpich", "--fib=9"])
        with mock.patch.object(real.shutil, "which", lambda name: name == "mpirun.mpich"):
            command = real.systems(options)["fib mpi 2"]
        self.assertEqual(command,
                         [real.RUN_MPI, "--flavor=mpich", "--launcher=mpirun.mpich", "--ranks=2",
                          "bazel-bin/bench/cont_greedy_mpi", "fib", "--n=9", "--json"])

    def test_medians_with_least_and_most(self):
        found = real.summary([{"seconds": s, "metrics": {"spawns": n, "none": 0, "rma": {"get": n}}}
                              for s, n in ((3, 5), (1, 9), (8, 2))])
        self.assertEqual(found, {"runs": 3, "seconds": {"median": 3, "min": 1, "max": 8},
                                 "metrics": {"spawns": {"median": 5, "min": 2, "max": 9}}})
        path = folder_of(self) / "out.json"
        shared.save(mock.Mock(out=str(path), command_line="x"), **found)
        self.assertEqual(json.loads(path.read_text()), {"command": "x", **found})
        self.assertIn('"seconds": {"median": 3, "min": 1, "max": 8},\n', path.read_text())

    def test_tables_and_file(self):
        output, written = kept(*SMALL, "--repeat=2")
        head, first, second = output.split("\n\n")
        self.assertRegex(head, r", \d+ cores:$")
        self.assertEqual([len(cells_of(table)) for table in (first, second)], [5, 6])
        self.assertIn("| `bench/cont_greedy fib --n=12 --ranks=2 --json` | ", second)
        for table in (first, second):
            self.assertEqual(len({line.count("|") for line in table.splitlines()}), 1)
        self.assertEqual([row[3] for row in cells_of(first)],
                         ["met" if row["met"] else "missed" for row in written["verdicts"]])
        self.assertTrue(written["command"].startswith("bench/measure.py " + " ".join(SMALL) + " --repeat=2"))
        for system in written["runs"]:
            self.assertEqual(system["runs"], 2)
            self.assertIn(" fib " if "fib" in system["name"] else " uts ", system["command"])
            self.assertLessEqual(system["seconds"]["min"], system["seconds"]["median"])

    def test_status_and_only(self):
        for met in (True, False):
            row = {"measurement": "a", "value": 1, "target": "b", "met": met}
            with mock.patch.object(real, "verdicts", lambda options, runs: [row]):
                status, output, _ = run_main(measure.main, *SMALL, "--repeat=1", "--only=ns per")
            self.assertEqual((status, len(cells_of(output))), (0 if met else 1, 1 + 1))

    def test_refusals_and_failures(self):
        ended(self, 1, "exit status 2 from: bench/", *SMALL, "--repeat=1", "--fib=91")
        ended(self, 2, "--only=nonsense: must be", "compare", "--only=nonsense")


class TurnsTest(unittest.TestCase):
    def test_ratios(self):
        first, other = real.turns_rows({"a": [1, 2, 4], "b": [2, 2, 2]})
        self.assertEqual(first, ["a", "2", "1", "4", "1.000", "1.000", "1.000 to 1.000"])
        self.assertEqual(other, ["b", "2", "2", "2", "1.000", "1.000", "0.750 to 1.500"])
        self.assertEqual(list(real.turns_rows({"a": [2], "b": [3]}))[1][4:], ["1.500", "1.500", "1.500 to 1.500"])
        # Nothing to compare with.
        self.assertEqual(list(real.turns_rows({"a": [0], "b": [2]}))[1], ["b", "2", "2", "2", "", "", ""])

    def test_turns_go_to_and_fro(self):
        folder = folder_of(self)
        program = made(folder / "program", 'echo -n "$1" >> %s/notes\n'
                       'echo "{\\"seconds\\": 1, \\"metrics\\": {\\"n\\": $2}}"' % folder)
        output, written = kept("turns", "--repeat=3", "--value=metrics.n", "a=%s A 2" % program, "b=%s B 3" % program)
        self.assertEqual(output.splitlines()[2:], ["| a | 2 | 2 | 2 | 1.000 | 1.000 | 1.000 to 1.000 |",
                                                   "| b | 3 | 3 | 3 | 1.500 | 1.500 | 1.500 to 1.500 |"])
        self.assertEqual((folder / "notes").read_text(), "ABBAAB")
        self.assertEqual(written["values"], {"a": [2, 2, 2], "b": [3, 3, 3]})

    def test_refusals(self):
        ended(self, 2, "true: must be NAME=COMMAND", "turns", "true")
        ended(self, 2, "a=true: must be NAME=COMMAND", "turns", "a=true", "a=true")
        ended(self, 1, "no report in JSON from: true --json", "turns", "a=true")
        ended(self, 1, "/dev/null does not run (Permission denied)", "turns", "a=/dev/null")
        ended(self, 2, "--value=no.such: must name a number", "turns", "--value=no.such", "a=bash -c 'echo {}'")


class PeersTest(unittest.TestCase):
    def test_forks(self):
        self.assertEqual([real.forks(n) for n in (0, 1, 2, 3, 20, 24)], [0, 0, 1, 2, 10945, 75024])

    def test_table_and_file(self):
        folder = folder_of(self)
        # Each run takes the next line of the file that is named after its command.
        for name, flags, times in (("child_rtc", "fib --n=4 --ranks=1 --json", (10, 30, 12)),
                                   ("child_rtc", "fib --n=4 --ranks=2 --json", (8, 6, 5)),
                                   ("tbb", "4 1", (50, 70, 60)), ("tbb", "4 2", (50, 20, 40))):
            made(folder / name, 'head -1 "$0 $*" && sed -i 1d "$0 $*"')
            (folder / ("%s %s" % (name, flags))).write_text(
                "".join('{"seconds": %de-9}\n' % (real.forks(4) * ns) for ns in times))
        output, written = kept("peers", "--repeat=3", "--fib=4", "--binaries=%s" % folder, "--peers=%s" % folder)
        self.assertEqual(cells_of(output), [["child_rtc", "12.0 (10.0 to 30.0)", "6.0 (5.0 to 8.0)"],
                                            ["tbb", "60.0 (50.0 to 70.0)", "40.0 (20.0 to 50.0)"]])
        self.assertEqual([round(ns) for ns in written["fork_join_ns"]["tbb 2"]], [50, 20, 40])
        self.assertEqual(written["commands"]["tbb 2"], "%s/tbb 4 2" % folder)

    def test_refusals(self):
        ended(self, 2, "--fib=1: must be a number from 2 to 90", "peers", "--fib=1")
