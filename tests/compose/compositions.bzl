"""Runtimes and pools that are composed outside the root's menu."""

# Each with the flags with which it runs. Where nothing is stolen, programs that
# wait for a thief want one rank.
COMPOSITIONS = {
    "child_simplest": ["--ranks=3", "--forced_steal", "--stack_bytes=8M"],
    "cont_greedy_sdc": ["--ranks=3", "--forced_steal"],
    "cont_greedy_sws": ["--ranks=3", "--forced_steal"],
    "checking": ["--ranks=3", "--forced_steal"],
    "in_place": ["--ranks=1"],
    "simplest": ["--ranks=3", "--forced_steal"],
}

# Of tasks.
POOLS = ["pool_simplest"]
