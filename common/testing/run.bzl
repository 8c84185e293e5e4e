"""Tests that are runs of a program."""

load("//third_party:rules.bzl", "sh_test")

# ./test leaves a run to ./test --thorough if it has more ranks than its network
# has here: such runs take longest, and find what others do not when the network
# itself has changed.
_MOST_RANKS = {"shm": 4, "sim": 20}

def _is_slow(program, flags):
    """Whether a run is left to ./test --thorough."""
    most = _MOST_RANKS.get(program.split("_")[-1], 1 << 20)
    ranks = [int(flag[len("--ranks="):]) for flag in flags if flag.startswith("--ranks=")]
    return bool([n for n in ranks if n > most])

def run_test(name, programs, flags = [], size = "medium", tags = [], **kwargs):
    """Runs programs[0] with the other programs and `flags` as its arguments; status 0 is well.

    Args:
      name: of the test.
      programs: labels; the others are what programs[0] runs in its turn. The last one's name ends with its network.
      flags: for it.
      size: of the test, which is short whatever its size.
      tags: of the test.
      **kwargs: as sh_test's.
    """
    sh_test(
        name = name,
        size = size,
        timeout = "short",
        srcs = [Label("//common/testing:run.sh")],
        args = ["$(rootpath %s)" % program for program in programs] + flags,
        data = programs,
        tags = tags + (["thorough"] if _is_slow(programs[-1], flags) else []),
        **kwargs
    )
