"""The conformance suite of task pools on a pool and a network."""

load("//common/testing:run.bzl", "run_test")

def task_pool_conformance_binary(name, deps, tags = []):
    """The program with all scenarios.

    Args:
      name: of the binary.
      deps: a pool and an RMA backend.
      tags: of the binary.
    """
    native.cc_binary(
        name = name,
        testonly = 1,
        linkstatic = 1,
        tags = tags,
        deps = [Label("//tests/task_pool:scenarios")] + deps,
    )

def task_pool_conformance_test(name, binary, flags = [], tags = [], **kwargs):
    """Runs the scenarios of `binary`, all or those that `flags` name."""
    run_test(name, [binary], flags, tags = tags, **kwargs)
