"""Tests that are runs of a program."""

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

    # Ranks are processes, and several of many seeds run at a time; but one simulation is one thread.
    one_core = programs[-1].endswith("_sim") and not [flag for flag in flags if flag.startswith("--seeds=")]
    native.sh_test(
        name = name,
        size = size,
        timeout = "short",
        srcs = [Label("//common/testing:run.sh")],
        args = ["$(rootpath %s)" % program for program in programs] + flags,
        data = programs,
        tags = tags + ([] if one_core else ["cpu:2"]),
        **kwargs
    )
