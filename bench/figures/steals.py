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


def by_swap(ghz, series, net, frame_bytes, published):
    """The whole steal where a network does not promise what unlocking by a WRITE needs."""
    yield Row("thousands of cycles in all", series, "unlocked by a swap", steal(net, frame_bytes),
              kilocycles(ghz, *ALL), published)


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
