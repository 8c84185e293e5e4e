#!/usr/bin/env python3
"""Writes a runtime, runtimes/cont_greedy.cc or the one that the mutant names, as one file with a
mistake in it.

Usage: mutate.py MUTANTS NAME OUT

All comments are left out, and the edits of mutant NAME are applied, each of which must find its old
text exactly once. The headers that they change stand before the runtime, in the order of the edits:
what it includes of them later is skipped, since the compiler has seen them. A mutant whose old text
is gone does not build, with an error that names the file; then it has to be adapted or dropped.

Run from the root of the source tree.
"""

import pathlib
import re
import sys

RUNTIME = "runtimes/cont_greedy.cc"
# Where edits find their files.
LAYERS = ["common", "impl"]

# A comment; or, as a group, text that may hold the beginning of a comment and is
# none: literals, and numbers, whose ' begins no character.
COMMENT = re.compile(
    r"""//[^\n]*|/\*.*?\*/|"""
    r"""(R"(?P<end>\w*)\(.*?\)(?P=end)"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\b\d[\w'.]*)""",
    re.DOTALL)

# The beginning of a header. If a changed header before it had brought it in as it is, the text with
# the mistake would be skipped: that does not compile.
GUARD = re.compile(r"^#ifndef (\w+_H_)$", re.MULTILINE)
UNSEEN = r"#ifdef \1\n#error edits of \1 come before those of headers that include it\n#endif\n#ifndef \1"


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


def apply(edit, text):
    """Returns `text`, which has no comments, with one edit; or raises Stale."""
    old = edit["old"]
    if without_comments(old) != old:
        raise Stale("%s: comments are not looked at, and this quotes one:\n%s" % (edit["file"], old))
    found = pattern(old).findall(text)
    if len(found) != 1:
        raise Stale("%s: found %d times, not once:\n%s" % (edit["file"], len(found), old))
    return pattern(old).sub(lambda _: edit["new"], text)


def path_of(edit, root):
    found = [path for layer in LAYERS for path in (root / layer).glob("**/" + edit["file"])]
    if len(found) != 1:
        raise Stale("%s: %d files, not one" % (edit["file"], len(found)))
    return found[0]


def mutate(edits, runtime=RUNTIME, root=pathlib.Path()):
    """Returns the text of the runtime with the edits, and of the headers that they change."""
    runtime = root / runtime
    places = [(path_of(edit, root), edit) for edit in edits]
    texts = {path: without_comments(path.read_text()) for path in [path for path, _ in places] + [runtime]}
    for path, edit in places:
        texts[path] = apply(edit, texts[path])
    last = texts.pop(runtime)
    return "".join(GUARD.sub(UNSEEN, text) for text in texts.values()) + last


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
    try:
        text = mutate(mutant["edits"], runtime_of(mutant))
    except Stale as stale:
        sys.exit("mutant %s: %s" % (name, stale))
    pathlib.Path(out).write_text(text)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])
