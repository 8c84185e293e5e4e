"""A self-contained page on which a reader steps through an event; of a race, through each of its outcomes."""

import html
import json
import os

import chart
import listings
import scenarios
import sources
import text

TEMPLATE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "page.html")


def sentence(moment, issued):
    """What happens at the moment, in words; `issued` is the moment when its operation was issued."""
    who = "Rank %d" % moment.rank
    if moment.kind == "flush" and moment.label.startswith("flushes"):
        return "%s flushes what it has issued, and waits until %.3f us." % (who, moment.known / 1e6)
    if moment.kind in ("access", "flush"):
        return "%s %s." % (who, moment.label)
    if moment.kind == "effect":
        return "%s's %s takes effect in the memory of rank %d. %s." % (
            who, issued.label, moment.target, moment.label[:1].upper() + moment.label[1:])
    whose = "its own memory" if moment.rank == moment.target else "the memory of rank %d" % moment.target
    goes_on = "waits for it until %.3f us" % (moment.known / 1e6) if moment.blocking else "goes on meanwhile"
    return "%s issues %s, on %s, and %s." % (who, moment.label, whose, goes_on)


def tables(moments):
    """Of each moment, [rank, name, value before, value after] of all words."""
    now = {}  # Before the first moment.
    for moment in moments:
        for rank, name, before, _ in moment.words:
            now.setdefault((rank, name), before)
    for moment in moments:
        before = dict(now)
        for rank, name, _, after in moment.words:
            now[rank, name] = after
        yield [[rank, name, before[rank, name], now[rank, name]] for rank, name in sorted(now)]


def places(found, moment):
    """Where the moment's call is: who calls whom, the operation last, each statement whole; that one with the lines
    around it."""
    frames = found.places_of(moment.caller)
    sites = []
    for path, line in reversed(frames):
        lines = found.lines_of(path)
        first, last = sources.statement(lines, line)
        around = sources.AROUND if (path, line) == frames[0] else 0
        begin = max(first - around, 1)
        sites.append({"file": path, "line": line, "first": begin, "here": [first, last],
                      "lines": lines[begin - 1:last + around],
                      "cites": listings.cites("\n".join(lines[first - 1:last]), path)})
    return sites


def outcome_of(scenario, binaries):
    drawn = chart.of(scenario, binaries)
    found = sources.Sources(scenarios.built(scenario, binaries))
    found.look_up({each.caller: each.functions for each in drawn.moments})
    issues = {moment.number: moment for moment in drawn.moments if moment.kind == "issue"}
    head, lines = text.rows(drawn)
    steps = [{"time": "%.3f us" % (moment.time / 1e6), "phase": moment.phase, "words": table, "line": line,
              "sentence": sentence(moment, issues.get(moment.number)), "places": places(found, moment)}
             for moment, table, line in zip(drawn.moments, tables(drawn.moments), lines)]
    return {"name": scenario.outcome.replace("_", " ") or scenario.title, "title": drawn.title,
            "words": drawn.outcome, "command": drawn.command, "head": "\n".join(head), "steps": steps,
            "why": found.why, "listings": listings.beside(scenario)}


def title_of(chosen):
    return chosen[0].title if len(chosen) == 1 else "%s: %s, outcome by outcome" % (chosen[0].runtime, chosen[0].event)


def of(chosen, binaries):
    """The page, whose switch is between the scenarios."""
    data = json.dumps([outcome_of(each, binaries) for each in chosen]).replace("</", "<\\/")
    with open(TEMPLATE, encoding="utf-8") as file:
        page = file.read()
    return page.replace("@TITLE@", html.escape(title_of(chosen))).replace("@DATA@", data)
