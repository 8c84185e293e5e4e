"""Finds the names in documents, links with their anchors, flags, files; checks their tables, and that their code stands
in the files that they name.

A block of Markdown, indented or fenced, after a paragraph that ends with a colon and links to files which are no
documents, is an excerpt of one of them: its paragraphs stand there, in their order. Spaces and blank lines do not count.
"""

import re
import textwrap

FENCE = "```"
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")
# A file in backquotes, perhaps with folders before it.
FILE = re.compile(r"`(?:\./)?([\w./-]+\.(?:h|cc|S|inc|py|sh|bzl|json))`")


def prose(markdown):
    """Yields the lines that are no code."""
    fenced = False
    for line in markdown.splitlines():
        if line.lstrip().startswith(FENCE):
            fenced = not fenced
        elif not fenced and not line.startswith("    "):
            yield line


def anchors(markdown):
    """Names that a link may have after #: each heading, in small letters, spaces as hyphens, without other marks."""
    titles = [line.lstrip("#").strip() for line in prose(markdown) if re.match(r"#+ ", line)]
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def broken_links(path):
    """Links of a document to files or headings that are not there."""
    broken = []
    text = "\n".join(prose(path.read_text()))
    for link in LINK.findall(text):
        place, _, anchor = link.partition("#")
        target = path.parent / place if place else path
        if re.match(r"\w+:", link):
            continue
        if not target.exists() or (anchor and (
                target.suffix != ".md" or anchor not in anchors(target.read_text()))):
            broken.append(link)
    return broken


def flags(markdown):
    return set(FLAG.findall(markdown))


def named_files(markdown):
    return set(FILE.findall("\n".join(prose(markdown))))


def broken_tables(markdown):
    """Rows that belong to no table: a table has a line of hyphens below its head, and as many cells in each row."""
    broken, table = [], []
    for line in list(prose(markdown)) + [""]:
        if line.startswith("|") or line.startswith("  |"):
            table.append(line.strip())
            continue
        if table:
            cells = [len(re.findall(r"(?<!\\)\|", re.sub(r"`[^`]*`", "", row))) for row in table]
            if len(table) < 2 or not re.fullmatch(r"[|:-]+", table[1]):
                broken.append(table[0])
            else:
                broken += [row for row, count in zip(table, cells) if count != cells[0]]
        table = []
    return broken


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
    if not paragraph.endswith(":"):
        return []
    files = [folder / link for link in LINK.findall(paragraph)]
    return [path for path in files if path.is_file() and path.suffix != ".md"]
