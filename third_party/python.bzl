"""Tests that are scripts."""

load("//third_party:rules.bzl", "sh_test")

def python_test(name, src = None, programs = [], args = [], data = [], **kwargs):
    """Runs `src` with the machine's python3, without rules_python.

    Args:
      name: of the test.
      src: the file to run; NAME.py if it is None.
      programs: labels; their paths are the first arguments.
      args: further ones.
      data: what else it reads or runs.
      **kwargs: as sh_test's.
    """
    src = src or name + ".py"
    script_test(name, Label("//third_party:python_test.sh"), [src] + programs, args, data, **kwargs)

def script_test(name, src, programs, args = [], data = [], **kwargs):
    """Runs the shell script `src` in the same way."""
    sh_test(
        name = name,
        srcs = [src],
        args = ["$(rootpath %s)" % program for program in programs] + args,
        data = programs + data,
        **kwargs
    )
