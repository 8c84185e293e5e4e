"""The chart of one event: what the ranks did in it, moment by moment."""

import collections
import dataclasses
import shlex

import records
import scenarios
import trace_file
import values
from values import kind_of

# What the search for work and the end of a run do, which no event is about.
BESIDE = ("over", "searching", "wave", "answers", "root result", "early end", "wake-ups",
          "busy workers")
PHASES = (*trace_file.PHASES, "suspend", "bring in", "resume")


class NotThere(Exception):
    """An event that the run has not had, in words."""


@dataclasses.dataclass
class Moment:
    """One line of the chart. `kind` is issue, effect, access or flush."""
    time: int
    rank: int
    kind: str
    # The rank whose memory it is about.
    target: int
    label: str
    blocking: bool = True
    # The moment's operation, in the order of operations; accesses have none.
    number: int = -1
    # Of what is waited for: when its rank goes on.
    known: int = 0
    phase: str = ""
    # The address to which the call of the shim returns, and the names of the functions one of which that was.
    caller: int = 0
    functions: tuple = ()
    # (rank, name, value before, value after, as they are written).
    words: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Chart:
    title: str
    command: str
    ranks: list
    roles: list
    moments: list
    outcome: str = ""


def is_named(names, wanted):
    """Whether one of the names, or what it is a number of, is wanted."""
    return any(name in wanted or kind_of(name) in wanted for name in names)


def matches(operation, wanted):
    return (wanted.get("op", operation.kind) == operation.kind
            and ("word" not in wanted or is_named(operation.names, [wanted["word"]]))
            and wanted.get("rank", operation.rank) == operation.rank)


def times_of(run, wanted):
    """(begin, end) of all that is wanted: events by their name, accesses by load or store, or operations."""
    rank = wanted.get("rank")
    if "event" in wanted:
        return [(each["time"], each["end"]) for each in run.events
                if each["name"] == wanted["event"] and rank in (None, each["rank"])]
    for kind in ("load", "store"):
        if kind in wanted:
            return [(each["time"], each["time"]) for each in run.own
                    if each["record"] == kind and is_named(each["names"], [wanted[kind]])
                    and rank in (None, each["rank"]) and wanted.get("value", each["after"][0]) == each["after"][0]]
    return [(each.issued, each.known) for each in run.operations if matches(each, wanted)]


def window_of(run, begins, ends):
    """When the event begins and ends; without `ends`, what it begins with is the event."""
    found = times_of(run, begins)
    if len(found) < begins.get("number", 1):
        counts = collections.Counter(each["name"] for each in run.events) if "event" in begins else {}
        had = ", ".join("%s: %d" % each for each in sorted(counts.items()))
        what = "{event}:{number}".format(**{"number": 1} | begins) if counts else begins
        raise NotThere("the run has no %s" % what + ("; it had these events: " + had if had else ""))
    begin, own_end = found[begins.get("number", 1) - 1]
    if not ends:
        return begin, own_end
    after = [end for time, end in times_of(run, ends) if end > begin and ("event" in ends or time >= begin)]
    if not after:
        raise NotThere("the run has no %s after that" % ends)
    return begin, after[min(ends.get("number", 1), len(after)) - 1]


def in_failed_steal(run, operation):
    return any(each["name"] == "failed steal" and each["rank"] == operation.rank
               and each["time"] <= operation.issued and operation.known <= each["end"] for each in run.events)


def phase_of(run, rank, time):
    """The name of the shortest phase that the rank is in."""
    at = [each for each in run.events if each["rank"] == rank and each["name"] in PHASES
          and each["time"] <= time <= each["end"]]
    return min(at, key=lambda each: each["end"] - each["time"])["name"] if at else ""


def joined(names):
    """Few words for objects: "task 0, task 1, task 2" are "task 0 to 2"."""
    kinds = {"heap" if name.startswith("heap+") else kind_of(name) for name in names}
    if len(names) > 1 and len(kinds) == 1:
        return "%s to %s" % (names[0], names[-1].split()[-1])
    return ", ".join(names)


def functions_of(op):
    """Names of the shim's functions, one of which has issued it."""
    if op.kind == "fetch_add" and not op.blocking:
        return ("fetch_add_nb",)
    return ("put", "put_nb") if op.kind == "put" else (op.kind,)


