"""A chart as SVG: the lines of text.py, each as a row of its own, so that no label meets another."""

from xml.sax.saxutils import escape

import text

COLUMN, ROW = 7.3, 24
TOP, BOTTOM = 58, 14
STYLE = """
svg.chart { font: 12px monospace; color: #1d2430; background: #ffffff; }
svg.chart text { fill: currentColor; stroke: #ffffff; stroke-width: 4px; paint-order: stroke; white-space: pre; }
svg.chart .lane { stroke: #9aa4b2; stroke-width: 1; }
svg.chart .role, svg.chart .time, svg.chart .phase { fill: #5b6675; }
svg.chart .rank { font-weight: bold; }
svg.chart .arrow { stroke: #1f5fbf; stroke-width: 2; fill: none; }
svg.chart .goes-on .arrow { stroke-dasharray: 5 4; }
svg.chart .head { fill: #1f5fbf; }
svg.chart .waits { fill: #1f5fbf; fill-opacity: 0.22; }
svg.chart .effect { fill: #b4380c; }
svg.chart .own { fill: #2f7a3b; }
@media (prefers-color-scheme: dark) {
  svg.chart { color: #e4e8ee; background: #14181f; }
  svg.chart text { stroke: #14181f; }
  svg.chart .lane { stroke: #55606e; }
  svg.chart .role, svg.chart .time, svg.chart .phase { fill: #9aa6b5; }
  svg.chart .arrow { stroke: #6fa8ff; }
  svg.chart .head, svg.chart .waits { fill: #6fa8ff; }
  svg.chart .effect { fill: #ff8a5c; }
  svg.chart .own { fill: #7ccf8a; }
}
"""


def label(x, y, words, anchor="start", name=""):
    return '<text x="%.1f" y="%.1f" text-anchor="%s"%s>%s</text>' % (
        x, y, anchor, ' class="%s"' % name if name else "", escape(words))


class Drawing:
    def __init__(self, chart):
        self.chart = chart
        self.x = {rank: (column + 0.5) * COLUMN for rank, column in text.lanes(chart).items()}
        self.columns = text.lanes(chart)
        self.width = (text.WIDTH + 1) * COLUMN
        self.height = TOP + ROW * len(chart.moments) + BOTTOM

    def y(self, index):
        return TOP + ROW * index + 16

    def lanes(self):
        for rank, role in zip(self.chart.ranks, self.chart.roles):
            x, first = self.x[rank], rank == self.chart.ranks[0]
            anchor, at = ("start", x - COLUMN / 2) if first else ("middle", x)
            yield '<line class="lane" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>' % (x, x, TOP - 8, self.height - BOTTOM)
            yield label(at, 20, "rank %d" % rank, anchor, "rank")
            yield label(at, 38, role, anchor, "role")

    def waiting(self):
        """Bars beside a rank's lane while it waits for an operation."""
        for index, moment in enumerate(self.chart.moments):
            if moment.kind not in ("issue", "flush") or not moment.blocking:
                continue
            last = max(i for i, each in enumerate(self.chart.moments) if each.time <= moment.known)
            yield '<rect class="waits" x="%.1f" y="%.1f" width="6" height="%.1f"/>' % (
                self.x[moment.rank] - 3, self.y(index), self.y(last) - self.y(index) + ROW / 2)

    def beside(self, moment, y, words):
        """As text.beside."""
        column, room = self.columns[moment.target], len(words)
        last = moment.target == self.chart.ranks[-1] or column + 2 + room > text.WIDTH
        if last and column > room:
            return label(self.x[moment.target] - 1.2 * COLUMN, y + 4, words, "end")
        return label(self.x[moment.target] + 1.2 * COLUMN, y + 4, words)

    def arrow(self, moment, y):
        start, end = self.x[moment.rank], self.x[moment.target]
        way = 1 if end > start else -1
        yield '<path class="arrow" d="M%.1f %.1f H%.1f"/>' % (start, y, end - way * 6)
        yield '<path class="head" d="M%.1f %.1f l%d -4 v8 z"/>' % (end - way * 1, y, -way * 8)
        # A long one reaches beyond the left end.
        middle = min((start + end) / 2, max(start, end) - len(moment.label) * COLUMN / 2)
        yield label(middle, y - 6, moment.label, "middle")

    def row(self, moment, y, phase):
        yield label(text.LEFT * COLUMN - 22, y + 4, "%.3f" % (moment.time / 1e6), "end", "time")
        if moment.kind == "issue" and moment.rank != moment.target:
            yield from self.arrow(moment, y)
        else:
            own = ", its own" if moment.kind == "issue" else ""
            if moment.kind in ("effect", "access"):
                yield '<circle class="%s" cx="%.1f" cy="%.1f" r="4"/>' % (
                    "effect" if moment.kind == "effect" else "own", self.x[moment.target], y)
            yield self.beside(moment, y, moment.label + own)
        if phase:
            yield label(max(self.x.values()) + 2 * COLUMN, y + 4, phase, "start", "phase")

    def rows(self):
        phase = ""
        for index, moment in enumerate(self.chart.moments):
            new = moment.phase if moment.kind == "issue" and moment.phase != phase else ""
            if moment.kind == "issue":
                phase = moment.phase
            yield '<g class="moment %s" data-moment="%d">' % ("waits-for" if moment.blocking else "goes-on", index)
            yield '<rect class="row" x="0" y="%.1f" width="%.1f" height="%d" fill="none"/>' % (
                self.y(index) - ROW / 2 - 3, self.width, ROW)
            yield from self.row(moment, self.y(index), new)
            yield "</g>"


def draw(chart, style=STYLE):
    drawing = Drawing(chart)
    parts = ['<svg class="chart" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" width="%.0f" height="%d" '
             'role="img">' % (drawing.width, drawing.height, drawing.width, drawing.height),
             "<title>%s</title>" % escape(chart.title)]
    if style:
        parts.append("<style>%s</style>" % style)
    parts += [label(7 * COLUMN, 20, "us", "start", "time"), *drawing.lanes(), *drawing.waiting(), *drawing.rows()]
    return "\n".join(parts + ["</svg>"]) + "\n"
