#!/usr/bin/env python3
"""Tests places.py on tiny inputs: its table, its file, its refusals."""

import contextlib
import io
import json
import os
import sys
import tempfile
import unittest

import places

SMALL = ["--uts=uts_any --tree=T5", "--nqueens=nqueens --n=7 --cutoff=4", "--bc=", "--tsp=", "--places=2", "--workers=2",
         "--seeds=3", "--binaries=bench"]


def printed(*arguments):
    with contextlib.redirect_stdout(io.StringIO()) as output:
        places.main(list(arguments))
    return output.getvalue()


class PlacesTest(unittest.TestCase):
    def test_table_and_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, "out.json")
            table = printed("--out=" + path, *SMALL)
            with open(path) as file:
                kept = json.load(file)["runs"]
            self.assertEqual(printed("--table=" + path), table)
        cells = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
        self.assertEqual([row[:2] for row in cells[2:]],
                         [[program, who] for program in ("UTS", "NQueens")
                          for who in ["the paper"] + ["`%s`" % pool for pool in places.POOLS]])
        self.assertEqual([one["program"] for one in kept], ["UTS", "NQueens"])
        for number, one in enumerate(kept):
            row = cells[2 + number * (len(places.POOLS) + 1) + 1]
            runs = sorted(one["pools"]["pool_glb_hybrid"]["all"], key=lambda run: run["seconds"])
            self.assertEqual([run["ranks"] for run in runs], [6, 6, 6])
            self.assertEqual(row[2], "%.4g (%.4g to %.4g)" % tuple(runs[i]["seconds"] for i in (1, 0, 2)))
            over_serial = [one["serial"]["seconds"] / runs[i]["seconds"] for i in (1, 2, 0)]
            self.assertEqual(row[3], "%.1f (%.1f to %.1f)" % tuple(over_serial))
            self.assertEqual([run["ranks"] for run in one["pools"]["pool_sws"]["one"]], [2, 2, 2])

    def test_refusals(self):
        for arguments in (["--places=0"], ["--seeds=x"], ["--nothing"]):
            with contextlib.redirect_stderr(io.StringIO()), self.assertRaises(SystemExit) as ended:
                places.main(arguments)
            self.assertEqual(ended.exception.code, 2)


if __name__ == "__main__":
    sys.exit(unittest.main())
