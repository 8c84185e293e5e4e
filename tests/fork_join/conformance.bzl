"""The fork-join conformance suite on a runtime and a network."""

load("//third_party:rules.bzl", "cc_binary")
load("//common/testing:run.bzl", "run_test")

def fork_join_conformance_binary(name, deps, tags = []):
    """The program with all scenarios.

    Args:
      name: of the binary.
      deps: a runtime and an RMA backend.
      tags: of the binary.
    """
    cc_binary(
        name = name,
        testonly = 1,
        tags = tags,
        deps = [Label("//tests/fork_join:scenarios")] + deps,
    )

def driven_test(name, driver, binary, flags = [], tags = [], **kwargs):
    """Runs `driver` (see driver.h) on `binary` with `flags` in each run."""
    run_test(name, [driver, binary], flags, tags = tags, **kwargs)
