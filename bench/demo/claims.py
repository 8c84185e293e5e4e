"""What the papers claim, and what the runs of the report's figures say of it."""

import contextlib
import typing

import tables
from simulations import EFFICIENCY, PHASES, RATIO, SPEEDUP, STACKS, WAITS


class Claim(typing.NamedTuple):
    """A claim of papers, and the numbers of the report's figure of that name that bear it out, or do not."""
    papers: str
    claim: str
    figure: str
    # What the numbers are, and their unit.
    what: str
    # {label: number}; the claim holds where the last one is the largest. In CLAIMS a function that makes this
    # dictionary from {(panel, series): medians}.
    values: object
    # Whether it holds as well where others are as large as the last one.
    if_equal: bool = False

    @property
    def holds(self):
        *others, last = self.values.values()
        return max(others) < last or self.if_equal and max(others) == last

    @property
    def seen(self):
        """A sentence on what the runs have shown."""
        return "%s: %s." % (self.what[:1].upper() + self.what[1:], ", ".join(
            "%s %s" % (label, tables.number(value, 2)) for label, value in self.values.items()))


def ends(panel, place, *series):
    return lambda found: {name: found[panel, name][place] for name in series}


def simulated_ratios(found):
    ratios = [ratio for size in (24, 192) for ratio in found[RATIO, "simulated, lotus, %d bytes" % size]]
    return {"SWS at least": min(ratios), "SWS at most": max(ratios), "SDC": 1}


CLAIMS = (
    Claim("cluster22", "Continuation stealing beats child stealing in RecPFor.", "efficiency",
          "efficiency of the smallest RecPFor, %", ends(EFFICIENCY, 0, "child_full", "cont_greedy")),
    Claim("cluster22", "With greedy join the thread that comes last goes on, so joins wait shorter than with stalling "
          "join.", "efficiency", "wait of an outstanding join of RecPFor, us",
          ends(WAITS, 0, "cont_greedy", "cont_stalling")),
    Claim("hpdc15, jip16", "Stacks of uni-address threads need no more addresses when there are more ranks.",
          "throughput", "stacks of UTS T1 in a rank's region, bytes", lambda found: {
              "%s ranks" % where: found[STACKS, "cont_greedy"][place] for where, place in (("most", -1), ("fewest", 0))},
          if_equal=True),
    Claim("hpdc15, jip16", "Suspending and resuming is less than a tenth of a steal. (What they take is an input "
          "of both simulated machines.)", "steal",
          "suspend and resume, % of a steal",
          lambda found: {**ends(PHASES, -1, "fx10", "tsubame25")(found), "a tenth": 10}),
    Claim("icpp21", "Over a network a steal by one fetch-and-add is faster than one under a lock, however much it takes.",
          "volume", "time of a simulated steal (SDC's is 1)", simulated_ratios),
    Claim("hybrid_glb_apgas18", "Places of one worker communicate needlessly: places of several workers, with a core for "
          "each manager, are faster.", "places", "speed-up of UTS T1 on the most workers",
          ends(SPEEDUP, -1, "pool_glb", "pool_glb_hybrid")))


def of_figure(name, results):
    """The claims that a figure's results say something of; none where a runtime is not there."""
    found = {}
    for result in results:
        found.setdefault((result.row.panel, result.row.series), []).append(result.middle)
    for claim in CLAIMS:
        if claim.figure == name:
            with contextlib.suppress(KeyError):
                yield claim._replace(values=claim.values(found))
