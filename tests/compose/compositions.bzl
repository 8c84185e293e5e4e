"""Runtimes that are composed outside the root's menu."""

# Each with the flags with which it runs. Where nothing is stolen, programs that
# wait for a thief want one rank.
COMPOSITIONS = {
    "child_simplest": ["--ranks=3", "--forced_steal", "--stack_bytes=8M"],
    "checking": ["--ranks=3", "--forced_steal"],
    "in_place": ["--ranks=1"],
    "simplest": ["--ranks=3", "--forced_steal"],
}
