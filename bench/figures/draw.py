"""Draws figures: a colour for each series, ours filled with the range over the seeds, what is published hollow."""

import itertools
import math
import re
import statistics
import textwrap

import plot


# Marks of what is published, where values go up and where they go from left to right, by what the legend says of it;
# the base of a caret is the limit.
INPUT, AT_MOST = "published, an input here", "published: at most"
PUBLISHED = {"published": ("o", "o"), INPUT: ("s", "s"), AT_MOST: (11, 8), "published: from, to": ("_", "|")}
BOUNDS = {"lower bound": 10, "upper bound": 11}  # Marks of series that are bounds.
DASHED = {"linestyle": "--", "linewidth": 0.8}
WIDTH = 9  # Inches, about as many as a page has.


def style(pyplot):
    pyplot.rcParams.update({"svg.hashsalt": "magpie", "svg.fonttype": "none", "font.size": 10, "axes.titlesize": 10.5,
                            "path.simplify": True, "lines.linewidth": 1.2, "lines.markersize": 4.5})


def kind(row):
    """What the legend says of the published number, if there is one."""
    if isinstance(row.published, tuple):
        return AT_MOST if row.is_bound else "published: from, to"
    return None if row.published is None else INPUT if row.given else "published"


def ends(result):
    """The published number or numbers."""
    found = result.row.published
    return [end for end in (found if isinstance(found, tuple) else [found]) if end is not None]


def mark(series):
    return next((marker for words, marker in BOUNDS.items() if words in series), "o")


def look(words):
    return {"markersize": 6} if words == AT_MOST else {"markersize": 7, "markerfacecolor": "none"}


def draw_series(axis, places, results, colour, across=False):
    """One series at its places; across: values go from left to right."""
    def draw(points, **how):
        if points:
            axis.plot(*zip(*(point[::-1] if across else point for point in points)), color=colour, **how)

    values = [result.values for result in results]
    draw([(place, statistics.median(found)) for place, found in zip(places, values)],
         marker=mark(results[0].row.series), linestyle="none" if across else "-")
    draw([(place, end) for place, found in zip(places, values) if len(found) > 1
          for end in (min(found), max(found), math.nan)])
    theirs = [(place, kind(result.row), ends(result)) for place, result in zip(places, results)]
    colour = "black" if any(said == AT_MOST for _, said, _ in theirs) else colour
    if not across:
        draw([(place, found[0]) for place, _, found in theirs if len(found) == 1], **DASHED)
    draw([(place, end) for place, _, found in theirs if len(found) == 2 for end in found + [math.nan]], **DASHED)
    for words, marks in PUBLISHED.items():
        draw([(place, end) for place, said, found in theirs if said == words for end in found],
             marker=marks[across], linestyle="none", **look(words))


def draw_lines(axis, panel, results, colours):
    from matplotlib import ticker
    for series in dict.fromkeys(result.row.series for result in results):
        inside = sorted((result for result in results if result.row.series == series), key=lambda result: result.row.x)
        draw_series(axis, [result.row.x for result in inside], inside, colours[series])
    if panel.log_x:
        axis.set_xscale("log")
        xs = sorted({result.row.x for result in results})
        axis.set_xticks(xs)
        axis.set_xticklabels(["{:,}".format(x) for x in xs])
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(ticker.StrMethodFormatter("{x:,g}"))
    axis.minorticks_off()
    axis.set_xlabel(panel.x)
    axis.set_ylabel("" if panel.y in axis.get_title() else panel.y)


def names_of(results, colours):
    """The words at the left of each result: its series where no colour tells it, its x where not all have the same."""
    alike = len({result.row.x for result in results}) == 1
    return [", ".join(([] if result.row.series in colours else [result.row.series])
                      + ([] if alike else [str(result.row.x)])) or result.row.series for result in results]


def draw_dots(axis, results, colours):
    """A line for each name, in which the series lie one below the other."""
    names = names_of(results, colours)
    lines, series = list(dict.fromkeys(names)), list(dict.fromkeys(result.row.series for result in results))
    for number, name in enumerate(series):
        inside = [(line, result) for line, result in zip(names, results) if result.row.series == name]
        apart = 0.7 * ((number + 0.5) / len(series) - 0.5) if len(lines) < len(results) else 0
        draw_series(axis, [lines.index(line) + apart for line, _ in inside], [result for _, result in inside],
                    colours.get(name, "black"), True)
    axis.axvline(0, color="black", linewidth=0.8)
    axis.set_xlim(min(0, 1.05 * axis.dataLim.x0), 1.05 * axis.dataLim.x1)
    axis.set_yticks(range(len(lines)), lines)
    axis.set_ylim(len(lines) - 0.5, -0.5)
    axis.grid(axis="y", color="0.9")
    axis.set_axisbelow(True)


def panels_of(figure, results):
    """Results by panel."""
    panels = {}
    for result in results:
        panels.setdefault(result.row.panel, []).append(result)
    alone = [name for name, found in panels.items() if len(found) == 1 and name not in figure.panels]
    # A panel of one number is left to the figure's table.
    return {name: found for name, found in panels.items() if name not in alone or len(alone) == len(panels)}


