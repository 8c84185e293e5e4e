#!/usr/bin/env python3
"""Tests recpfor.py on tiny inputs: its table, once more from its file, its refusals."""

import contextlib
import io
import json
import os
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import recpfor


def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        recpfor.main(list(arguments))
    return output.getvalue()


class RecpforTest(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            table = printed("--n=64,128", "--ranks=4", "--seeds=3", "--binaries=bench/cont_greedy_sim", "--out=" + path)
            with open(path) as file:
                rows = json.load(file)["runs"]
            self.assertEqual(printed("--table=" + path), table)
        self.assertEqual([len(runs) for runs in rows], [3, 3])
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        self.assertEqual([row[:2] for row in cells[2:]], [["64", "`cont_greedy`"], ["128", "`cont_greedy`"]])
        for row, runs in zip(cells[2:], rows):
            seconds = sorted(run["seconds"] for run in runs)
            self.assertEqual(row[2], "%.4g (%.4g to %.4g)" % (seconds[1], seconds[0], seconds[2]))
            self.assertEqual(row[3], "{:,}".format(sorted(run["metrics"]["steals_ok"] for run in runs)[1]))

    def test_refusals(self):
        for bad in ("--n=x", "--n=0", "--seeds=0", "--ranks=0"):
            with contextlib.redirect_stderr(io.StringIO()) as error, self.assertRaises(SystemExit) as exit:
                recpfor.main([bad])
            self.assertEqual(exit.exception.code, 2)
            self.assertIn(bad.split("=")[0] if bad != "--n=0" else "0", error.getvalue())


if __name__ == "__main__":
    unittest.main()
