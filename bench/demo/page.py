"""The demo's report: one HTML page that needs no other file and no network."""

import datetime
import html
import os
import re
import shlex
import typing

import menu
import plots
import tables
from measuring import shared

STYLE = """
:root { color-scheme: light; --ink: #1c2733; --pale: #5b6b7b; --line: #d8dee5; --mark: #1b6ca8; }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 62rem; padding: 1rem; color: var(--ink); background: #fff;
       font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.5rem 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 0.3rem; border-top: 1px solid var(--line); padding-top: 1rem; }
p { max-width: 46rem; margin: 0.5rem 0; overflow-wrap: anywhere; }
.pale { color: var(--pale); font-size: 0.9rem; }
.wide { overflow-x: auto; }
.claim { display: flex; flex-wrap: wrap; align-items: center; gap: 0 1.5rem; }
.claim p { flex: 1 1 24rem; } .claim figure { flex: 0 1 20rem; margin: 0; }
dt { font-weight: 600; margin-top: 0.3rem; } dd { margin: 0; max-width: 46rem; }
@media (min-width: 40rem) { dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 1rem; }
  dd { margin-top: 0.3rem; } }
table { border-collapse: collapse; font-size: 0.85rem; font-variant-numeric: tabular-nums; }
th, td { padding: 0.15rem 0.6rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; position: sticky; left: 0; background: #fff; }
td.fault { color: #b00020; text-align: left; }
figure { margin: 1rem 0; }
nav a { margin-right: 0.8rem; display: inline-block; }
a { color: var(--mark); }
code, pre { font: 0.8rem/1.45 ui-monospace, "DejaVu Sans Mono", monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f6f8; padding: 0.6rem; margin: 0.4rem 0; }
summary { cursor: pointer; color: var(--pale); font-size: 0.9rem; }
@media print {
  body { max-width: none; font-size: 11px; }
  h2 { break-after: avoid; } figure, tr { break-inside: avoid; }
  .wide { overflow: visible; } nav { display: none; }
  table { font-size: 8px; } th, td { padding: 0.1rem 0.3rem; }
}
"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Magpie: work stealing, side by side</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
<h1>Work stealing, side by side</h1>
<p class="pale">{about}</p>
<pre>{command}</pre>
<nav>{contents}</nav>
{body}
</body>
</html>
"""


def machine():
    """This machine in words: processor, cores, system."""
    found = shared.machine()
    return "%s, %d core%s used, %s" % (found["processor"], found["cores"], "s"[:found["cores"] != 1], found["system"])


def table_html(table):
    shown, texts = tables.filled(table)
    heads = [html.escape(tables.HEAD[column]).strip().replace("\n", "<br>") for column in shown]
    lines = ["<tr>%s</tr>" % "".join("<th>%s</th>" % head for head in heads)]
    for row, line in zip(table.rows, texts):
        fault = '<td class="fault">%s</td>' % html.escape(row.fault) if row.fault else ""
        lines.append("<tr>%s%s</tr>" % ("".join("<td>%s</td>" % html.escape(line[column]) for column in shown), fault))
    return '<div class="wide"><table>%s</table></div>' % "\n".join(lines)


def commands_html(commands, title):
    text = "\n".join(shlex.join(command) for command in commands)
    return "<details><summary>%s</summary><pre>%s</pre></details>" % (html.escape(title), html.escape(text))


def section(name, title, parts):
    return '<section id="%s"><h2>%s</h2>\n%s\n</section>' % (name, html.escape(title), "\n".join(parts))


def paragraph(text, style=""):
    return "<p%s>%s</p>" % (style and ' class="%s"' % style, html.escape(text))


def table_section(table, svg):
    parts = [paragraph("%s. It %s." % (table.title, table.program.about)), table_html(table)]
    parts += [paragraph(words, "pale") for words in table.notes]
    if svg:
        words = ["Grey line: as fast as %s on one rank." % table.program.baseline]
        if any(row.speedup_interval for row in table.rows):
            words.insert(0, "Black lines: between the speed-ups of the times from and to.")
        if not all(plots.colour(row.runtime) for row in table.rows if row.speedup):
            words.append("Grey bars: runtimes of your own.")
        parts += ["<figure>%s</figure>" % svg, paragraph(" ".join(words), "pale")]
    parts.append(commands_html(table.commands, "The commands of the first row and of the last one"))
    return section("%s-%d" % (table.program.name, table.ranks), "%s, %d rank%s" % (
        table.program.title, table.ranks, "s"[:table.ranks != 1]), parts)


