#!/usr/bin/env python3
"""Writes a runtime, runtimes/cont_greedy.cc or the one that the mutant names, as one file with a
mistake in it.

Usage: mutate.py MUTANTS NAME OUT

Each `#include` of a header in one of the FOLDERS (see parts.bzl) is replaced
by that header's text, once each; other includes stay. Before that all comments
are left out, and the edits of mutant NAME are applied, each of which must find
its old text exactly once. A mutant whose place has changed fails to build, in
words; then it has to be adapted or dropped.

Run from the root of the source tree.
"""

import pathlib
import re
import sys

RUNTIME = "runtimes/cont_greedy.cc"

# A comment; or, as a group, text that may hold the beginning of a comment and is
# none: literals, and numbers, whose ' begins no character.
COMMENT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"""
    r"""(R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\b\d[\w'.]*)""",
    re.DOTALL)

# The beginning of a header. If an include that stays had brought the header in
# before, the text with the mistake would be skipped: that does not compile.
GUARD = re.compile(r"^#ifndef (\w+_H_)$", re.MULTILINE)
UNSEEN = r"#ifdef \1\n#error \1 is in an include that stays, too: see FOLDERS\n#endif\n#ifndef \1"


class Stale(Exception):
    """An edit does not fit the source any more."""


def load(path):
    """Returns the names in the file, which is Starlark, and so simple that it is also Python."""
    def load_names(label, *wanted):
        there = load(pathlib.Path(path).parent / label.removeprefix(":"))
        names.update((name, there[name]) for name in wanted)

    names = {"load": load_names}
    exec(compile(pathlib.Path(path).read_text(), path, "exec"), names)
    return names


def without_comments(text):
    return COMMENT.sub(lambda found: found[1] or " ", text)


def pattern(old):
    """Matches `old` with any white space where `old` has some: formatting is no change."""
    return re.compile(r"\s+".join(re.escape(word) for word in old.split()))


def is_in(edit, path):
    return ("/" + path).endswith("/" + edit["file"])


def apply(edit, text):
    """Returns `text`, which has no comments, with one edit; or raises Stale."""
    old = edit["old"]
    if without_comments(old) != old:
        raise Stale("%s: comments are not looked at, and this quotes one:\n%s" % (edit["file"], old))
    found = pattern(old).findall(text)
    if len(found) != 1:
        raise Stale("%s: found %d times, not once:\n%s" % (edit["file"], len(found), old))
    return pattern(old).sub(lambda _: edit["new"], text)


class Amalgam:
    def __init__(self, read, edits, folders):
        self.read = read
        self.edits = edits
        self.seen = set()
        self.included = re.compile(
            r'^#include "((?:%s)/[^"/]*)"[^\n]*\n' % "|".join(folders), re.MULTILINE)

    def text(self, path):
        self.seen.add(path)
        text = without_comments(self.read(path))
        for edit in self.edits:
            if is_in(edit, path):
                text = apply(edit, text)
        return self.included.sub(self.include, GUARD.sub(UNSEEN, text))

    def include(self, match):
        return "" if match[1] in self.seen else self.text(match[1])


def mutate(read, edits, folders, runtime=RUNTIME):
    amalgam = Amalgam(read, edits, folders)
    text = amalgam.text(runtime)
    for edit in edits:
        if not any(is_in(edit, path) for path in amalgam.seen):
            raise Stale("%s: not a part of %s" % (edit["file"], runtime))
    return text


def runtime_of(mutant):
    if "test" in mutant:
        return mutant["test"]
    if "runtime" not in mutant:
        return RUNTIME
    runtime = mutant["runtime"] + ".cc"
    variant = "runtimes/variants/" + runtime
    return runtime if "/" in runtime else variant if pathlib.Path(variant).exists() else "runtimes/" + runtime


def main(path, name, out):
    [mutant] = [mutant for mutant in load(path)["MUTANTS"] if mutant["name"] == name]
    folders = load(pathlib.Path(path).parent / "parts.bzl")["FOLDERS"]
    try:
        text = mutate(lambda source: pathlib.Path(source).read_text(), mutant["edits"], folders, runtime_of(mutant))
    except Stale as stale:
        sys.exit("mutant %s: %s" % (name, stale))
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
