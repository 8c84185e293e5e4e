"""The fork-join conformance suite on a runtime and a network."""

def fork_join_conformance_binary(name, deps, tags = []):
    """The program with all scenarios.

    Args:
      name: of the binary.
      deps: a runtime and an RMA backend.
      tags: of the binary.
    """
    native.cc_binary(
        name = name,
        testonly = 1,
        linkstatic = 1,
        tags = tags,
        deps = [Label("//tests/fork_join:scenarios")] + deps,
    )

def driven_test(name, driver, binary, flags = [], tags = [], **kwargs):
    """Runs `driver` (see driver.h) on `binary` with `flags` in each run."""
    native.sh_test(
        name = name,
        size = "medium",
        timeout = "short",
        srcs = [Label("//common/testing:run.sh")],
        args = ["$(rootpath %s)" % driver, "$(rootpath %s)" % binary] + flags,
        data = [binary, driver],
        tags = ["cpu:2"] + tags,
        **kwargs
    )
