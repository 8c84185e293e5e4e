"""Tests the replacements and the refusals of mutate.py."""

import pathlib
import tempfile
import unittest

import mutate

RUNTIME = "runtimes/x.cc"
FILES = {
    RUNTIME: '#include "impl/a/a.h"\nmain // main\n',
    "impl/a/a.h": '#include "common/b/b.h"  // b\na  is  // not\n   /* t\n */ here\n',
    "common/b/b.h": "#ifndef B_H_\n#define B_H_\nb b\n#endif\n",
}


def edit(file, old, new):
    return {"file": file, "old": old, "new": new}


def mutated(*edits):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True)
            path.write_text(text)
        return mutate.mutate(edits, RUNTIME, pathlib.Path(folder))


class MutateTest(unittest.TestCase):
    def test_changed_headers_stand_first(self):
        self.assertEqual(mutated().splitlines(), ['#include "impl/a/a.h"', "main  "])
        text = mutated(edit("b.h", "b b", "c"), edit("a/a.h", "a is here", "gone"), edit("b.h", "c", "d"))
        self.assertRegex(text, '^#ifdef B_H_\n#error .*\n#endif\n#ifndef B_H_\n#define B_H_\nd\n#endif\n'
                               '#include "common/b/b.h" +\ngone\n#include "impl/a/a.h"\nmain')

    def test_what_looks_like_a_comment_is_none(self):
        for code in ('"// s" + "\\"/*" + "*/"', "'\"'", "1'000'000", """R"x(" // )" )x" """, "a / b / c", "'\\''"):
            with self.subTest(code=code):
                self.assertEqual(mutate.without_comments(code + "// it's gone\n/* and \"this */"), code + " \n ")

    def test_stale_edits_are_refused(self):
        for stale, words in ((edit("a/a.h", "not there", ""), "found 0 times"),
                             (edit("b/b.h", "b", ""), "found 2 times"),
                             (edit("c.h", "x", ""), "0 files"),
                             (edit("a.h", "a is  // not", ""), "quotes one")):
            with self.assertRaisesRegex(mutate.Stale, words):
                mutated(stale)
