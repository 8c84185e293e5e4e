"""What a steal consists of (hpdc15 Table 3 and Fig. 10, jip16 Table 3 and Fig. 13), from a trace of two ranks."""

from figures.model import Other, Row, Run

ALL = ("steal", "suspend", "resume")
# The parts of Fig. 10 and 13, and the phases of a trace that each has.
PARTS = {**{phase: (phase,) for phase in ("empty check", "lock", "take item", "task copy", "unlock")},
         "suspend and resume": ("suspend", "resume"), "all": ALL}


def steal(net, frame_bytes):
    """A try: two ranks on two nodes steal a thread from each other."""
    return [Run("microbenchmarks/steal_sim", "--frame_bytes=%d --steals=200" % frame_bytes, net + ",node_size=1", 2,
                "phases")]


def kilocycles(ghz, *phases):
    return lambda record: sum(record["phases"][phase] for phase in phases) * ghz / 1000


def write_kilocycles(ghz):
    """Of the three operations that take an item, two are READs, as the check is."""
    return lambda record: (record["phases"]["take item"] - 2 * record["phases"]["empty check"]) * ghz / 1000


def without_unlock(ghz):
    return lambda record: kilocycles(ghz, *ALL)(record) - kilocycles(ghz, "unlock")(record)


def with_a_write(ghz):
    """What the steal would take if it were unlocked by a WRITE, as the papers' is, and not by a swap: reckoned, not
    run."""
    return lambda record: without_unlock(ghz)(record) + write_kilocycles(ghz)(record)


def unlocks(ghz, series, tries, published):
    for words, value in (("unlocked by a swap, as ours", kilocycles(ghz, *ALL)),
                         ("reckoned from that run: with a WRITE instead", with_a_write(ghz)),
                         ("without the unlock", without_unlock(ghz))):
        yield Row("thousands of cycles in all", series, words, tries, value, published)


def without_numbers(paper):
    """The figures of uni-address threads that both papers have."""
    return [Other("%s.%d" % (paper, n), "Fig. %d" % n, kind, caption) for n, (kind, caption) in enumerate((
        ("illustration", "Fibonacci as atomic tasks and by fork and join."),
        ("algorithm", "The interface of fork and join: `common/fork_join`."),
        ("illustration", "Threads in the region: `impl/uniaddr/lineage.h`."),
        ("algorithm", "Creating a task: `impl/uniaddr/threads.h`."),
        ("illustration", "The queue and the region."),
        ("algorithm", "A steal: `impl/uniaddr/the_queue.h`."),
        ("algorithm", "Join: `impl/greedy_join/stalling_join.h`."),
        ("algorithm", "Suspend and resume: `impl/uniaddr/threads.h`.")), 1)]
