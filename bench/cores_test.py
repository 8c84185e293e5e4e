#!/usr/bin/env python3
"""Tests cores.py over a process that computes and one that sleeps, and its refusals."""

import pathlib
import re
import subprocess
import sys
import unittest

CORES = pathlib.Path(__file__).resolve().parent / "cores.py"


def run(*arguments):
    return subprocess.run([sys.executable, str(CORES)] + list(arguments), capture_output=True, text=True)


class CoresTest(unittest.TestCase):
    def test_who_computes(self):
        done = run("--after=0.3", "--seconds=0.5", "bash", "-c", "sleep 60 & while true; do true; done")
        self.assertEqual(done.returncode, 0, done.stderr)
        shares = [float(share) for share in re.findall(r"process \d+: (\d+\.\d\d) %", done.stdout)]
        self.assertEqual(len(shares), 2)
        self.assertGreater(shares[0], shares[1])

    def test_ends_too_soon(self):
        done = run("--after=60", "true")
        self.assertEqual((done.returncode, done.stderr), (1, "cores: the job has ended before its time\n"))

    def test_refusals(self):
        self.assertEqual(run().returncode, 2)
        self.assertEqual(run("--seconds=0", "true").returncode, 2)


if __name__ == "__main__":
    unittest.main(verbosity=2)
