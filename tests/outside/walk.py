"""A document that is a walk: files to write, commands to run, and what these print.

Its blocks are fenced. A block of kind `sh` is commands; one of kind `text` is what the commands before it print; any
other is the file whose name, in backquotes, ends the paragraph before it. In what is printed, blank lines and the
number of spaces do not count, a line `...` stands for any lines, and `...` within a line for any text.
"""

import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parents[2]

STEP = re.compile(r"## (.*)")
FENCE = re.compile(r"```(\w*)$")
NAME = re.compile(r"`([\w./]+)`:$")
ANY = "..."


class File(typing.NamedTuple):
    step: str
    name: str
    text: str


class Commands(typing.NamedTuple):
    step: str
    script: str
    # None where the document shows nothing of it.
    prints: typing.Optional[str]

    def is_to_fail(self):
        return self.prints is not None and "FAILED" in self.prints


def blocks(markdown):
    """(step, the paragraph before it, kind, text) of each block."""
    step, paragraph, block, ended = "", "", None, True
    for line in markdown.splitlines():
        fence, heading = FENCE.match(line), STEP.match(line)
        if fence and block is None:
            kind, block = fence[1], []
        elif fence:
            yield step, paragraph, kind, "".join(block)
            block, ended = None, True
        elif block is not None:
            block.append(line + "\n")
        elif heading:
            step = heading[1]
        elif line:
            paragraph = line if ended else paragraph + " " + line
            ended = False
        else:
            ended = True


def parts(markdown):
    found = []
    for step, paragraph, kind, text in blocks(markdown):
        name = NAME.search(paragraph)
        if kind == "sh":
            found.append(Commands(step, text, None))
        elif kind != "text":
            if not name:
                raise ValueError("no file is named before the block after: " + paragraph)
            found.append(File(step, name[1], text))
        elif found and isinstance(found[-1], Commands) and found[-1].prints is None:
            found[-1] = found[-1]._replace(prints=text)
        else:
            raise ValueError("no commands stand before the output after: " + paragraph)
    return found


def lines_of(text):
    return [" ".join(line.split()) for line in text.splitlines() if line.strip()]


def is_printed(expected, printed):
    """Whether that was printed, and nothing else."""
    like = "".join("(?:.*\n)*" if line == ANY else re.escape(line).replace(re.escape(ANY), ".*") + "\n"
                   for line in lines_of(expected))
    return re.fullmatch(like, "".join(line + "\n" for line in lines_of(printed))) is not None
