"""Reads what --trace and --timeline write (common/trace/README.md): for plot.py, and for tests."""

import collections
import csv
import json

# Phases of an attempt to steal, in the order of the papers (hpdc15 and jip16, Table 3).
PHASES = ["empty check", "lock", "claim", "take item", "task copy", "copy items", "notice", "unlock"]

# `begin` and `end` are nanoseconds from the run's beginning; `inside` is the event of the same rank around it, or None.
Event = collections.namedtuple("Event", "name begin end args inside")
# One rank: its events, in the order of their beginnings; its outstanding joins; its numbers.
Track = collections.namedtuple("Track", "rank run events joins")
# A steal: its phases, with nanoseconds by name; the suspension of the thread that the rank had run before, and the
# resumption of the stolen thread, each None where there was none.
Steal = collections.namedtuple("Steal", "event phases suspend resume")


def nanoseconds(event, field):
    return round(event[field] * 1000)


def duration(event):
    return event.end - event.begin


def nested(rank, spans):
    """Makes Events of complete spans, each of which lies within another or beside it; ValueError if two overlap."""
    events, around = [], []
    for span in spans:
        begin = nanoseconds(span, "ts")
        end = begin + nanoseconds(span, "dur")
        while around and around[-1].end <= begin:
            around.pop()
        if around and end > around[-1].end:
            raise ValueError("rank %d: %s at %d ns overlaps the end of %s" % (rank, span["name"], begin, around[-1].name))
        event = Event(span["name"], begin, end, span.get("args", {}), around[-1] if around else None)
        events.append(event)
        around.append(event)
    return events


def load(path):
    """{rank: Track} of a trace."""
    with open(path) as file:
        trace = json.load(file)
    spans, opened, joins = collections.defaultdict(list), {}, collections.defaultdict(list)
    for event in trace["traceEvents"]:
        rank = event["tid"] - 1
        if event["ph"] == "X":
            spans[rank].append(event)
        elif event["ph"] == "b":
            opened[event["id"]] = event
        elif event["ph"] == "e":
            begin = opened.pop(event["id"])
            joins[rank].append(Event(event["name"], nanoseconds(begin, "ts"), nanoseconds(event, "ts"), event["args"], None))
    if opened:
        raise ValueError("joins that never end: %s" % sorted(opened))
    tracks = {}
    for rank in sorted(spans):
        run, *events = nested(rank, spans[rank])
        tracks[rank] = Track(rank, run, events, joins[rank])
    return tracks


def dropped(track):
    return track.run.args["events_dropped"]


def steals_of(track):
    """The Steals of one rank, oldest first; if events were dropped, without the oldest, which may lack phases."""
    steals, suspended = [], None
    for event in track.events:
        if event.name == "steal":
            steals.append(Steal(event, dict.fromkeys(PHASES, 0), suspended, None))
            suspended = None
        elif event.name in PHASES and event.inside and steals and event.inside is steals[-1].event:
            steals[-1].phases[event.name] += duration(event)
        elif event.name == "suspend":
            suspended = event
        elif event.name == "resume" and steals and steals[-1].resume is None:
            steals[-1] = steals[-1]._replace(resume=event)
    return steals[1:] if dropped(track) else steals


def load_timeline(path):
    """A list of {column: number}, one for each stretch of time."""
    with open(path) as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
