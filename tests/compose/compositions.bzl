"""Runtimes and pools that are composed outside the root's menu, and which are left to ./test --thorough."""

load("//:runtimes/runtimes.bzl", "VARIANTS")

# Each runtime, with the flags with which it runs. A name tells a test nothing: a
# runtime states what it does with tasks (ForkJoinTraits).
COMPOSITIONS = {
    # Queues of 16 tasks. If every spawn waits for a thief there is no loot.
    "child_full_tuned_sdc": ["--ranks=3", "--queue_bytes=1K", "--stack_bytes=8M"],
    "child_full_tuned_sws": ["--ranks=3", "--queue_bytes=1K", "--stack_bytes=8M"],
    "child_rtc_sdc": ["--ranks=3", "--queue_bytes=1K", "--stack_bytes=256M"],
    "child_rtc_sws": ["--ranks=3", "--queue_bytes=1K", "--stack_bytes=256M"],
    "child_simplest": ["--ranks=3", "--forced_steal", "--stack_bytes=8M"],
    "cont_greedy_sdc": ["--ranks=3", "--forced_steal"],
    "in_place": ["--ranks=3"],
    "pinned": ["--ranks=3", "--stack_bytes=8M"],
    "simplest": ["--ranks=3", "--forced_steal"],
}

# Pools of tasks.
POOLS = [
    "pool_checking",
    "pool_glb_hybrid_simplest",
    "pool_simplest",
]

# What a change breaks is seen on the runtimes of the menu first.
_OUTSIDE_THE_MENU = [name for names in VARIANTS.values() for name in names] + COMPOSITIONS.keys() + POOLS

def tags_of(runtime):
    """The tags of a runtime's or a pool's tests."""
    return ["thorough"] if runtime in _OUTSIDE_THE_MENU else []
