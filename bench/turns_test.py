#!/usr/bin/env python3
"""Tests turns.py's arithmetic, its refusals, and one run of it."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import turns


def printed(arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        turns.main(arguments)
    return output.getvalue().splitlines()


class ArithmeticTest(unittest.TestCase):
    def test_ratios(self):
        first, other = turns.rows({"a": [1, 2, 4], "b": [2, 2, 2]})
        self.assertEqual(first, ["a", "2", "1", "4", "1.000", "1.000", "1.000 to 1.000"])
        self.assertEqual(other, ["b", "2", "2", "2", "1.000", "1.000", "0.750 to 1.500"])

    def test_nothing_to_compare_with(self):
        self.assertEqual(list(turns.rows({"a": [0], "b": [2]}))[1], ["b", "2", "2", "2", "", "", ""])


class RunTest(unittest.TestCase):
    def test_turns_go_to_and_fro(self):
        with tempfile.TemporaryDirectory() as folder:
            notes, out = os.path.join(folder, "notes"), os.path.join(folder, "out")
            program = os.path.join(folder, "program")
            with open(program, "w") as script:
                script.write('#!/bin/bash\necho -n "$1" >> %s\necho "{\\"seconds\\": 1, \\"metrics\\": {\\"n\\": $2}}"\n'
                             % notes)
            os.chmod(program, 0o755)
            command = ["--repeat=3", "--value=metrics.n", "--out=" + out, "a=%s A 2" % program, "b=%s B 3" % program]
            lines = printed(command)
            self.assertEqual(lines[2:], ["| a | 2 | 2 | 2 | 1.000 | 1.000 | 1.000 to 1.000 |",
                                         "| b | 3 | 3 | 3 | 1.500 | 1.500 | 1.500 to 1.500 |"])
            self.assertEqual(pathlib.Path(notes).read_text(), "ABBAAB")
            with open(out) as kept:
                self.assertEqual(json.load(kept)["values"], {"a": [2, 2, 2], "b": [3, 3, 3]})

    def test_refusals(self):
        for arguments, words in ((["--repeat=0", "a=true"], "--repeat=0: must be at least 1"),
                                 (["true"], "true: must be NAME=COMMAND"),
                                 (["a=true", "a=true"], "a=true: must be NAME=COMMAND"),
                                 (["--value=no.such", "--repeat=1", "a=bash -c 'echo {}'"], "--value=no.such: no number")):
            with self.subTest(arguments), contextlib.redirect_stderr(io.StringIO()) as errors:
                with self.assertRaises(SystemExit) as end:
                    printed(arguments)
                self.assertEqual(end.exception.code, 2)
                self.assertIn("turns: " + words, errors.getvalue())


if __name__ == "__main__":
    unittest.main(verbosity=2)
