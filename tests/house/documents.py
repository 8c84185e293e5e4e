"""Finds the names in documents: links with their anchors, flags, files; and checks their tables."""

import re

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
