"""A document that is a walk: commands to run, and what these print.

Its blocks are fenced. A block of kind `sh` is commands; one of kind `text` is what the commands before it print. In
what is printed, blank lines and the number of spaces do not count, a line `...` stands for any lines, and `...` within
a line for any text.
"""

import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]

BLOCK = re.compile(r"^## ([^\n]*)$|^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ANY = "..."


class Commands(typing.NamedTuple):
    step: str
    script: str
    # None where the document shows nothing of it.
    prints: typing.Optional[str]

    def is_to_fail(self):
        return self.prints is not None and "FAILED" in self.prints


def parts(markdown):
    found, step = [], ""
    for heading, kind, text in BLOCK.findall(markdown):
        if heading:
            step = heading
        elif kind == "sh":
            found.append(Commands(step, text, None))
        elif kind == "text" and found and found[-1].prints is None:
            found[-1] = found[-1]._replace(prints=text)
        else:
            raise ValueError("neither commands nor what those before it print: " + text)
    return found


def lines_of(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def is_printed(expected, printed):
    """Whether that was printed, and nothing else."""
    like = "".join("(?:.*\n)*" if line == ANY else re.escape(line).replace(re.escape(ANY), ".*") + "\n"
                   for line in lines_of(expected))
    return re.fullmatch(like, "".join(line + "\n" for line in lines_of(printed))) is not None
