"""What papers.py prints: the list, a figure's tables, and the page of all of them."""

from figures import catalogue, model
from figures.model import Figure, FAR

HEAD = """# The papers' tables and figures, simulated beside published

    bench/papers.py --page

writes this page, and the drawings on it, from the recorded runs in `bench/results`; it is not edited by hand.
`bench/papers.py --list` names all tables and figures, and says where the algorithms stand in the code.
`--figure=NAME` prints one, with `--json` the commands of its runs, with `--run` anew, with `--full` at the paper's own
size ([bench](README.md#the-papers-tables-and-figures)). All but what is said to be of a real machine is simulated, on
the networks of [common/rma/sim](../common/rma/sim/README.md#machines), and the same on every computer.
Recorded runs are of the code of their day.

Each number is ours, the median over the values of `--victim_seed`, with the least and the most where they differ; then
the published one, which the paper's text or tables print or its artifact has, and, in parentheses, ours by published,
**bold** where they are more than {far:.0f} % apart. What is only drawn in a paper is not read off its drawing, and
lines without a published number are left to our drawing (`--figure=NAME` prints them). A deviation, |ours / published -
1|, is of a number that is no input: a † marks one that the simulated machine is set to or derived from, and in
cluster22's Table II also the same quantity of other N. These are no evidence, and not counted below."""
SMALL = "Run here: sizes of `--small`, which run within a minute or so and of which no agreement is to be expected; " \
    "`--json` tells the commands."


def published_text(row):
    if not isinstance(row.published, tuple):
        return row.text(row.published)
    least, most = row.published
    return ("at most " if least is None else row.text(least) + " to ") + row.text(most)


def cell(result):
    """Ours, its range, the published value, the ratio."""
    text = result.row.text(result.middle)
    least, most = result.row.text(min(result.values)), result.row.text(max(result.values))
    if least != most:
        text += " [%s, %s]" % (least, most)
    if result.row.published is None:
        return text
    if isinstance(result.row.published, tuple) and result.ratio == 1:
        return "%s / %s%s" % (text, published_text(result.row),
                              "" if result.kept else " (not with every seed)" if result.row.is_bound else "")
    mark = "**" if result.far else ""
    return "%s / %s (%s%.2f%s%s)" % (text, published_text(result.row), mark, result.ratio, mark,
                                     " †" if result.row.given else "")


def row(cells):
    return "| %s |" % " | ".join(cells)


def lines_of(results, series):
    """A line for each x, a column for each series."""
    xs = list(dict.fromkeys(result.row.x for result in results))
    if not any(isinstance(x, str) for x in xs):
        xs.sort()
    cells = {(result.row.x, result.row.series): cell(result) for result in results}
    return [row(["{:,}".format(x) if isinstance(x, int) else str(x)] + [cells.get((x, name), "") for name in series])
            for x in xs]


def with_published(results):
    """The results of lines that have a published number."""
    known = {(result.row.panel, result.row.x) for result in results if result.row.published is not None}
    return [result for result in results if (result.row.panel, result.row.x) in known]


def tables(results, panels, kind=""):
    """A table for all panels that have the same series. Above the lines of a panel stand `kind`, the panel's name and,
    where `panels` has it, what its lines are."""
    found, lines = {}, {}
    for result in results:
        found.setdefault(result.row.panel, []).append(result)
    for name, inside in found.items():
        series = tuple(dict.fromkeys(result.row.series for result in inside))
        head = "*%s%s*%s" % (kind, name, "<br>" + panels[name].x if name in panels else "")
        above = [row([head] + [""] * len(series))] if series in lines else [
            row([head, *series]), "|" + "---|" * (len(series) + 1)]
        lines.setdefault(series, []).extend(above + lines_of(inside, series))
    return "\n\n".join(map("\n".join, lines.values()))


def figure_text(figure, size, records, drawing):
    """The words and tables of a figure; on the page, with a link to its drawing in the folder `drawing`."""
    rows, results = figure.rows(size), figure.results(size, records)
    smaller = " Run here: " + figure.smaller if figure.smaller and size == "page" else ""
    parts = ["### %s (`%s`)\n\n%s Published: %s." % (figure.number, figure.name, figure.caption + smaller, figure.where)]
    if drawing and results and figure.is_drawn:
        parts.append("![%s](%s/%s.svg)" % (figure.number, drawing, figure.name))
    if results and size == "page":  # What the figure says is of the page's size.
        parts.append(("**%s** %s" % (figure.says, figure.why)).rstrip())
    if not drawing:
        parts.append(overview([figure], size, records))
    if size == "small":
        parts.append(SMALL)
    are_drawn = drawing and figure.is_drawn and not figure.draw
    parts.append(tables(with_published(results) if are_drawn else results, figure.panels))
    absent = model.missing(rows, records)
    if absent:
        parts.append("Not recorded yet are %d of %d numbers: `bench/papers.py --figure=%s --run%s`."
                     % (len(absent), len(rows), figure.name, "" if size == "page" else " --" + size))
    experiments = model.results_of(figure.experiments(), records) if size == "page" else []
    parts.append(tables(experiments, {}, "experiment: "))
    return "\n\n".join(part for part in parts if part)


def list_text():
    """All tables and figures, a line each."""
    return "\n\n".join("\n".join([paper.TITLE] + [
        "  %-24s %-10s %-14s %s" % (figure.name, figure.number, figure.kind, figure.caption) for figure in paper.FIGURES])
        for paper in catalogue.PAPERS)


def drawing_of(figure, folder):
    return folder / "results" / "figures" / (figure.name + ".svg")


def counts(summary):
    """What the overview tells of a figure: how many numbers, how many near, the median deviation."""
    kept = "%d of %d bounds" % (summary["kept"], summary["bounds"]) if summary["bounds"] else ""
    if not summary["compared"]:
        return "", kept, ""
    return ("%d" % summary["compared"], "%d" % summary["near"] + (", and " + kept if kept else ""),
            "%.1f %%" % (100 * summary["median_deviation"]))


def overview(figures, size, records):
    """A line for each figure with published numbers that are not inputs: how near ours are."""
    lines = []
    for figure in figures:
        found = model.summary(figure.results(size, records))
        if found and (found["compared"] or found["bounds"]):
            lines.append(row(["`%s`" % figure.name, *counts(found)]))
    head = row(["figure", "numbers", "within %.0f %%" % (100 * FAR), "median deviation"])
    return "\n".join([head, "|---|---|---|---|", *lines]) if lines else ""


def page_text(records):
    parts = [HEAD.format(far=100 * FAR), overview(catalogue.measured(), "page", records)]
    for paper in catalogue.PAPERS:
        parts.append("## " + paper.TITLE)
        parts += [figure_text(figure, "page", records, "results/figures")
                  for figure in paper.FIGURES if isinstance(figure, Figure)]
    return "\n\n".join(parts) + "\n"
