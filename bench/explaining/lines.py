"""The records of a simulation's log (common/rma/sim/LOG.md) as lines for people."""

import json

from records import ATOMICS


def place(record):
    return "%s+%s" % (record["memory"], "%#x" % record["offset"] if record["offset"] else "0")


def operation(record):
    if record["memory"] == "wakes":
        return "wake of rank %d" % record["target"]
    return "%s of %d bytes at %s of rank %d" % (record["op"], record["bytes"], place(record), record["target"])


def what(record):
    """What the rank does; None for a record that is of no time."""
    kind = record["record"]
    if kind == "issue":
        return "issues " + operation(record)
    if kind == "effect" and record["op"] in ATOMICS:
        return "%s: %d, found %d" % (operation(record), record["operand"], record["before"][0])
    if kind == "effect":
        return operation(record) + (": %d" % record["after"][0] if len(record["after"]) == 1 else "")
    if kind in ("load", "store"):
        where = "stack" if record["memory"] == "stack" else place(record)
        return "%ss %d %s its %s" % (kind, record["after"][0], "from" if kind == "load" else "to", where)
    if kind == "flush":
        return "flushes " + ("all ranks" if record["target"] < 0 else "rank %d" % record["target"])
    if kind == "event":
        return "%s, until %.6f us" % (record["name"], record["end"] / 1e6)
    return record.get("what")


def read(path):
    with open(path, encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def stretch(path, name, number):
    """When the number-th event of that name began and ended; or how many there were."""
    came = 0
    for record in read(path):
        if record["record"] == "event" and record["name"] == name:
            came += 1
            if came == number:
                return record["time"], record["end"]
    return came


def of(path, begin=0, end=float("inf")):
    """The lines of what lies between two times."""
    for record in read(path):
        words = what(record)
        if words is not None and begin <= record["time"] <= end:
            yield "%13.6f us  rank %d: %s" % (record["time"] / 1e6, record["rank"], words)
