"""What Bazel itself would download, replaced by local stubs.

Bazel's own C++ and Java tool packages load a few rules from repositories on
the network. C++ needs of them only what Bazel has built in, so stubs forward
to the built-in rules. Only up to Bazel 4, Debian's: later versions ask for
more, and download their own.
"""

_STUBS = ["rules_cc", "rules_java", "remote_coverage_tools"]

def _is_old():
    # Debian's Bazel 4.2.3 does not know its version.
    version = native.bazel_version
    return not version[:1].isdigit() or int(version.split(".")[0]) <= 4

def bazel_stubs():
    """Declares the stubs, except those the WORKSPACE file declared before."""
    if not _is_old():
        return
    for name in _STUBS:
        if not native.existing_rule(name):
            native.local_repository(
                name = name,
                path = "third_party/bazel/" + name,
            )
