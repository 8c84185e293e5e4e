"""Draws figures: ours filled, with the range over the seeds, published ones hollow and dashed."""

import plot

from figures import model


def style(pyplot):
    pyplot.rcParams.update({"svg.hashsalt": "magpie", "svg.fonttype": "none", "font.size": 8, "path.simplify": True})


def is_number(value):
    return isinstance(value, (int, float))


def draw_lines(axis, results, colour, series):
    xs = [result.row.x for result in results]
    middles = [result.middle for result in results]
    errors = [[result.middle - min(result.values) for result in results],
              [max(result.values) - result.middle for result in results]]
    axis.errorbar(xs, middles, yerr=errors, color=colour, marker="o", markersize=3, linewidth=1, label=series)
    there = [(result.row.x, result.row.published) for result in results if is_number(result.row.published)]
    if there:
        axis.plot(*zip(*there), color=colour, marker="o", markersize=5, markerfacecolor="none", linestyle="--", linewidth=0.7)


def draw_bars(axis, results):
    """A bar for each row: ours by published."""
    names = ["%s, %s" % (result.row.series, result.row.x) for result in results]
    ratios = [result.ratio for result in results]
    lows = [result.row.ratio(min(result.values)) for result in results]
    highs = [result.row.ratio(max(result.values)) for result in results]
    places = range(len(results))
    axis.barh(places, ratios, color=["tab:orange" if result.far else "tab:blue" for result in results], height=0.7)
    axis.hlines(places, lows, highs, color="black", linewidth=1)
    axis.axvline(1, color="black", linewidth=0.7, linestyle="--")
    axis.set_yticks(list(places))
    axis.set_yticklabels(names)
    axis.invert_yaxis()
    axis.set_xlabel("ours by published")


def draw_panel(axis, title, panel, results, pyplot):
    axis.set_title(title)
    if panel is None or not all(is_number(result.row.x) for result in results):
        draw_bars(axis, [result for result in results if result.ratio is not None])
        return
    for colour, series in zip(pyplot.rcParams["axes.prop_cycle"].by_key()["color"],
                              dict.fromkeys(result.row.series for result in results)):
        draw_lines(axis, sorted((result for result in results if result.row.series == series),
                                key=lambda result: result.row.x), colour, series)
    if panel.log_x:
        axis.set_xscale("log")
    if panel.log_y:
        axis.set_yscale("log")
    axis.set_xlabel(panel.x)
    axis.set_ylabel(panel.y)
    axis.legend(frameon=False, fontsize=7, title="hollow: published" if any(is_number(result.row.published) for result in results)
                else None, title_fontsize=7)


def drawing_of(figure, results, records, pyplot):
    if figure.draw:
        figure.records = records
        return figure.draw(figure, results, pyplot)
    panels = {}
    for result in results:
        panels.setdefault(result.row.panel, []).append(result)
    if not figure.panels:  # bars: of panels with something to compare
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
