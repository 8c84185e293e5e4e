"""Tests that are runs of a program."""

def run_test(name, programs, flags = [], size = "medium", cores = 2, tags = [], **kwargs):
    """Runs programs[0] with the other programs and `flags` as its arguments; status 0 is well.

    Args:
      name: of the test.
      programs: labels; the others are what programs[0] runs in its turn.
      flags: for it.
      size: of the test, which is short whatever its size.
      cores: that it keeps busy: 2 where ranks are processes or schedules are explored, several at a time.
      tags: of the test.
      **kwargs: as sh_test's.
    """
    native.sh_test(
        name = name,
        size = size,
        timeout = "short",
        srcs = [Label("//common/testing:run.sh")],
        args = ["$(rootpath %s)" % program for program in programs] + flags,
        data = programs,
        tags = tags + (["cpu:%d" % cores] if cores > 1 else []),
        **kwargs
    )
