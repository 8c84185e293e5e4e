"""One runtime over one network: all its programs, on all numbers of ranks, as table.bzl has it.

Usage: matrix_test.py RUNTIME NETWORK BINARY [RUN_MPI FLAVOR LAUNCHER]    (third_party/mpi/run_mpi.sh and its flags)
"""

import functools
import json
import sys
import unittest

import checks
import matrix
import trace_file
from program_checks import folder_of, report_of, run
from trace_checks import with_all_events

RUNTIME, NETWORK, BINARY, *MPI = sys.argv[1:]
del sys.argv[1:]
ROW, OVER = matrix.RUNTIMES[RUNTIME], matrix.NETWORKS[NETWORK]
PROGRAMS = matrix.programs_of(RUNTIME)


@functools.lru_cache(maxsize=None)
def serial(program):
    binary = "bench/serial" if ROW["kinds"][0] == "fork_join" else "bench/pool_serial"
    return report_of(binary, program, *PROGRAMS[program]["flags"])


class MatrixTest(unittest.TestCase):
    def setUp(self):
        self.folder = folder_of(self)

    def trace(self, program):
        return str(self.folder / (program + ".json"))

    def arguments(self, program, ranks, room):
        """The program and its flags, with the flag that gives room for events."""
        forced = ROW.get("forced") and OVER.get("forced") and ranks > 1
        return [program, *PROGRAMS[program]["flags"], *ROW.get("flags", []), *OVER.get("flags", []), "--json",
                *([] if MPI else ["--ranks=%d" % ranks]), *(["--forced_steal"] if forced else []),
                "--trace=" + self.trace(program), room]

    def job(self, programs, ranks, room="--trace_events=65536"):
        """(exit status, standard output, standard error) of programs that run one after the other."""
        launch = []
        if MPI:
            run_mpi, flavor, launcher = MPI
            launch = [run_mpi, "--flavor=" + flavor, "--launcher=" + launcher, "--ranks=%d" % ranks]
        joined = [word for program in programs for word in ["+", *self.arguments(program, ranks, room)]][1:]
        return run(*launch, BINARY, *joined, timeout=800 if MPI else 60)

    def check(self, program, ranks, report):
        self.assertEqual((report["program"], report["runtime"], report["backend"], report["ranks"]),
                         (program, RUNTIME, "mpi" if MPI else NETWORK, ranks))
        tracks = trace_file.load(self.trace(program))
        if any(map(trace_file.dropped, tracks.values())):
            report, tracks = with_all_events(lambda room: self.traced(program, ranks, room))
        checks.check_run(self, PROGRAMS[program], report, tracks, serial(program))
        if OVER.get("forced") and ranks >= ROW.get("forced", ranks + 1):
            self.assertGreater(report["metrics"]["steals_ok"], 0)

    def traced(self, program, ranks, room):
        status, output, errors = self.job([program], ranks, room)
        self.assertEqual(status, 0, errors)
        return json.loads(output), trace_file.load(self.trace(program))

    def run_on(self, ranks):
        moved = 0
        programs = [program for program in PROGRAMS if ranks in matrix.ranks_of(RUNTIME, program, NETWORK)]
        for job in [programs] if OVER.get("one_job") else [[program] for program in programs]:
            status, output, errors = self.job(job, ranks)
            lines = output.splitlines()
            for program, report in zip(job, map(json.loads, lines)):
                moved += report["metrics"]["steals_ok"] + report["metrics"].get("lifeline_loads", 0)
                with self.subTest(program=program):
                    self.check(program, ranks, report)
            with self.subTest(program=job[min(len(lines), len(job) - 1)]):
                self.assertEqual((status, len(lines)), (0, len(job)), errors)
        # The simulated schedule is always the same, so it is certain that tasks were stolen. Of two ranks one may be
        # a manager.
        if NETWORK == "sim" and ranks > 2:
            self.assertGreater(moved, 0)


for number in matrix.RANKS:
    if any(number in matrix.ranks_of(RUNTIME, program, NETWORK) for program in PROGRAMS):
        setattr(MatrixTest, "test_on_%d_rank%s" % (number, "s" if number > 1 else ""), functools.partialmethod(
            MatrixTest.run_on, number))

if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
