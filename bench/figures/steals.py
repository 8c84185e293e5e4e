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


def with_a_write(ghz):
    """The steal as if it were unlocked by a WRITE, as the papers' is, and not by a swap."""
    def value(record):
        phases = record["phases"]
        whole = phases["steal"] + phases["suspend"] + phases["resume"]
        return (whole - phases["unlock"]) * ghz / 1000 + write_kilocycles(ghz)(record)
    return value


ALL = ("steal", "suspend", "resume")
