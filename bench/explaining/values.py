"""The values of words, in words."""

# Widths of the stealval's fields, from the upper end: attempted steals, epoch, initial tasks, tail
# (impl/sws_queue/stealval.h).
STEALVALS = {"pool": (24, 2, 19, 19), "threads": (22, 2, 10, 30)}
LIVE, DONE, JOINED = 1, 2, 4
# What is no number: places, frames and tasks.
OPAQUE = ("item", "task", "loot", "joiner", "freed place")


def signed(value):
    return value - (1 << 64) if value >> 63 else value


def state(value):
    """An entry's (common/fork_join/task_entries.h, joiners.h)."""
    if value & LIVE == 0:
        return "no task"
    return "task %d %s%s" % (value >> 32, "done" if value & DONE else "runs", ", joined" if value & JOINED else "")


def lock(value):
    """A remote lock's (common/stealing/remote_lock.h)."""
    tries, left = value & 0xffffffff, value >> 32
    if tries == 0:
        return "free" + (", left %d" % left if left else "")
    return "taken" + {1: "", 2: ", 1 try failed"}.get(tries, ", %d tries failed" % (tries - 1))


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


def told(name, value, widths):
    """The value of the word of that name."""
    kind = name.rstrip("0123456789 ")
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
    """What an item of a thread's queue (impl/uniaddr/item.h) or a joiner says of frames; nothing of other objects."""
    kind = name.rstrip("0123456789 ")
    if kind in ("item", "task") and len(words) == 2 and words[0] >> 63 == 0:
        return "%d bytes of frames" % (words[1] - words[0])
    if kind == "joiner" and len(words) == 4:
        return "%d bytes of frames on rank %d" % (words[3], words[0] & 0xffffffff) if words[3] else "nobody"
    return None


def change(before, after):
    """Two values of a word, as they are told; of several fields that have names, each with what it was."""
    fields = list(zip(before.split(", "), after.split(", ")))
    if before == after or len(fields) < 2 or any(old.split(" ")[0] != new.split(" ")[0] for old, new in fields):
        return "%s -> %s" % (before, after)
    return ", ".join(new if old == new else "%s -> %s" % (old, new.split(" ")[1]) for old, new in fields)


def are_told(names):
    """Whether values of these objects say something."""
    return bool(names) and not any(name.rstrip("0123456789 ") in OPAQUE for name in names)
