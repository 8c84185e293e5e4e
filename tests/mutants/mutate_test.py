"""Tests the replacements and the refusals of mutate.py."""

import pathlib
import unittest

import mutate

FOLDERS = ["impl/a", "common/b"]
FILES = {
    mutate.RUNTIME: '#include "impl/a/a.h"\n#include "common/x.h"\n#include "common/b/b.h"\nmain\n',
    "impl/a/a.h": '#include "common/b/b.h"  // b\na  is  // not\n   /* t\n */ here\n',
    "common/b/b.h": "b b\n",
}


def edit(file, old, new):
    return {"file": file, "old": old, "new": new}


def mutated(*edits):
    return mutate.mutate(FILES.__getitem__, edits, FOLDERS)


class MutateTest(unittest.TestCase):
    def test_headers_are_in_it_once(self):
        self.assertEqual(mutated().split(), ["b", "b", "a", "is", "here", "#include", '"common/x.h"', "main"])

    def test_white_space_and_comments_do_not_matter(self):
        self.assertIn("gone\n#include", mutated(edit("a.h", "a is here", "gone")))

    def test_what_looks_like_a_comment_is_none(self):
        for code in ('"// s" + "\\"/*" + "*/"', "'\"'", "1'000'000", """R"x(" // )" )x" """, "a / b / c", "'\\''"):
            with self.subTest(code=code):
                self.assertEqual(mutate.without_comments(code + "// it's gone\n/* and \"this */"), code + " \n ")

    def test_headers_from_elsewhere_do_not_compile(self):
        files = {mutate.RUNTIME: '#include "impl/a/a.h"\n', "impl/a/a.h": "#ifndef A_H_\n#define A_H_\n#endif\n"}
        self.assertRegex(mutate.mutate(files.__getitem__, [], FOLDERS), "^#ifdef A_H_\n#error .*\n#endif\n#ifndef A_H_\n")

    def test_stale_edits_are_refused(self):
        for stale, words in ((edit("a/a.h", "not there", ""), "found 0 times"),
                             (edit("common/b/b.h", "b", ""), "found 2 times"),
                             (edit(".h", "x", ""), "not a part"),
                             (edit("impl/a/a.h", "a is  // not", ""), "quotes one")):
            with self.assertRaisesRegex(mutate.Stale, words):
                mutated(stale)

    def test_the_runtime_that_a_mutant_names(self):
        self.assertEqual(mutate.runtime_of({}), mutate.RUNTIME)
        self.assertEqual(mutate.runtime_of({"runtime": "child_rtc"}), "runtimes/child_rtc.cc")
        self.assertEqual(mutate.runtime_of({"test": "impl/a/a_test.cc"}), "impl/a/a_test.cc")
        files = {"runtimes/child_rtc.cc": "another\n"}
        self.assertEqual(mutate.mutate(files.__getitem__, [], FOLDERS, "runtimes/child_rtc.cc"), "another\n")

    def test_mutants_are_well_formed(self):
        mutants = mutate.load(pathlib.Path(__file__).parent / "mutants.bzl")["MUTANTS"]
        names = [m["name"] for m in mutants]
        self.assertEqual(len(names), len(set(names)))
        for mutant in mutants:
            if not mutant["name"].startswith("none"):
                self.assertTrue(mutant["run"] and mutant["edits"])
