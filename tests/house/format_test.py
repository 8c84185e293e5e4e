"""Tests that C++ is written as clang-format writes it, and comments as the house does.

One version of clang-format judges, Debian 12's, since each formats otherwise; where it is not there, nothing is judged.
It leaves comments alone (.clang-format); what must hold of them is checked here.
"""

import os
import re
import shutil
import unittest

from program_checks import over, run
from source_tree import ROOT, files

VERSION = "14"
COLUMNS = 80
COMMENT = re.compile(r"\s*//")


def clang_format():
    """The command that judges, or None."""
    return next((name for name in ("clang-format-" + VERSION, "clang-format") if shutil.which(name)
                 and re.search(r"version %s\." % VERSION, run(name, "--version")[1])), None)


def continued(line, next_line):
    """Whether the comment beside the code of `line` goes on in `next_line`."""
    if COMMENT.match(line) or not COMMENT.match(next_line):
        return False
    return line.find("//", next_line.index("//")) == next_line.index("//")


def complaints(text):
    """Yields (line number, fault) for faults that clang-format does not see."""
    lines = text.splitlines()
    for number, line in enumerate(lines, 1):
        if len(line) > COLUMNS:
            yield number, "longer than %d columns" % COLUMNS
        if "REQUIRE" "D:" in line:
            yield number, "preconditions are called REQUIRES:"
        if number < len(lines) and continued(line, lines[number]):
            yield number, "a comment of several lines stands above the code, not beside it"


class FormatTest(unittest.TestCase):
    def setUp(self):
        self.sources = sorted(files(suffixes={".h", ".cc"}))
        self.assertGreater(len(self.sources), 0)

    def test_clang_format(self):
        command = clang_format()
        if command is None:
            self.skipTest("clang-format %s is not installed: the format was not judged" % VERSION)
        status, _, errors = run(command, "--dry-run", "-Werror", *self.sources, timeout=None)
        found = re.findall(r"^(.+?):\d+:\d+: error", errors, re.MULTILINE)
        names = sorted({os.path.relpath(name, ROOT) for name in found})
        self.assertEqual((status, names), (0, []), "\n%s -i %s" % (command, " ".join(names)))

    def test_comments(self):
        found = ["%s:%d: %s" % (path.relative_to(ROOT), number, what)
                 for path in self.sources for number, what in complaints(path.read_text())]
        self.assertEqual(found, [], "\n" + "\n".join(found))

    @over("text, breaches", (
        ("x" * 81, 1),
        ("// REQUIRE" "D: nothing", 1),
        ("int a;  // one\n        // two", 1),
        ("int a;  // one\n// of b\nint b;  // two", 0),
        ('puts("//");\n     // two', 0),
    ))
    def test_breaches_are_seen(self, text, breaches):
        self.assertEqual(len(list(complaints(text))), breaches)
