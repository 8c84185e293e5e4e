"""What the papers claim, and what the runs of the report's figures say of it."""

import statistics
import typing

import figures
import tables


class Claim(typing.NamedTuple):
    """A claim of papers, and the numbers of the report's figure of that name that bear it out, or do not."""
    papers: str
    claim: str
    figure: str
    # What the numbers are, and their unit.
    what: str
    # {label: number}; the claim holds where the last one is the largest.
    values: dict
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


def first(reports, value):
    """The median of a value over the runs of a line's first point."""
    return statistics.median(value(report) for report in reports[:figures.SEEDS])


def last(reports, value):
    return first(reports[-figures.SEEDS:], value)


def milliseconds(report):
    return report["seconds"] * 1e3


def of_efficiency(reports):
    for claim, what, value, other in (
            ("Continuation stealing beats child stealing in RecPFor.", "time of the smallest RecPFor, ms", milliseconds,
             "child_full"),
            ("With greedy join the thread that comes last goes on, so joins wait shorter than with stalling join.",
             "wait of an outstanding join of RecPFor, us",
             lambda report: report["metrics"]["outstanding_join_time_ns"] / 1e3, "cont_stalling")):
        if {"cont_greedy", other} <= reports.keys():
            yield Claim("cluster22", claim, "efficiency", what, {
                runtime: first(reports[runtime], value) for runtime in ("cont_greedy", other)})


def of_throughput(reports):
    if "cont_greedy" not in reports:
        return
    values = {"%s ranks" % where: place(reports["cont_greedy"], lambda report: report["metrics"]["region_bytes_max"])
              for where, place in (("most", last), ("fewest", first))}
    yield Claim("hpdc15, jip16", "Stacks of uni-address threads need no more addresses when there are more ranks.",
                "throughput", "stacks of UTS T1 in a rank's region, bytes", values, if_equal=True)


def of_steal(reports):
    shares = {net: figures.shares(report) for net, [report] in reports.items()}
    yield Claim("hpdc15, jip16", "Suspending and resuming is less than a tenth of a steal: 7.7 % on FX10, at most 1.2 % on "
                "TSUBAME2.5. (What they take is an input of both simulated machines.)", "steal",
                "suspend and resume, % of a steal", {
                    **{net: share["suspend"] + share["resume"] for net, share in shares.items()}, "a tenth": 10})


def of_volume(reports):
    steals = reports["simulated, lotus"][0]["result"]["steals"]
    ratios = [steal["sws_ns"] / steal["sdc_ns"] for steal in steals]
    yield Claim("icpp21", "Over a network a steal by one fetch-and-add is faster than one under a lock, however much "
                "it takes.",
                "volume", "time of a simulated steal (SDC's is 1)",
                {"SWS at least": min(ratios), "SWS at most": max(ratios), "SDC": 1})


def of_places(reports):
    pools = ("pool_glb_hybrid", "pool_glb")
    if set(pools) <= reports.keys():
        yield Claim("hybrid_glb_apgas18", "Places of one worker communicate needlessly: places of several workers, with a "
                    "core for each manager, are faster.", "places", "time of UTS T1 on the most workers, ms",
                    {pool: last(reports[pool], milliseconds) for pool in pools})


def of_figure(name, reports):
    """The claims that a figure's runs, {label: reports}, say something of; none where a runtime is not there."""
    making = globals().get("of_" + name)
    return list(making(reports)) if making else []
