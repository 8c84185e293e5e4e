"""Tests written in Python, without rules_python."""

load("//third_party:rules.bzl", "sh_test")

def python_test(name, src, args = [], data = [], **kwargs):
    """Runs `src` with the machine's python3.

    Args:
      name: of the test.
      src: the file to run.
      args: for it.
      data: what it reads or runs.
      **kwargs: as sh_test's.
    """
    sh_test(
        name = name,
        srcs = [Label("//third_party:python_test.sh")],
        args = ["$(rootpath %s)" % src] + args,
        data = [src] + data,
        **kwargs
    )
