#!/usr/bin/env python3
"""Writes the runtime of runtimes/cont_greedy.cc as one file, with a mistake in it.

Usage: mutate.py MUTANTS NAME OUT

Each `#include "impl/..."` is replaced by that header's text, once each; other
includes stay. Before that the edits of mutant NAME (see mutants.bzl) are
applied, each of which must find its old text exactly once: a mutant whose place
has changed fails to build, in words, and is to be thought about again.

Run from the root of the source tree.
"""

import pathlib
import re
import sys

RUNTIME = "runtimes/cont_greedy.cc"
INCLUDE = re.compile(r'^#include "(impl/[^"]*)".*\n', re.MULTILINE)


class Stale(Exception):
    """An edit does not fit the source any more."""


def load(path):
    """The list of mutants. The file is Starlark, and so small a part of it that it is Python."""
    names = {}
    exec(compile(pathlib.Path(path).read_text(), path, "exec"), names)
    return names["MUTANTS"]


def find(mutants, name):
    [mutant] = [m for m in mutants if m["name"] == name]
    return mutant


def pattern(old):
    """Matches `old` with any white space where it has some: formatting is no change."""
    return re.compile(r"\s+".join(re.escape(word) for word in old.split()))


def apply(edit, text):
    """`text` with one edit, or Stale."""
    found = pattern(edit["old"]).findall(text)
    if len(found) != 1:
        raise Stale("%s: found %d times, not once:\n%s" % (edit["file"], len(found), edit["old"]))
    return pattern(edit["old"]).sub(lambda _: edit["new"], text)


class Amalgam:
    """The runtime's text, with the headers of impl/ in it."""

    def __init__(self, read, edits):
        self.read = read
        self.edits = edits
        self.seen = set()

    def text(self, path):
        self.seen.add(path)
        text = self.read(path)
        for edit in self.edits:
            if edit["file"] == path:
                text = apply(edit, text)
        return INCLUDE.sub(self.include, text)

    def include(self, match):
        return "" if match[1] in self.seen else self.text(match[1])


def mutate(read, edits):
    """The runtime with `edits`; `read` returns a file's text."""
    amalgam = Amalgam(read, edits)
    text = amalgam.text(RUNTIME)
    for edit in edits:
        if edit["file"] not in amalgam.seen:
            raise Stale("%s: not a part of %s" % (edit["file"], RUNTIME))
    return text


def main(mutants, name, out):
    try:
        text = mutate(lambda path: pathlib.Path(path).read_text(), find(load(mutants), name)["edits"])
    except Stale as stale:
        sys.exit("mutant %s: %s" % (name, stale))
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
