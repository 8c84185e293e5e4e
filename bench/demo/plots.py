"""How the report's plots are drawn.

Needs matplotlib. A plot is SVG without a size of its own, so that a page may
scale it; the same runs give the same text.
"""

import html
import io
import re

import tables
import plot
from figures import draw

COLOURS = {"cont_greedy": "#1b6ca8", "cont_greedy_sws": "#56a3d9", "cont_stalling": "#7b52ab", "cont_baseline": "#3a9b9b",
           "child_full": "#c0392b", "child_rtc": "#e08e0b", "pool_sws": "#1e8449", "pool_sdc": "#76b041",
           "pool_glb": "#8e6e53", "pool_glb_hybrid": "#d35487", "ideal": "#777777"}
OTHER, MARK = COLOURS["ideal"], "#1b6ca8"
# Width of a plot in inches: that of a phone, where text of 9 points can be read. A desk shows it larger, up to so much.
WIDTH, LARGER = 4.2, 1.3


def colour(name):
    """That of a runtime, of a variant that of the longest name that its own begins with; None of any other name."""
    return COLOURS.get(max((each for each in COLOURS if name.startswith(each)), key=len, default=None))


def import_pyplot():
    pyplot = plot.import_pyplot()
    pyplot.rcParams.update({"font.size": 9, "legend.fontsize": 8, "legend.frameon": False})
    return pyplot


def as_svg(pyplot, figure, name, words, larger=LARGER):
    """The figure as SVG text, with words for those who do not see it; `name` keeps its names apart from those of other
    plots on the page."""
    import matplotlib
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name, "svg.fonttype": "none"}):
        figure.savefig(text, format="svg", bbox_inches="tight", transparent=True, metadata={"Date": None})
    pyplot.close(figure)
    svg = text.getvalue()
    svg = svg[svg.index("<svg"):]
    width = larger * float(re.search(r' width="([\d.]+)pt"', svg)[1])
    svg = re.sub(r' (width|height)="[\d.]+pt"', "", svg, count=2)
    svg = re.sub(r' id="([^"]+)"', r' id="%s-\1"' % name, svg)
    svg = re.sub(r'(href="#|url\(#)', r"\1%s-" % name, svg)
    return svg.replace("<svg", '<svg role="img" aria-label="%s" style="width:100%%;max-width:%.0fpt"' % (
        html.escape(words), width), 1)


def draw_figure(pyplot, figure, results, records):
    """SVG of a simulations.Figure."""
    drawn = draw.drawing_of(figure, results, records, pyplot, WIDTH, colour)
    return as_svg(pyplot, drawn, figure.name, figure.caption)


def draw_claim(pyplot, claim, name):
    """SVG of the numbers that a claim compares: a bar for each."""
    drawn, axes = pyplot.subplots(figsize=(3.2, 0.2 + 0.24 * len(claim.values)))
    bars = axes.barh(list(claim.values), list(claim.values.values()),
                     color=[colour(each) or MARK for each in claim.values])
    axes.bar_label(bars, [tables.number(value, 2) for value in claim.values.values()], padding=3)
    axes.invert_yaxis()
    axes.spines[["top", "right"]].set_visible(False)
    axes.margins(x=0.15)
    axes.set_xlabel(claim.what)
    return as_svg(pyplot, drawn, name, claim.seen, larger=1)


def draw_speedups(pyplot, table):
    """SVG of a table's speed-ups, with their confidence intervals as black lines, and a grey one at 1."""
    rows = [row for row in table.rows if row.speedup]
    drawn, axes = pyplot.subplots(figsize=(WIDTH - 1, 0.6 + 0.2 * len(rows)))
    for place, row in enumerate(rows):
        axes.barh(place, row.speedup, color=colour(row.runtime) or OTHER, alpha=0.75)
        if row.speedup_interval:
            axes.plot(row.speedup_interval, (place, place), color="black", linewidth=1.5)
    axes.axvline(1, color=OTHER, linewidth=0.8)
    axes.set_yticks(range(len(rows)), [row.runtime for row in rows])
    axes.invert_yaxis()
    axes.grid(axis="x", alpha=0.25)
    words = "speed-up of %d rank%s over %s" % (table.ranks, "s"[:table.ranks != 1], table.program.baseline)
    axes.set_xlabel(words)
    return as_svg(pyplot, drawn, "speedup-%s-%d" % (table.program.name, table.ranks), words)
