"""Checks that code in documents stands in the files that they name.

A block of Markdown, indented or fenced, after a paragraph that ends with a
colon and links to files which are no documents, is an excerpt of one of them:
its paragraphs stand there, in their order. Spaces and blank lines do not count.
"""

import re
import textwrap

FENCE = "```"
LINK = re.compile(r"\]\(([^)#:]+)\)")


def squeezed(text):
    lines = [" ".join(line.split()) for line in text.splitlines()]
    return "".join(line + "\n" for line in lines if line)


def is_excerpt(block, source):
    text, at = "\n" + squeezed(source), 0
    for paragraph in block.split("\n\n"):
        wanted = "\n" + squeezed(paragraph)
        at = text.find(wanted, at)
        if at < 0:
            return False
        # The end of this line may be the beginning of the next paragraph.
        at += len(wanted) - 1
    return True


def blocks(markdown):
    """Yields (the paragraph before it, block of code), one after the other."""
    paragraph, block, fenced, ended = "", [], False, True
    for line in markdown.splitlines() + ["the end"]:
        if line.startswith(FENCE):
            fenced = not fenced
        elif fenced or line.startswith("    ") or (block and not line):
            block.append(line)
        elif line:
            if block:
                yield paragraph, textwrap.dedent("\n".join(block))
            paragraph = line if ended or block else paragraph + " " + line
            block, ended = [], False
        else:
            ended = True


def sources(paragraph, folder):
    """Returns the files from which the block after the paragraph may be."""
    if not paragraph.endswith(":"):
        return []
    files = [folder / link for link in LINK.findall(paragraph)]
    return [path for path in files if path.is_file() and path.suffix != ".md"]


def comment_as_markdown(header):
    """Returns the comment at the beginning of a header."""
    lines = []
    for line in header.splitlines():
        if not line.startswith("//"):
            break
        lines.append(re.sub("^  ", "    ", line[len("// "):]))
    return "\n".join(lines)
