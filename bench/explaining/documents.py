"""The charts that documents show: indented blocks that begin with the command that prints them."""

import re
import textwrap

INDENTED = r"    (?!bench/explain \S).*"
CHART = re.compile(r"(?:\A|(?<=\n\n))    bench/explain (\S.*)\n((?:\n|%s\n)*%s)" % (INDENTED, INDENTED))
DOCUMENTS = ["impl/%s/CHARTS.md" % package for package in (
    "uniaddr", "greedy_join", "child_steal", "sws_queue", "glb_lifeline")]


def charts(text):
    """(the command's arguments, what is shown below it) of each chart in a document."""
    return [(arguments.split(), re.sub("^    ", "", block.lstrip("\n"), flags=re.M) + "\n")
            for arguments, block in CHART.findall(text)]


def with_charts(text, chart_of):
    """The document, with each chart as chart_of(arguments) tells it."""
    return CHART.sub(lambda found: "    bench/explain %s\n\n%s" % (
        found[1], textwrap.indent(chart_of(found[1].split()).rstrip("\n"), "    ")), text)
