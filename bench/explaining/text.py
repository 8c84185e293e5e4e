"""A chart as text, at most 100 columns wide: time goes down, each rank has a column.

===> is an operation whose rank waits for it, ---> one whose rank goes on; an arrow points at the rank whose memory the
operation is about. * is where and when it takes effect, or where a rank accesses words of its own.
"""

import textwrap

WIDTH = 100
LEFT = 12
PHASE = 14


class Line:
    def __init__(self, columns):
        self.cells = [" "] * WIDTH
        for column in columns:
            self.cells[column] = "|"

    def put(self, column, text):
        """Puts the text there, or further left where it would reach beyond the edge."""
        column = max(0, min(column, WIDTH - len(text)))
        self.cells[column:column + len(text)] = text[:WIDTH]

    def __str__(self):
        return "".join(self.cells).rstrip()


def arrow(line, start, end, moment):
    low, high = min(start, end), max(start, end)
    room = high - low - 1
    body = " %s " % moment.label
    if len(body) > room - 4:
        body = body[:room - 5] + " "
    line.put(low + 1, body.center(room, "=" if moment.blocking else "-"))
    if end > start:
        line.cells[high - 1] = ">"
    else:
        line.cells[low + 1] = "<"


def beside(line, column, text, last):
    """Puts a text beside a rank's column; of the last rank, and where there is no room, to the left."""
    if (last or column + 2 + len(text) > WIDTH) and column > len(text):
        line.put(column - len(text) - 1, text)
    else:
        line.put(column + 2, text)


def head(chart, at):
    names, roles = Line([]), Line([])
    names.put(7, "us")
    for rank, role in zip(chart.ranks, chart.roles):
        for line, text in ((names, "rank %d" % rank), (roles, role)):
            line.put(at[rank] - (0 if rank == chart.ranks[0] else len(text) // 2), text)
    return [names] + ([roles] if any(chart.roles) else [])


def line_of(moment, at, last_rank):
    line = Line(at.values())
    line.put(0, "%9.3f" % (moment.time / 1e6))
    start, end = at[moment.rank], at[moment.target]
    last = moment.target == last_rank
    if moment.kind == "issue" and start != end:
        arrow(line, start, end, moment)
    elif moment.kind == "issue":
        beside(line, start, "%s %s, its own" % ("==" if moment.blocking else "--", moment.label), last)
    else:
        if moment.kind != "flush":
            line.cells[end] = "*"
        beside(line, end, moment.label, last)
    return line


def wrapped(command):
    """The lines of a command that a shell takes as one."""
    lines = textwrap.wrap(command, WIDTH - 2, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    return [line + " \\" for line in lines[:-1]] + lines[-1:]


def rows(chart):
    """(the lines of the head, a line for each moment)."""
    gap = (WIDTH - LEFT - PHASE) // max(len(chart.ranks) - 1, 1)
    at = {rank: LEFT + i * gap for i, rank in enumerate(chart.ranks)}
    lines, phase = [], ""
    for moment in chart.moments:
        line = line_of(moment, at, chart.ranks[-1])
        if moment.kind == "issue":
            if moment.phase and moment.phase != phase:
                line.put(max(at.values()) + 3, moment.phase)
            phase = moment.phase
        lines.append(str(line))
    return list(map(str, head(chart, at))), lines


def draw(chart):
    above = [chart.title + "."] + (textwrap.wrap(chart.outcome, WIDTH) if chart.outcome else [])
    return "\n".join(above + wrapped(chart.command) + [""] + sum(rows(chart), [])) + "\n"
