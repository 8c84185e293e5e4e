"""What tests of programs and scripts share: runs, checks of their output and of their refusals, tests of many cases."""

import contextlib
import functools
import io
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

# A tree of each kind, small enough for a steal at every spawn.
SMALL_TREES = [
    ["-t", "geometric", "-a", "fixed", "-d", "6", "-b", "4", "-r", "19"],
    ["-t", "geometric", "-a", "cyclic", "-d", "4", "-b", "5", "-r", "502"],
    ["-t", "binomial", "-b", "500", "-q", "0.1", "-m", "8", "-r", "42"],
    ["-t", "hybrid", "-a", "linear", "-d", "8", "-b", "5", "-r", "1", "-q", "0.2", "-m", "4"],
    ["-t", "balanced", "-d", "3", "-b", "40"],
    ["-t", "balanced", "-d", "2", "-b", "1"],
    ["-t", "geometric", "-b", "0"],
]


def run(*command, **options):
    """(exit status, standard output, standard error)."""
    done = subprocess.run(command, **{"capture_output": True, "text": True, "timeout": 120, **options})
    return done.returncode, done.stdout, done.stderr


def virtual(*command, **options):
    """Standard output and error of a simulated run that goes well, without its real time."""
    status, output, errors = run(*command, **options)
    assert status == 0, errors
    return output, re.sub(r" real_seconds=.*", "", errors)


def report_of(*command):
    return json.loads(virtual(*command, "--json")[0])


def run_main(main, *arguments):
    """The same of a script's main(), within this process."""
    with contextlib.redirect_stdout(io.StringIO()) as output, contextlib.redirect_stderr(io.StringIO()) as errors:
        try:
            status = main(list(arguments))
        except SystemExit as end:
            status = end.code
    is_text = isinstance(status, str)
    return 1 if is_text else status or 0, output.getvalue(), errors.getvalue() + (status + "\n" if is_text else "")


def over(names, values):
    """Makes a test with arguments of these names a subtest for each of the values."""
    names, values = names.split(", "), list(values)
    assert values, names

    def loop(test):
        @functools.wraps(test)
        def tests(self, *outer):
            for value in values:
                arguments = value if len(names) > 1 else [value]
                with self.subTest(**dict(zip(names, arguments))):
                    test(self, *outer, *arguments)
        return tests
    return loop


def folder_of(test):
    """A folder that is there until the test, or the class of tests, ends."""
    folder = tempfile.TemporaryDirectory()
    (test.addClassCleanup if isinstance(test, type) else test.addCleanup)(folder.cleanup)
    return pathlib.Path(folder.name)


def check_refusals(test, cases, run=run, status=2):
    """Expects of each (command, words) that status, and nothing but one line with all the words."""
    for command, words in cases:
        with test.subTest(command=command):
            *ended, errors = run(*command)
            test.assertEqual((*ended, errors.count("\n")), (status, "", 1), errors)
            for word in words:
                test.assertIn(word, errors)


class ProgramTest(unittest.TestCase):
    def printed(self, *command):
        """What a run prints that goes well, with nothing else."""
        status, output, errors = run(*command)
        self.assertEqual((status, errors), (0, ""))
        return output

    def run_json(self, system, *flags):
        """The report of a run of `system`, a program with its last flags; checks what all runs have in common."""
        output = self.printed(system[0], *flags, *system[1:], "--json")
        self.assertEqual(output.count("\n"), 1)
        report = json.loads(output)
        if "metrics" in report:
            check_per_rank(self, report)
        return report


def check_per_rank(test, report):
    """Checks that the times of the ranks agree with those of the whole run."""
    metrics, ranks = report["metrics"], report["ranks"]
    per_rank = metrics["per_rank"]
    for name in ("busy_s", "idle_s"):
        test.assertTrue(0 <= per_rank[name]["least"] <= per_rank[name]["most"], per_rank)
    busy, idle = per_rank["busy_s"], per_rank["idle_s"]
    if busy["most"] + idle["most"] == 0:
        # Plain calls cost nothing on a simulated machine.
        test.assertEqual((metrics["busy_share"], report["seconds"]), (0, 0))
        return
    # The share if all ranks were as little busy and as idle as any rank is, or the other way round.
    shares = [busy["least"] / (busy["least"] + idle["most"]), busy["most"] / (busy["most"] + idle["least"])]
    test.assertTrue(0 < metrics["busy_share"] <= 1, metrics)
    test.assertTrue(shares[0] - 1e-9 <= metrics["busy_share"] <= shares[1] + 1e-9, (shares, metrics))
    if report["runtime"] == "pool_glb_hybrid" and report["backend"] == "sim" and ranks > 1:
        # A manager has no tasks, and waits.
        test.assertEqual(per_rank["tasks"]["least"], 0)
        test.assertLess(busy["least"], idle["most"] / 2)
    if ranks == 1:
        test.assertEqual((busy["most"], idle["most"]), (busy["least"], idle["least"]))
        test.assertAlmostEqual(busy["most"] + idle["most"], report["seconds"], places=6)
