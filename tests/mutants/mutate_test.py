#!/usr/bin/env python3
"""mutate.py: what it replaces, and when it refuses to."""

import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import mutate

FILES = {
    mutate.RUNTIME: '#include "impl/a/a.h"\n#include "common/x.h"\n#include "impl/b/b.h"\nmain\n',
    "impl/a/a.h": '#include "impl/b/b.h"\na  is\n   here\n',
    "impl/b/b.h": "b b\n",
}


def edit(file, old, new):
    return {"file": file, "old": old, "new": new}


def mutated(*edits):
    return mutate.mutate(FILES.__getitem__, edits)


class MutateTest(unittest.TestCase):
    def test_headers_are_in_it_once(self):
        self.assertEqual(mutated(), 'b b\na  is\n   here\n#include "common/x.h"\nmain\n')

    def test_white_space_does_not_matter(self):
        self.assertIn("gone\n#include", mutated(edit("impl/a/a.h", "a is here", "gone")))

    def test_stale_edits_are_refused(self):
        for stale in (edit("impl/a/a.h", "not there", ""), edit("impl/b/b.h", "b", ""),
                      edit("impl/c/c.h", "c", "")):
            with self.assertRaises(mutate.Stale):
                mutated(stale)

    def test_mutants_are_well_formed(self):
        mutants = mutate.load(pathlib.Path(__file__).parent / "mutants.bzl")
        names = [m["name"] for m in mutants]
        self.assertEqual(len(names), len(set(names)))
        for mutant in mutants:
            if not mutant["name"].startswith("none"):
                self.assertTrue(mutant["run"] and mutant["edits"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
