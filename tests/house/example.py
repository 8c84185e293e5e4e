#!/usr/bin/env python3
"""Takes the example program out of a document, as it stands there.

Usage: example.py DOCUMENT > PROGRAM.cc

It is the indented or fenced block, in a comment or in Markdown, in which
`long fib(long n) {` stands. Where it includes nothing, what it needs is
included.
"""

import itertools
import pathlib
import sys

INCLUDES = '#include <cstdio>\n\n#include "common/fork_join/fork_join.h"\n\n'
FIRST = "long fib(long n) {"


def example(text):
    lines = text.splitlines()
    [at] = [i for i, line in enumerate(lines) if line.endswith(FIRST)]
    indent = lines[at].removesuffix(FIRST)

    def inside(line):
        return (line.startswith(indent) or line == indent.rstrip()) and "```" not in line

    before = list(itertools.takewhile(inside, reversed(lines[:at])))
    block = before[::-1] + list(itertools.takewhile(inside, lines[at:]))
    program = "".join(line[len(indent):] + "\n" for line in block).strip() + "\n"
    return program if "#include" in program else INCLUDES + program


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(example(pathlib.Path(sys.argv[1]).read_text()), end="")