def figure_section(drawn):
    commands = drawn.figure.commands()
    return section(drawn.figure.name, drawn.figure.caption, [
        paragraph("As in %s. %s" % (drawn.figure.where, drawn.figure.says)), "<figure>%s</figure>" % drawn.svg,
        commands_html(commands, "The %d commands" % len(commands))])


class Drawn(typing.NamedTuple):
    """A figure with what its reports have made of it."""
    figure: object
    svg: str
    # (claims.Claim, SVG) of all that its runs say something of.
    claims: list


def claims_section(claims):
    """The answer first: what the papers claim, and what was seen."""
    parts = ['<div class="claim"><p><strong>%s</strong>, %s: %s %s <a href="#%s">Figure</a></p>'
             "<figure>%s</figure></div>" % ("confirmed" if each.holds else "not confirmed", each.papers, html.escape(
                 each.claim), html.escape(each.seen), each.figure, svg) for each, svg in claims]
    return [section("claims", "What the papers claim, and what this run saw", parts)] if parts else []


def definitions(entries):
    return "<dl>%s</dl>" % "\n".join("<dt>%s</dt><dd>%s</dd>" % entry for entry in entries)


def link(path, text, out):
    """A link from a page in the folder `out`."""
    return '<a href="%s">%s</a>' % (html.escape(os.path.relpath(path, out)), text)


def runtimes_section(runtimes, options):
    """What the runtimes are, and what the columns of their tables mean."""
    def as_html(markdown):
        text = re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(markdown))
        return re.sub(r"\[([^]]+)\]\(([^)#]+)[^)]*\)", lambda found: link(
            menu.ROOT / "runtimes" / found[2], found[1], options.out), text)

    return section("runtimes", "The runtimes, and what the tables say", [
        definitions((each.name, as_html(menu.about(each))) for each in runtimes),
        *(paragraph(words, "pale") for words in tables.legend(runtimes, options))])


def events_section(pages_of, out):
    """The gallery of what bench/explain has drawn: {runtime: {page: title}}."""
    return section("events", "One event at a time", [
        paragraph("A steal, a join or the like of the real code, simulated: step by step, with the words that change and "
                  "the lines of the source. Each page stands alone."),
        definitions((name, "<br>".join(link(path, html.escape(title), out) for path, title in pages.items()))
                    for name, pages in pages_of.items())])


def rest_of(left_out, failures):
    """What is not there, and why."""
    parts = [paragraph(words) for words in left_out]
    if failures:
        parts.append(paragraph("These runs failed:"))
        parts += ["<pre>%s\n%s</pre>" % (html.escape(command), html.escape(words))
                  for command, words in failures.items()]
    return [section("left-out", "Left out", parts)] if parts else []


def page(command, options, runtimes, tables_and_svgs, drawn, pages, left_out, failures):
    """The whole page: claims, runtimes, tables with their plots, figures, events, and what is left out.

    `command` is the line that made it; SVGs may be "".
    """
    body = claims_section([claim for each in drawn for claim in each.claims]) + [runtimes_section(runtimes, options)]
    body += [table_section(table, svg) for table, svg in tables_and_svgs]
    body += [figure_section(each) for each in drawn] + [events_section(pages, options.out)] * bool(pages)
    body += rest_of(left_out, failures)
    contents = re.findall('<section id="(.*?)"><h2>(.*?)</h2>', "\n".join(body))
    return PAGE.format(
        style=STYLE, about=html.escape("Measured on %s, %s. Simulated runs have virtual time, the same on every "
                                       "machine." % (machine(), datetime.date.today())),
        command=html.escape(command), body="\n".join(body),
        contents=" ".join('<a href="#%s">%s</a>' % each for each in contents))
