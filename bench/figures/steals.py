"""What a steal consists of (hpdc15 Table 3 and Fig. 10, jip16 Table 3 and Fig. 13), from a trace of two ranks."""

from figures.model import Run


def steal(net, frame_bytes, steals=200):
    """A try: two ranks on two nodes steal a thread from each other."""
    return ((Run("microbenchmarks/steal_sim", "--frame_bytes=%d --steals=%d" % (frame_bytes, steals),
                 net + ",node_size=1", 2, "phases"),),)


def kilocycles(ghz, *phases):
    return lambda record: sum(record["phases"][phase] for phase in phases) * ghz / 1000


def write_kilocycles(ghz):
    """Of the three operations that take an item, two are READs, as the check is."""
    return lambda record: (record["phases"]["take item"] - 2 * record["phases"]["empty check"]) * ghz / 1000


def without_unlock(ghz):
    return lambda record: sum(record["phases"][phase] for phase in ALL) * ghz / 1000 - kilocycles(ghz, "unlock")(record)


def with_a_write(ghz):
    """What the steal would take if it were unlocked by a WRITE, as the papers' is, and not by a swap: reckoned, not
    run."""
    return lambda record: without_unlock(ghz)(record) + write_kilocycles(ghz)(record)


ALL = ("steal", "suspend", "resume")
