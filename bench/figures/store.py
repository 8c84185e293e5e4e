"""Recorded runs: found by the command that made them, and written one by one, so that hours of them resume."""

import json
import os
import pathlib
import shlex
import tempfile

import trace_file
from measuring import shared

from figures import model

BENCH = pathlib.Path(__file__).resolve().parent.parent
RESULTS = BENCH / "results"
TIMELINE_BINS = 256


def read(path):
    """The runs of one file of results; none of a file of other results."""
    return json.loads(path.read_text()).get("runs", [])


def load(results=RESULTS):
    """All recorded runs by key. Those that papers.py recorded count more than others."""
    files = sorted(results.glob("*.json")) + sorted(results.glob("papers/*.json"))
    return {model.key_of(shlex.split(record["command"]), record.get("also", "")): record
            for path in files for record in read(path)}


def metric(record, name):
    return record["metrics"][name]


def throughput(counted):
    """Millions a second of what the program has counted."""
    return lambda record: record["result"][counted] / record["seconds"] / 1e6


def efficiency(large, small):
    """Percent, of a run on many ranks beside one of the same problem on fewer."""
    return 100 * small["seconds"] / large["seconds"] * small["ranks"] / large["ranks"]


def slowdown(one, other):
    return one["seconds"] / other["seconds"]


def speed_up(one, reference):
    return reference["seconds"] / one["seconds"]


def overhead(one, other):
    """By how much longer the first takes, percent of the second."""
    return 100 * (slowdown(one, other) - 1)


def fork_cycles(ghz):
    """Cycles a task of Binary Task Creation on one rank, where nothing else is charged."""
    return lambda record: record["seconds"] * ghz * 1e9 / metric(record, "spawns")


def phases_of(path):
    """Mean nanoseconds of each phase of a steal in a trace, of suspend and resume, and of the steal."""
    steals = [steal for track in trace_file.load(path).values() for steal in trace_file.steals_of(track)]

    def mean(durations):
        durations = list(durations)
        return sum(durations) / max(len(durations), 1)

    phases = {phase: mean(steal.phases[phase] for steal in steals) for phase in trace_file.PHASES}
    phases["steal"] = mean(trace_file.duration(steal.event) for steal in steals)
    phases["suspend"] = mean(trace_file.duration(steal.suspend) for steal in steals if steal.suspend)
    phases["resume"] = mean(trace_file.duration(steal.resume) for steal in steals if steal.resume)
    return {name: round(value, 1) for name, value in phases.items()}


def timeline_of(path):
    """[middle in ms, busy ranks, ready joins] of each stretch of time."""
    return [[round((row["begin_ns"] + row["end_ns"]) / 2e6, 4), round(row["busy_ranks"], 2),
             round(row["ready_joins"], 2)]
            for row in trace_file.load_timeline(path)]


def perform(run, folder):
    """Runs it: what the program printed, or what its trace or timeline says."""
    command = run.command(folder)
    if not run.also:
        record = shared.run(command)
    else:
        with tempfile.TemporaryDirectory() as scratch:
            path = os.path.join(scratch, run.also)
            if run.also == "timeline":
                record = shared.run(command + ["--timeline=" + path, "--timeline_bins=%d" % TIMELINE_BINS])
                record["timeline"] = timeline_of(path)
            else:
                shared.printed(command + ["--trace=" + path])
                record = {"phases": phases_of(path)}
        record["also"] = run.also
    record["command"] = run.words()
    record.pop("real_seconds", None)
    return record


def write(path, command, records):
    """Writes a file of runs, with the command line that made them."""
    runs = ",\n".join("  " + json.dumps(one) for one in records)
    shared.write(path, '{"command": %s,\n "runs": [\n%s]}\n' % (json.dumps(command), runs))
