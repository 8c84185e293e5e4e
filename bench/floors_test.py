#!/usr/bin/env python3
"""Tests floors.py's arithmetic, its tables and its refusals."""

import contextlib
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import floors

PRINTED = "\n".join("%5.1f ns  %s" % (2 + i, what) for i, what in enumerate(
    sorted({floor for _, _, floor in floors.RUNTIMES})))


class FloorsTest(unittest.TestCase):
    def test_forks(self):
        self.assertEqual([floors.forks(n) for n in (0, 1, 2, 3, 20, 24, 34)], [0, 0, 1, 2, 10945, 75024, 9227464])

    def test_reads_what_the_floor_prints(self):
        self.assertEqual(len(floors.floors(PRINTED)), 4)

    def test_a_floor_is_missing(self):
        with contextlib.redirect_stderr(io.StringIO()) as errors, self.assertRaises(SystemExit) as end:
            floors.floors(PRINTED.replace("plain calls", "no calls"))
        self.assertEqual(end.exception.code, 1)
        self.assertIn("floors: %s prints no line of: plain calls" % floors.FLOOR, errors.getvalue())

    def test_tables(self):
        below = {what: [ns] for what, ns in floors.floors(PRINTED).items()}
        above = {name: [10, 20, 12] for name, _, _ in floors.RUNTIMES}
        with contextlib.redirect_stdout(io.StringIO()) as output:
            floors.print_tables(floors.tables(below, above, {name: 75.4 for name in above}))
        lines = output.getvalue().splitlines()
        least = below[floors.CALLS][0]
        self.assertIn("| %s | %.1f | %.1f | %.1f |" % (floors.CALLS, least, least, least), lines)
        self.assertIn("| `serial` | 12.0 | 10.0 | 20.0 | %.1f | %.1f | 75 |" % (least, 12 - least), lines)
        self.assertEqual(lines[1], "|---|---|---|---|")
        self.assertEqual(lines[lines.index("") + 2], "|---|---|---|---|---|---|---|")

    def test_refusals(self):
        for arguments, words in ((["--repeat=0"], "--repeat=0: must be at least 1"), (["--no"], "--no")):
            with self.subTest(arguments), contextlib.redirect_stderr(io.StringIO()) as errors:
                with self.assertRaises(SystemExit) as end:
                    floors.main(arguments)
                self.assertEqual(end.exception.code, 2)
                self.assertIn("floors: ", errors.getvalue())
                self.assertIn(words, errors.getvalue())


if __name__ == "__main__":
    unittest.main()
