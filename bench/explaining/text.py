"""A chart as text, at most 100 columns wide: time goes down, each rank has a column.

===> is an operation whose rank waits for it, ---> one whose rank goes on; an arrow points at the rank whose memory the
operation is about. * is where and when it takes effect, or where a rank accesses words of its own.
"""

WIDTH = 100
LEFT = 12
PHASE = 14


def lanes(chart):
    gap = (WIDTH - LEFT - PHASE) // max(len(chart.ranks) - 1, 1)
    return {rank: LEFT + i * gap for i, rank in enumerate(chart.ranks)}


class Line:
    def __init__(self, columns):
        self.cells = [" "] * WIDTH
        for column in columns:
            self.cells[column] = "|"

    def put(self, column, text):
        """Puts the text there, or further left where it would reach beyond the edge."""
        column = max(0, min(column, WIDTH - len(text)))
        self.cells[column:column + len(text)] = text

    def __str__(self):
        return "".join(self.cells).rstrip()


def arrow(line, start, end, moment):
    low, high = min(start, end), max(start, end)
    stroke = "=" if moment.blocking else "-"
    body = " %s " % moment.label
    room = high - low - 1
    if len(body) > room - 4:
        body = body[:room - 4]
    padded = body.center(room, stroke)
    line.put(low + 1, padded)
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


def told(chart):
    at = lanes(chart)
    columns = list(at.values())
    head, roles = Line([]), Line([])
    head.put(9 - len("us"), "us")
    for rank, role in zip(chart.ranks, chart.roles):
        for line, text in ((head, "rank %d" % rank), (roles, role)):
            line.put(at[rank] - len(text) // 2 if rank != chart.ranks[0] else at[rank], text)
    lines = [head] + ([roles] if any(chart.roles) else [])
    phase = ""
    for moment in chart.moments:
        line = Line(columns)
        line.put(0, "%9.3f" % (moment.time / 1e6))
        start, end = at[moment.rank], at[moment.target]
        last = moment.target == chart.ranks[-1]
        if moment.kind == "issue" and start != end:
            arrow(line, start, end, moment)
        elif moment.kind == "issue":
            text = ("== %s, its own" if moment.blocking else "-- %s, its own") % moment.label
            beside(line, start, text, last)
        else:
            line.cells[end] = "*" if moment.kind in ("effect", "access") else "|"
            beside(line, end, moment.label, last)
        if moment.kind == "issue" and moment.phase and moment.phase != phase:
            line.put(columns[-1] + 3, moment.phase)
        phase = moment.phase if moment.kind == "issue" else phase
        lines.append(line)
    return "\n".join(str(line) for line in lines) + "\n"
