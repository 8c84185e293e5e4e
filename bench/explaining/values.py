"""The values of words, in words."""

import re

# Widths of the stealval's fields, from the upper end: attempted steals, epoch, initial tasks, tail
# (impl/sws_queue/stealval.h).
STEALVALS = {"pool": (24, 2, 19, 19), "threads": (22, 2, 10, 30)}
LIVE, DONE, JOINED = 1, 2, 4
# A field that has a name and is a number: "tasks 7".
NUMBERS = re.compile(r"\b([a-z]+) (-?[0-9]+)(?=, |$)")
# What is no number: places, frames and tasks.
OPAQUE = ("item", "task", "loot", "joiner", "freed place")


def kind_of(name):
    """The name without the number of several that have it."""
    return name.rstrip("0123456789 ")


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def state(value):
    """An entry's (common/fork_join/task_entries.h)."""
    if value & LIVE == 0:
        return "no task"
    others = value & 0xffffffff & ~(LIVE | DONE | JOINED)
    return "task %d %s%s%s" % (value >> 32, "done" if value & DONE else "runs", ", joined" if value & JOINED else "",
                               ", bits %#x" % others if others else "")


def lock(value):
    """A remote lock's (common/stealing/remote_lock.h)."""
    tries, left = value & 0xffffffff, value >> 32
    taken = {0: "free", 1: "taken", 2: "taken, 1 try failed"}.get(tries, "taken, %d tries failed" % (tries - 1))
    return taken + (", left %d" % left if left else "")


def stealval(value, widths):
    fields = []
    for width in reversed(widths):
        fields.append(value & ((1 << width) - 1))
        value >>= width
    tail, tasks, epoch, steals = fields
    if epoch == (1 << widths[1]) - 1:
        return "closed"
    return "steals %d, tasks %d, tail %d, epoch %d" % (steals, tasks, tail, epoch)


def request(value):
    return "rank %d asks" % ((value >> 32) - 1) if value >> 32 else str(value)


def text(name, value, widths):
    """The value of the word of that name."""
    kind = kind_of(name)
    if kind in OPAQUE:
        return "%#x" % value
    if kind == "state":
        return state(value)
    if kind.endswith("lock"):
        return lock(value)
    if kind == "stealval":
        return stealval(value, widths)
    if kind == "request":
        return request(value)
    return str(signed(value))


def frames(name, words):
    """What an item of a thread's queue (impl/uniaddr/offered_threads.h) or a joiner says of frames; nothing of others."""
    kind = kind_of(name)
    if kind in ("item", "task") and len(words) == 2 and words[0] >> 63 == 0:
        return "%d bytes of frames" % (words[1] - words[0])
    if kind == "joiner" and len(words) == 4:
        return "%d bytes of frames on rank %d" % (words[3], words[0] & 0xffffffff) if words[3] else "nobody"
    return None


def change(before, after):
    """Two values of a word, as they are written; of several numbers that have names, each with what it was."""
    old, new = NUMBERS.findall(before), NUMBERS.findall(after)
    are_numbers = all(", ".join("%s %s" % each for each in found) == text for found, text in ((old, before), (new, after)))
    if before == after or not are_numbers or len(old) < 2 or [name for name, _ in old] != [name for name, _ in new]:
        return "%s -> %s" % (before, after)
    return ", ".join("%s %s" % (name, was if was == now else "%s -> %s" % (was, now))
                     for (name, was), (_, now) in zip(old, new))


def are_told(names):
    """Whether values of these objects say something; of many words without names nothing does."""
    many = len(names) > 2 and names[0].startswith("heap+")
    return bool(names) and not many and not any(kind_of(name) in OPAQUE for name in names)
