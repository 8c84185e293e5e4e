"""The charts that documents show: indented blocks that begin with the command that prints them."""

import re

COMMAND = re.compile(r"    bench/explain \S")
DOCUMENTS = ["impl/%s/%s" % (package, name) for package in (
    "uniaddr", "greedy_join", "child_steal", "sws_queue", "glb_lifeline") for name in ("README.md", "CHARTS.md")]


def blocks(lines):
    """(index of the command's line, index behind the block's last line) of each chart in a document."""
    at = 0
    while at < len(lines):
        if not COMMAND.match(lines[at]) or (at > 0 and lines[at - 1] != "") or at + 2 >= len(lines):
            at += 1
            continue
        end = at + 1
        while end < len(lines) and (lines[end] == "" or lines[end].startswith("    ")):
            if COMMAND.match(lines[end]):
                break
            end += 1
        while lines[end - 1] == "":
            end -= 1
        yield at, end
        at = end


def command_of(line):
    return line.split()[1:]


def shown(lines, begin, end):
    """The chart that stands below a command."""
    return [line[4:] for line in lines[begin + 1:end]][1:]


def with_charts(text, chart_of):
    """The document, with each chart as chart_of(arguments) tells it."""
    lines = text.split("\n")
    for begin, end in reversed(list(blocks(lines))):
        drawn = chart_of(command_of(lines[begin])).rstrip("\n").split("\n")
        lines[begin + 1:end] = [""] + [("    " + line).rstrip() for line in drawn]
    return "\n".join(lines)
