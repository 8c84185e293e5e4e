"""What one simulated run did, from its log of records (common/rma/sim/LOG.md): operations, accesses, events; and the
names of the words that they touch."""

import bisect
import json
import subprocess

WORD = 8
ENTRIES = "the memory of task entries"
# Of entries of tasks: [begin, end) of each field. The result follows the last one; the word before an entry is the
# mark of who has freed it.
LAYOUTS = {
    "greedy": [(0, 8, "state"), (8, 16, "finished"), (16, 48, "joiner"), (48, 1 << 16, "result")],
    "stalling": [(0, 8, "state"), (8, 16, "time of end"), (16, 24, "claims"), (24, 32, "finished"),
                 (32, 1 << 16, "result")],
    "child": [(0, 8, "state"), (8, 16, "time of end"), (16, 24, "runner"), (24, 32, "finished"),
              (32, 1 << 16, "result or closure")],
}
ATOMICS = ("fetch_add", "swap")


class Failed(Exception):
    """A run that did not end well, in words."""


def number_equals(named):
    """Numbers single objects that have the same name, by their offsets. Returns {name with its number: name}."""
    numbered = {}
    for name in {each["name"] for each in named}:
        equals = sorted((each for each in named if each["name"] == name and each["count"] == 1),
                        key=lambda each: each["offset"])
        if len(equals) > 1 and not name.startswith("the "):
            for i, each in enumerate(equals):
                each["name"] = "%s %d" % (name, i)
                numbered[each["name"]] = name
    return numbered


class Names:
    """The names of the heap's bytes, which are the same on all ranks."""

    def __init__(self, records, layout):
        named = [each for each in records if each["record"] == "name"]
        self.numbered = number_equals(named)
        # The most exact name first.
        self.objects = sorted(((r["bytes"], r["offset"], r["bytes"] * r["count"], r["count"], r["name"])
                               for r in named), key=lambda each: each[0])
        self.layout = LAYOUTS[layout] if layout else []
        self.bases = []
        words = sorted({r["offset"] for r in records if r.get("memory") == "heap" and (
            r["record"] in ("load", "store") or r.get("op") in ATOMICS)})
        self.words = set(words)
        for offset in words:
            if offset % 16 == 0 and self.area(offset) == ENTRIES and offset - 16 not in self.bases:
                self.bases.append(offset)

    def forget_numbers(self, lists):
        """Takes the numbers off names in these lists of names, where there is one object of that name in all."""
        used = {name for names in lists for name in names}
        for number, name in self.numbered.items():
            if number in used and sum(self.numbered.get(each) == name for each in used) == 1:
                for names in lists:
                    names[:] = [name if each == number else each for each in names]

    def area(self, offset):
        return next((name for _, begin, size, _, name in self.objects if begin <= offset < begin + size), None)

    def entry_field(self, offset):
        """(the entry's offset, the field's name) of a byte in the memory of entries."""
        after = bisect.bisect_right(self.bases, offset + WORD)
        if after and self.bases[after - 1] == offset + WORD:
            return self.bases[after - 1], "freed"
        at = bisect.bisect_right(self.bases, offset) - 1
        if at < 0:
            return None, "entry"
        return self.bases[at], next((name for begin, end, name in self.layout
                                     if begin <= offset - self.bases[at] < end), "entry")

    def of(self, memory, offset, size):
        """The names of the objects that these bytes belong to, one behind the other."""
        if memory == "wakes":
            return ["wake-ups"]
        if memory != "heap":
            return ["frames" if memory == "region" else memory]
        found, at = [], offset
        while at < offset + size:
            name, end = self.object_at(at)
            if not found or found[-1] != name:
                found.append(name)
            at = max(end, at + 1)
        return found

    def object_at(self, at):
        """The name of the object at an offset, and where that ends."""
        for bytes_each, begin, size, count, name in self.objects:
            if not begin <= at < begin + size:
                continue
            if name == ENTRIES:
                base, field = self.entry_field(at)
                end = next((base + end for first, end, each in self.layout if each == field), at + WORD) if base else at
                return field, end
            index = (at - begin) // bytes_each
            if name.startswith("the "):
                what = "waiting frames" if "evacuat" in name else name[4:]
                return ("freed mark of " + what if at in self.words else what), (
                    at + WORD if at in self.words else begin + size)
            return (name if count == 1 else "%s %d" % (name, index)), begin + (index + 1) * bytes_each
        return "heap+%#x" % at, at + WORD


class Operation:
    """An operation of one rank on another's memory, or its own: from its issue to when its initiator knows of it."""

    def __init__(self, issue, effect, names):
        self.rank, self.target, self.kind = issue["rank"], issue["target"], issue["op"]
        self.memory, self.offset, self.bytes = issue["memory"], issue["offset"], issue["bytes"]
        self.blocking, self.caller = issue["blocking"], int(issue["caller"], 16)
        self.issued, self.effect, self.known = issue["time"], effect["time"], effect["known"]
        self.before, self.after = effect["before"], effect["after"]
        self.operand = effect.get("operand")
        self.names = names.of(self.memory, self.offset, self.bytes)


class Run:
    """All records of a run, in their order; operations put together."""

    def __init__(self, records, layout=None):
        self.names = Names(records, layout)
        self.operations, self.own, self.flushes, self.events = [], [], [], []
        issued = {}
        for record in records:
            kind = record["record"]
            if kind == "issue":
                issued[record["id"]] = record
            elif kind == "effect":
                self.operations.append(Operation(issued.pop(record["id"]), record, self.names))
            elif kind in ("load", "store"):
                record["names"] = self.names.of(record["memory"], record["offset"], WORD)
                self.own.append(record)
            elif kind == "flush":
                self.flushes.append(record)
            elif kind == "event":
                self.events.append(record)
        self.operations.sort(key=lambda each: (each.issued, each.rank))


def record(command, event=None):
    """Runs a command, which logs records; returns them. With (name, number) of an event, a run goes on until all ranks
    are past its end."""
    records, said, times, end = [], "", {}, float("inf")
    name, left = event or ("", 0)
    with subprocess.Popen([*command, "--log"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as program:
        for line in program.stderr:
            if not line.startswith('{"record":'):
                said += line
                continue
            each = json.loads(line)
            records.append(each)
            times[each.get("rank")] = each.get("time", float("inf"))
            left -= each["record"] == "event" and each["name"] == name
            if event and left == 0 and end == float("inf"):
                end = each["end"]
            if min(times.values()) > end:
                program.kill()
                return records
    if program.returncode != 0:
        raise Failed("%s: exit status %d: %s" % (" ".join(command), program.returncode, said.strip()))
    return records


def run_of(command, scenario):
    """What a run of the command did; of a user's program, until the end of the scenario's event."""
    event = (scenario.event, scenario.begins["number"]) if scenario.path else None
    return Run(record(command, event), scenario.layout)
