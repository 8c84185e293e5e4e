"""The charts that documents show: indented blocks that begin with the command that prints them."""

import re
import textwrap

INDENTED = r"    (?!bench/explain \S).*"
CHART = re.compile(r"(?:\A|(?<=\n\n))    bench/explain (\S.*)\n(?:\n|%s\n)*%s" % (INDENTED, INDENTED))
DOCUMENTS = ["impl/%s/CHARTS.md" % package for package in (
    "uniaddr", "greedy_join", "child_steal", "sws_queue", "glb_lifeline")]


def with_charts(text, chart_of):
    """The document, with each chart as chart_of(arguments) tells it."""
    return CHART.sub(lambda found: "    bench/explain %s\n\n%s" % (
        found[1], textwrap.indent(chart_of(found[1].split()).rstrip("\n"), "    ")), text)
