"""What Bazel itself would download, replaced by stubs.

Bazel's own C++ and Java tool packages load a few rules from repositories on
the network. C++ needs of them only what Bazel has built in, so stubs forward
to the built-in rules. Only up to Bazel 4, Debian's: later versions ask for
more, and download their own.
"""

# Repository: {file: [built-in rules that it forwards to]}.
_FORWARDED = {
    "rules_cc": {"cc/defs.bzl": [
        "cc_binary",
        "cc_import",
        "cc_library",
        "cc_proto_library",
        "cc_shared_library",
        "cc_test",
        "cc_toolchain",
        "cc_toolchain_suite",
    ]},
    "rules_java": {"java/defs.bzl": [
        "java_binary",
        "java_import",
        "java_library",
        "java_proto_library",
        "java_runtime",
        "java_test",
        "java_toolchain",
    ]},
    "remote_coverage_tools": {},
}

# The files that Bazel wants of remote_coverage_tools, empty.
_BUILD = """package(default_visibility = ["//visibility:public"])

filegroup(name = "coverage_report_generator")

filegroup(name = "lcov_merger")
"""

def _bazel_stub_impl(ctx):
    ctx.file("BUILD", _BUILD, executable = False)
    for path, rules in ctx.attr.forwarded.items():
        ctx.file(path.rpartition("/")[0] + "/BUILD", executable = False)
        ctx.file(path, "".join([
            '{0} = getattr(native, "{0}", None)\n'.format(rule)
            for rule in rules
        ]), executable = False)

_bazel_stub = repository_rule(
    implementation = _bazel_stub_impl,
    doc = "Rules that Bazel has built in, under the labels of a repository.",
    attrs = {"forwarded": attr.string_list_dict()},
)

def _is_old():
    # Debian's Bazel 4.2.3 does not know its version.
    version = native.bazel_version
    return not version[:1].isdigit() or int(version.split(".")[0]) <= 4

def bazel_stubs():
    """Declares the stubs, except those the WORKSPACE file declared before."""
    if not _is_old():
        return
    for name, forwarded in _FORWARDED.items():
        if not native.existing_rule(name):
            _bazel_stub(name = name, forwarded = forwarded)