class Builder:
    def __init__(self, run, scenario):
        self.run, self.scenario = run, scenario
        self.widths = values.STEALVALS[scenario.stealval]

    def text(self, name, value):
        return values.text(name, value, self.widths)

    def label(self, op):
        what = joined(op.names)
        if op.kind == "put" and op.bytes == 8 and op.after and values.are_told(op.names):
            return "put %s := %s" % (what, self.text(op.names[0], op.after[0]))
        if op.kind in ("get", "put"):
            return "%s %s" % (op.kind, what) + (" (%d bytes)" % op.bytes if op.bytes != 8 else "")
        if op.kind == "swap":
            return "swap %s := %s" % (what, self.text(op.names[0], op.operand))
        amount = values.signed(op.operand)
        if what == "stealval":
            return "fetch_add stealval + 1 steal"
        if what == "state":
            return "fetch_add state + %s" % {2: "done", 4: "joined"}.get(amount, amount)
        return "%s %s %s %d" % (op.kind, what, "+" if amount >= 0 else "-", abs(amount))

    def changes(self, op):
        """(rank, name, before, after) of each word of the operation's whose value says something."""
        after = values.frames(op.names[0], op.after) if len(op.names) == 1 else None
        if after is not None:
            return [(op.target, op.names[0], values.frames(op.names[0], op.before) or "?", after)]
        words = op.names if len(op.names) == len(op.after) and values.are_told(op.names) else []
        return [(op.target, name, self.text(name, before), self.text(name, after))
                for name, before, after in zip(words, op.before, op.after)]

    def effect(self, op):
        words = self.changes(op)
        if not words:
            return "%d bytes are %s" % (op.bytes, "read" if op.kind == "get" else "written")
        return "; ".join("%s: %s" % (name, after if op.kind == "get" else values.change(before, after))
                         for _, name, before, after in words)

    def operations(self, begin, end):
        entry = None
        for op in self.run.operations:
            if not begin <= op.issued <= end or is_named(op.names, BESIDE):
                continue
            if self.scenario.by and op.rank not in self.scenario.by:
                continue
            # Of entries, that which the event is about.
            is_entry = op.memory == "heap" and self.run.names.area(op.offset) == records.ENTRIES
            of = self.run.names.entry_field(op.offset)[0] if is_entry else None
            entry = entry or of
            if of and of != entry:
                continue
            if self.scenario.only and not is_named(op.names, self.scenario.only):
                continue
            if self.scenario.failed_steals or not in_failed_steal(self.run, op):
                yield op

    def accesses(self, begin, end):
        """Of several loads in a row that find the same, the first."""
        last = {}
        for each in self.run.own:
            name = each["names"][0]
            if not is_named([name], self.scenario.own) or not begin <= each["time"] <= end:
                continue
            key = (each["rank"], name)
            if each["record"] == "load" and last.get(key) == each["after"][0]:
                continue
            last[key] = each["after"][0]
            yield each

    def flushes_of_results(self, operations):
        """A thread that ends on its entry's rank writes its result by stores, which nobody logs; but for its flush."""
        for op in operations:
            if op.kind == "fetch_add" and op.rank == op.target and self.label(op).endswith("state + done"):
                yield from [each for each in self.run.flushes if each["rank"] == each["target"] == op.rank
                            and each["time"] <= op.issued][-1:]

    def moments(self, begin, end):
        moments, operations = [], list(self.operations(begin, end))
        if self.scenario.path:
            rank = next(each["rank"] for each in self.run.events
                        if (each["name"], each["time"], each["end"]) == (self.scenario.event, begin, end))
            touched = {(op.target, op.memory, op.offset) for op in operations if op.rank == rank}
            operations = [op for op in operations if op.rank == rank or (op.target, op.memory, op.offset) in touched]
        accesses = list(self.accesses(begin, end))
        self.run.names.forget_numbers([each.names for each in operations] + [each["names"] for each in accesses])
        for number, op in enumerate(operations):
            both = dict(rank=op.rank, target=op.target, blocking=op.blocking, number=number, caller=op.caller,
                        known=op.known, functions=functions_of(op))
            moments.append(Moment(op.issued, kind="issue", label=self.label(op),
                                  phase=phase_of(self.run, op.rank, op.issued), **both))
            moments.append(Moment(op.effect, kind="effect", label=self.effect(op), words=self.changes(op), **both))
        for each in accesses:
            name, rank = each["names"][0], each["rank"]
            before, after = self.text(name, each["before"][0]), self.text(name, each["after"][0])
            load = each["record"] == "load"
            moments.append(Moment(
                each["time"], rank, "access", rank, ("loads %s: %s" % (name, after)) if load
                else "stores %s: %s" % (name, values.change(before, after)), caller=int(each["caller"], 16),
                words=[(rank, name, before, after)]))
        flushes = [(each, "has written its result; flushes") for each in self.flushes_of_results(operations)]
        flushes += [(each, "flushes, until %.3f" % (each["end"] / 1e6)) for each in self.run.flushes
                    if any(op.rank == each["rank"] and not op.blocking and op.issued <= each["time"] < op.known
                           for op in operations)]
        moments += [Moment(each["time"], each["rank"], "flush", each["rank"], label, known=each["end"],
                           caller=int(each["caller"], 16), functions=("flush", "flush_all")) for each, label in flushes]
        return sorted(moments, key=lambda each: (each.time, each.kind == "flush", each.rank))


def of(scenario, binaries):
    """The chart of the scenario's event, in a run of its program, which is in the folder `binaries`; of a user's
    program, what the rank of the event does, and others meanwhile to the same words."""
    scenarios.built(scenario, binaries)
    run = records.run_of(scenarios.command_of(scenario, binaries), scenario)
    moments = Builder(run, scenario).moments(*window_of(run, scenario.begins, scenario.ends))
    ranks = sorted({each.rank for each in moments} | {each.target for each in moments})
    return Chart(scenario.title, shlex.join(scenarios.command_of(scenario)), ranks,
                 [scenario.roles.get(rank, "") for rank in ranks], moments, outcome=scenario.outcome_words)