def colours_of(lined, dotted, pyplot):
    """Of the series of panels with lines; without any, of those in panels that have several at the same place."""
    def is_grouped(results):
        xs, series = ({getattr(result.row, name) for result in results} for name in ("x", "series"))
        return len(results) > max(len(xs), len(series)) and len(series) > 1

    panels = lined or {name: found for name, found in dotted.items() if is_grouped(found)}
    return dict(zip(dict.fromkeys(result.row.series for found in panels.values() for result in found),
                    itertools.cycle(pyplot.rcParams["axes.prop_cycle"].by_key()["color"])))


def add_legend(drawing, results, colours, across, width):
    """Above all panels."""
    from matplotlib import lines
    handles = [lines.Line2D([], [], color=colour, marker=mark(series), label=series)
               for series, colour in colours.items()]
    said = {kind(result.row) for result in results} & set(PUBLISHED)
    if said:
        several = ", range over seeds" if any(len(result.values) > 1 for result in results) else ""
        handles.append(lines.Line2D([], [], color="black", marker="o", label="ours" + several))
    handles += [lines.Line2D([], [], color="black", marker=marks[across], label=words, **DASHED, **look(words))
                for words, marks in PUBLISHED.items() if words in said]
    if handles:
        columns = int(13 * width / (max(len(handle.get_label()) for handle in handles) + 8))
        drawing.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, 1), frameon=False, ncol=columns)


def parts_of(lined, dotted, colours, narrow):
    """Of panels with lines and of others: how many lie side by side, which is one in a narrow drawing, the height of
    all, and whether what stands at the left is the same in each."""
    names = [tuple(dict.fromkeys(names_of(found, colours))) for found in dotted.values()]
    most = max(map(len, names), default=0) * (0.22 + 0.05 * len(colours))
    for part, wide, high, alike in (
            (lined, 3 if len(lined) == 3 else 2, 2.6 if len(lined) + len(dotted) > 1 else 3.4, False),
            (dotted, 2, 0.8 + most, len(set(names)) == 1)):
        if part:
            wide = 1 if narrow else min(len(part), wide)
            yield part, wide, -(-len(part) // wide) * high, alike


def drawing_of(figure, results, records, pyplot, width=WIDTH, colour=lambda series: None):
    """The drawing, `width` inches wide. `colour` gives the colour of a series; None: the next one of matplotlib's."""
    if figure.draw:
        figure.records = records
        return figure.draw(figure, results, pyplot)
    panels = panels_of(figure, results)
    lined = {name: found for name, found in panels.items() if name in figure.panels}
    dotted = {name: found for name, found in panels.items() if name not in lined}
    colours = {series: colour(series) or other for series, other in colours_of(lined, dotted, pyplot).items()}
    parts = list(parts_of(lined, dotted, colours, width < WIDTH))
    heights = [high for _, _, high, _ in parts]
    beside = len(parts) == len(panels) == 2 and width == WIDTH
    drawing = pyplot.figure(figsize=(width, max(heights) if beside else sum(heights)), layout="constrained")
    places = drawing.subfigures(1, 2) if beside else drawing.subfigures(len(parts), 1, height_ratios=heights)
    for place, (part, wide, _, alike) in zip([places] if len(parts) == 1 else places, parts):
        axes = place.subplots(-(-len(part) // wide), wide, squeeze=False, sharey=alike)
        for axis in axes.flat[len(part):]:
            axis.set_visible(False)
        for axis, (name, found) in zip(axes.flat, part.items()):
            axis.set_title(textwrap.fill(name, int(100 * width / WIDTH) // wide))
            if part is lined:
                draw_lines(axis, figure.panels[name], found, colours)
            else:
                draw_dots(axis, found, colours)
    add_legend(drawing, [result for found in panels.values() for result in found], colours, not lined, width)
    hide_crowded(drawing)
    return drawing


def hide_crowded(drawing):
    """Leaves only those words below an axis that do not overprint the next to their right."""
    drawing.draw_without_rendering()
    for axis in drawing.axes:
        left = math.inf
        for tick in reversed(axis.get_xticklabels()):
            extent = tick.get_window_extent()
            tick.set_visible(extent.x1 + 4 < left)
            left = extent.x0 if tick.get_visible() else left


def save(figure, results, records, path):
    """Draws the results into a file, the same bytes each time."""
    pyplot = plot.import_pyplot()
    style(pyplot)
    drawing = drawing_of(figure, results, records, pyplot)
    path.parent.mkdir(parents=True, exist_ok=True)
    metadata = {"Date": None} if path.suffix == ".svg" else None
    drawing.savefig(path, bbox_inches="tight", metadata=metadata)
    pyplot.close(drawing)
    if path.suffix == ".svg":
        path.write_text(shortened(path.read_text()))


def shortened(svg):
    """The drawing with coordinates of a tenth of a point, each style written once, and no space between its parts."""
    # Coordinates stand within tags; what stands between them are words.
    svg = re.sub(r"<[^>]*>", lambda tag: re.sub(r"(\d\.\d)\d+", r"\1", tag[0]), svg)
    svg = re.sub(r' transform="rotate\(-0 [^"]*\)"', "", svg)
    svg = re.sub(r"\n *(?=<)", "\n", re.sub(r" *\n *(?=[^< \n])", " ", svg))
    styles = list(dict.fromkeys(re.findall(r' style="([^"]*)"', svg)))
    for number, text in enumerate(styles):
        svg = svg.replace(' style="%s"' % text, ' class="s%d"' % number)
    rules = "".join(".s%d{%s}" % rule for rule in enumerate(styles))
    return svg.replace("</style>", rules + "</style>", 1)
