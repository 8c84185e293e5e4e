"""Draws figures: ours filled, with the range over the seeds, published ones hollow and dashed."""

import re
import statistics

import plot

from figures.model import FAR


def style(pyplot):
    pyplot.rcParams.update({"svg.hashsalt": "magpie", "svg.fonttype": "none", "font.size": 8, "path.simplify": True})


def is_number(value):
    return isinstance(value, (int, float))


def draw_lines(axis, results, colour, series):
    xs = [result.row.x for result in results]
    middles = [result.middle for result in results]
    axis.plot(xs, middles, color=colour, marker="o", markersize=3, linewidth=1, label=series)
    several = [result for result in results if len(result.values) > 1]
    axis.vlines([result.row.x for result in several], [min(result.values) for result in several],
                [max(result.values) for result in several], color=colour, linewidth=1)
    there = [(result.row.x, result.row.published) for result in results if is_number(result.row.published)]
    if there:
        axis.plot(*zip(*there), color=colour, marker="o", markersize=5, markerfacecolor="none", linestyle="--",
                  linewidth=0.7)


def draw_bars(axis, results):
    """A bar for each row: ours by published, or ours where nothing is published."""
    compared = [result for result in results if result.ratio is not None]
    shown = compared or results
    values = [[result.row.ratio(value) if compared else value for value in result.values] for result in shown]
    places = range(len(shown))
    axis.barh(places, [statistics.median(found) for found in values], height=0.7,
              color=["tab:orange" if result.far else "tab:blue" for result in shown])
    axis.hlines(places, [min(found) for found in values], [max(found) for found in values], color="black", linewidth=1)
    if compared:
        axis.axvline(1, color="black", linewidth=0.7, linestyle="--")
        axis.set_xlabel("ours by published")
    axis.set_yticks(list(places))
    axis.set_yticklabels(["%s, %s" % (result.row.series, result.row.x) for result in shown])
    axis.invert_yaxis()


def draw_dots(figure, results, pyplot):
    """Ours by published: a drawing for each panel, columns from left to right, a colour for each series."""
    compared = [result for result in results if result.ratio is not None]
    panels = list(dict.fromkeys(result.row.panel for result in compared))
    columns = list(dict.fromkeys(result.row.x for result in compared))
    series = list(dict.fromkeys(result.row.series for result in compared))
    drawing, axes = pyplot.subplots(-(-len(panels) // 2), 2, figsize=(10, 2.8 * -(-len(panels) // 2)), squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, panel in zip(axes.flat, panels):
        for name, colour in zip(series, pyplot.rcParams["axes.prop_cycle"].by_key()["color"]):
            inside = [result for result in compared if (result.row.panel, result.row.series) == (panel, name)]
            axis.plot([columns.index(result.row.x) for result in inside], [result.ratio for result in inside], "o",
                      color=colour, markersize=4, label=name)
        axis.axhspan(1 - FAR, 1 + FAR, color="lightgrey", linewidth=0)
        axis.set_title(panel)
        axis.set_ylabel("ours by published")
        axis.set_ylim(0)
        axis.set_xticks(range(len(columns)))
        axis.set_xticklabels(columns, rotation=30, ha="right")
    axes[0, 0].legend(frameon=False, fontsize=7)
    drawing.tight_layout()
    return drawing


def draw_panel(axis, title, panel, results, pyplot):
    from matplotlib import ticker
    axis.set_title(title)
    if panel is None or not all(is_number(result.row.x) for result in results):
        draw_bars(axis, results)
        return
    for colour, series in zip(pyplot.rcParams["axes.prop_cycle"].by_key()["color"],
                              dict.fromkeys(result.row.series for result in results)):
        draw_lines(axis, sorted((result for result in results if result.row.series == series),
                                key=lambda result: result.row.x), colour, series)
    if panel.log_x:
        axis.set_xscale("log")
        xs = sorted({result.row.x for result in results})
        axis.set_xticks(xs)
        axis.set_xticklabels(["{:,}".format(x) for x in xs])
    if panel.log_y:
        axis.set_yscale("log")
        axis.yaxis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5)))
        axis.yaxis.set_major_formatter(ticker.FormatStrFormatter("%g"))
    axis.minorticks_off()
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    axis.legend(frameon=False, fontsize=7,
                title="hollow: published" if any(is_number(result.row.published) for result in results)
                else None, title_fontsize=7)


def drawing_of(figure, results, records, pyplot):
    if figure.draw:
        figure.records = records
        return figure.draw(figure, results, pyplot)
    panels = {}
    for result in results:
        panels.setdefault(result.row.panel, []).append(result)
    if any(result.ratio is not None for result in results) and not figure.panels:  # bars
        panels = {name: found for name, found in panels.items() if any(result.ratio is not None for result in found)}
    bars = max([len(found) for found in panels.values()] + [1]) if not figure.panels else 0
    columns = min(2, max(len(panels), 1))
    lines = -(-max(len(panels), 1) // columns)
    height = max(3, 1 + 0.16 * bars)
    drawing, axes = pyplot.subplots(lines, columns, figsize=(5 * columns, height * lines), squeeze=False)
    for axis in axes.flat[len(panels):]:
        axis.set_visible(False)
    for axis, (name, found) in zip(axes.flat, panels.items()):
        draw_panel(axis, name, figure.panels.get(name), found, pyplot)
    drawing.tight_layout()
    return drawing


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
    svg = re.sub(r"\n *(?=<)", "\n", re.sub(r" *\n *(?=[^< \n])", " ", svg))
    styles = list(dict.fromkeys(re.findall(r' style="([^"]*)"', svg)))
    for number, text in enumerate(styles):
        svg = svg.replace(' style="%s"' % text, ' class="s%d"' % number)
    rules = "".join(".s%d{%s}" % rule for rule in enumerate(styles))
    return svg.replace("</style>", rules + "</style>", 1)
