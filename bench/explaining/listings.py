"""The papers' algorithms, in our own words (listings.json), and which of their lines a statement is.

Comments behind the code tell it, as "// line 33", "// lines 38-40" or "// (2)": of the listing among whose `files` is
theirs. A listing stands beside the charts that `beside` names, by event and runtime.
"""

import json
import os
import re

with open(os.path.join(os.path.dirname(os.path.realpath(__file__)), "listings.json"), encoding="utf-8") as file:
    LISTINGS = json.load(file)
CITED = re.compile(r"\blines? (\d+(?:-\d+)?(?:(?:, | and )\d+(?:-\d+)?)*)|(\(\d\))")


def numbers(cited):
    """Of "38-40 and 42", the numbers 38, 39, 40 and 42."""
    if cited.startswith("("):
        return {cited}
    return {str(n) for first, last in re.findall(r"(\d+)(?:-(\d+))?", cited)
            for n in range(int(first), int(last or first) + 1)}


def cites(code, path):
    """{listing: its lines} that this code of a file is."""
    cited = [match[match.lastindex] for match in CITED.finditer(" ".join(re.findall("//(.*)", code)))]
    found = {name: sorted(listing["lines"].keys() & set().union(*(
        numbers(listing.get("steps", {}).get(each, each)) for each in cited)))
             for name, listing in LISTINGS.items() if path in listing["files"]}
    return {name: lines for name, lines in found.items() if lines}


def beside(scenario):
    return {name: listing for name, listing in LISTINGS.items()
            if scenario.runtime in listing["beside"].get(scenario.event, [])}
