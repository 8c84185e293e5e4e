#!/usr/bin/env python3
"""Draws a trace or a timeline, or prints a trace's steals as a table.

Usage: bench/plot.py --out=FILE TRACE_OR_TIMELINE
       bench/plot.py --table TRACE

A trace is what a program of this repository writes with --trace=FILE: each rank is a bar, green where it ran tasks,
red where it stole, orange where it tried to, grey where it waited between two attempts. A timeline is what such a
program writes with --timeline=FILE: the number of busy ranks (green, left) and of outstanding joins that were ready
(purple, right), as in cluster22 Fig. 7. The name of --out=FILE ends with .svg, .png or .pdf.

--table prints the phases of a steal (hpdc15 Table 3 and Fig. 10, jip16 Fig. 13),
and then the other events of the trace: their number, and nanoseconds.

Exits with status 2 for bad flags and files, and if matplotlib, which only
drawings need, is missing.
"""

import argparse
import statistics
import sys

import trace_file

TITLE = "{:<32} {:>10} {:>12} {:>12} {:>8}"
ROW = "{:<32} {:>10} {:>12.1f} {:>12.0f} {:>8}"
COLOURS = {"busy": "tab:green", "steal": "tab:red", "failed steal": "tab:orange", "search": "lightgrey"}


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.error = lambda message: parser.exit(2, "plot.py: %s\n" % message)
    parser.add_argument("file", metavar="TRACE_OR_TIMELINE")
    parser.add_argument("--out")
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args(arguments)
    if bool(options.out) == options.table:
        parser.error("either --out=FILE or --table")
    if options.out and not options.out.endswith((".svg", ".png", ".pdf")):
        parser.error("--out=%s does not end with .svg, .png or .pdf" % options.out)
    return options


# ------------------------------------------------------------------------------------------------------------ the table


def print_row(name, durations, share=""):
    if durations:
        print(ROW.format(name, len(durations), statistics.fmean(durations), statistics.median(durations), share))


def print_steals(steals):
    """The phases of a steal: for each the mean over all steals, so that the phases add up."""
    whole = [trace_file.duration(steal.event) for steal in steals]
    if not whole:
        return
    print(TITLE.format("phase of a steal", "steals", "mean ns", "median ns", "share"))

    def share(durations):
        return "{:.1%}".format(sum(durations) / max(sum(whole), 1))

    for phase in trace_file.PHASES:
        durations = [steal.phases[phase] for steal in steals]
        if any(durations):
            print_row("  " + phase, durations, share(durations))
    rest = [all_of_it - sum(steal.phases.values()) for steal, all_of_it in zip(steals, whole)]
    print_row("  the rest", rest, share(rest))
    print_row("steal", whole, share(whole))
    for name, events in (("suspend, before it", [steal.suspend for steal in steals]),
                         ("resume, after it", [steal.resume for steal in steals])):
        durations = [trace_file.duration(event) for event in events if event]
        print_row(name, durations, share(durations))
    print("bytes of a steal: mean %.1f" % statistics.fmean(steal.event.args.get("bytes", 0) for steal in steals))


def print_table(tracks):
    print_steals([steal for track in tracks.values() for steal in trace_file.steals_of(track)])
    durations = {}
    for track in tracks.values():
        for event in track.events + track.joins:
            durations.setdefault(event.name, []).append(trace_file.duration(event))
    print("\n" + TITLE.format("event", "count", "mean ns", "median ns", "total s"))
    for name in sorted(durations):
        print_row(name, durations[name], "{:.4g}".format(sum(durations[name]) * 1e-9))
    dropped = {rank: trace_file.dropped(track) for rank, track in tracks.items() if trace_file.dropped(track)}
    if dropped:
        print("\n%d events were dropped, by %d of %d ranks: --trace_events=N keeps more of each rank's"
              % (sum(dropped.values()), len(dropped), len(tracks)))


# --------------------------------------------------------------------------------------------------------- the drawings


def import_pyplot():
    try:
        import matplotlib
    except ImportError:
        sys.stderr.write("plot.py: matplotlib is missing; as root: apt-get install python3-matplotlib, and run this "
                         "script with /usr/bin/python3; or: pip install matplotlib\n")
        sys.exit(2)
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def draw_trace(axes, tracks):
    for rank, track in tracks.items():
        for name, colour in COLOURS.items():
            spans = [(event.begin * 1e-6, trace_file.duration(event) * 1e-6)
                     for event in track.events if event.name == name]
            axes.broken_barh(spans, (rank - 0.4, 0.8), color=colour, linewidth=0, label=name if rank == 0 else None)
    axes.set_xlim(0, max(track.run.end for track in tracks.values()) * 1e-6)
    axes.set_ylim(max(tracks) + 0.5, -0.5)
    axes.set_ylabel("rank")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncol=len(COLOURS), frameon=False)


def draw_timeline(axes, rows):
    """Returns the axes of ready joins, at the right."""
    middles = [(row["begin_ns"] + row["end_ns"]) / 2e6 for row in rows]
    axes.fill_between(middles, [row["busy_ranks"] for row in rows], step="mid", color="tab:green", alpha=0.6)
    axes.set_ylabel("busy ranks (area)", color="tab:green")
    axes.set_ylim(0)
    axes.set_xlim(0, rows[-1]["end_ns"] * 1e-6)
    right = axes.twinx()
    right.plot(middles, [row["ready_joins"] for row in rows], color="tab:purple", linewidth=0.8)
    right.set_ylabel("ready joins (line)", color="tab:purple")
    right.set_ylim(0)
    return right


def draw(options):
    pyplot = import_pyplot()
    figure, axes = pyplot.subplots(figsize=(10, 5))
    with open(options.file) as file:
        is_trace = file.read(1) == "{"
    if is_trace:
        draw_trace(axes, trace_file.load(options.file))
    else:
        draw_timeline(axes, trace_file.load_timeline(options.file))
    axes.set_xlabel("ms")
    figure.savefig(options.out, bbox_inches="tight", dpi=150)


def main(arguments):
    options = parse(arguments)
    try:
        if options.table:
            print_table(trace_file.load(options.file))
        else:
            draw(options)
    except (OSError, LookupError, TypeError, ValueError) as error:
        what = "trace" if options.table else "trace or timeline"
        sys.stderr.write("plot.py: %s\n" % (
            error if isinstance(error, OSError) else "%s: is no %s that is whole" % (options.file, what)))
        sys.exit(2)


if __name__ == "__main__":
    main(sys.argv[1:])
