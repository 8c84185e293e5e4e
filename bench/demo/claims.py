"""What the papers claim, and what the runs of the report's figures say of it."""

import statistics
import typing

import figures


class Claim(typing.NamedTuple):
    """A claim of papers, and whether the report's figure of that name bears it out."""
    papers: str
    claim: str
    figure: str
    # A sentence on what its runs have shown.
    seen: str
    holds: bool


def first(reports, value):
    """The median of a value over the runs of a line's first point."""
    return statistics.median(value(report) for report in reports[:figures.SEEDS])


def last(reports, value):
    return first(reports[-figures.SEEDS:], value)


def seconds(report):
    return report["seconds"]


def of_efficiency(reports):
    greedy, stalling, child = (reports[name] for name in ("cont_greedy", "cont_stalling", "child_full"))
    times = first(child, seconds) / first(greedy, seconds)
    yield Claim("cluster22", "Continuation stealing beats child stealing, above all where a rank has little work.",
                "efficiency", "The smallest RecPFor is %.2f times as fast with cont_greedy as with child_full." % times,
                times > 1)
    wait, stalled = (first(each, lambda report: report["metrics"]["outstanding_join_time_ns"]) / 1e3
                     for each in (greedy, stalling))
    yield Claim("cluster22", "With greedy join whoever comes last goes on, and nobody waits for a rank that is busy.",
                "efficiency", "An outstanding join there waits %.1f us with cont_greedy, and %.1f us with "
                "cont_stalling." % (wait, stalled), wait < stalled)


def of_throughput(reports):
    few, many = (place(reports["cont_greedy"], lambda report: report["metrics"]["region_bytes_max"])
                 for place in (first, last))
    yield Claim("hpdc15, jip16", "Threads that have their addresses on all ranks need no more of these on more ranks.",
                "throughput", "The stacks of UTS T1 take up to %d bytes of a rank's region on the fewest ranks, and %d "
                "on the most." % (few, many), many <= few)


def of_volume(reports):
    steals = reports["simulated, lotus"][0]["result"]["steals"]
    ratios = [steal["sws_ns"] / steal["sdc_ns"] for steal in steals]
    yield Claim("icpp21", "A steal by one fetch-and-add is faster than one under a lock, however much it takes.",
                "volume", "A steal from SWS takes %.2f to %.2f of the time of one from SDC, simulated." % (
                    min(ratios), max(ratios)), max(ratios) < 1)


def of_places(reports):
    times = last(reports["pool_glb"], seconds) / last(reports["pool_glb_hybrid"], seconds)
    yield Claim("hybrid_glb_apgas18", "Places whose workers share their tasks beat places of one worker.", "places",
                "The most workers are %.2f times as fast with pool_glb_hybrid as with pool_glb." % times, times > 1)


def of_figure(name, reports):
    """The claims that a figure's runs, {label: reports}, say something of; none where a runtime is not there."""
    making = globals().get("of_" + name)
    try:
        return list(making(reports)) if making else []
    except KeyError:
        return []
